package api

import (
	"bytes"
	"encoding/json"
	"math"
	"net/url"
	"strconv"
	"testing"

	"waymark/internal/waymark"
)

// The entities in the form in which encoding/json encodes them.
type (
	jsonList struct {
		ID          int64   `json:"id"`
		UserID      int64   `json:"user_id"`
		Name        string  `json:"name"`
		Description *string `json:"description"`
		Visibility  int     `json:"visibility"`
		IsPrivate   bool    `json:"is_private"`
		Links       string  `json:"links"`
		jsonTimes
		Pivot *jsonPivot `json:"pivot,omitempty"`
	}
	jsonTag struct {
		ID         int64  `json:"id"`
		UserID     int64  `json:"user_id"`
		Name       string `json:"name"`
		Visibility int    `json:"visibility"`
		IsPrivate  bool   `json:"is_private"`
		jsonTimes
		Pivot *jsonPivot `json:"pivot,omitempty"`
	}
	jsonNote struct {
		ID         int64  `json:"id"`
		UserID     int64  `json:"user_id"`
		LinkID     int64  `json:"link_id"`
		Note       string `json:"note"`
		Visibility int    `json:"visibility"`
		IsPrivate  bool   `json:"is_private"`
		jsonTimes
	}
	jsonLink struct {
		ID            int64      `json:"id"`
		UserID        int64      `json:"user_id"`
		URL           string     `json:"url"`
		Title         string     `json:"title"`
		Description   *string    `json:"description"`
		Icon          string     `json:"icon"`
		Thumbnail     *string    `json:"thumbnail"`
		Visibility    int        `json:"visibility"`
		IsPrivate     bool       `json:"is_private"`
		Status        int        `json:"status"`
		CheckDisabled bool       `json:"check_disabled"`
		Lists         []jsonList `json:"lists"`
		Tags          []jsonTag  `json:"tags"`
		jsonTimes
	}
	jsonTimes struct {
		CreatedAt *string `json:"created_at"`
		UpdatedAt *string `json:"updated_at"`
		DeletedAt *string `json:"deleted_at"`
	}
	jsonPivot struct {
		LinkID int64  `json:"link_id"`
		ListID *int64 `json:"list_id,omitempty"`
		TagID  *int64 `json:"tag_id,omitempty"`
	}
	jsonPage struct {
		CurrentPage  int            `json:"current_page"`
		Data         []any          `json:"data"`
		FirstPageURL string         `json:"first_page_url"`
		From         int            `json:"from"`
		LastPage     int            `json:"last_page"`
		LastPageURL  string         `json:"last_page_url"`
		Links        []jsonPageLink `json:"links"`
		NextPageURL  *string        `json:"next_page_url"`
		Path         string         `json:"path"`
		PerPage      string         `json:"per_page"`
		PrevPageURL  *string        `json:"prev_page_url"`
		To           int            `json:"to"`
		Total        int            `json:"total"`
	}
	jsonPageLink struct {
		URL    *string `json:"url"`
		Label  string  `json:"label"`
		Active bool    `json:"active"`
	}
)

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func timesOf(created, updated, deleted waymark.Time) jsonTimes {
	text := func(t waymark.Time) *string {
		if t == 0 {
			return nil
		}
		return orNull(t.Time().Format("2006-01-02T15:04:05.000000Z"))
	}
	return jsonTimes{text(created), text(updated), text(deleted)}
}

func listOf(prefix string, l *waymark.List) jsonList {
	return jsonList{
		int64(l.ID), int64(l.Owner), l.Name, orNull(l.Description), int(l.Visibility), l.Visibility == 3,
		prefix + "/lists/" + strconv.Itoa(int(l.ID)) + "/links", timesOf(l.CreatedAt, l.UpdatedAt, l.DeletedAt), nil,
	}
}

func tagOf(t *waymark.Tag) jsonTag {
	return jsonTag{int64(t.ID), int64(t.Owner), t.Name, int(t.Visibility), t.Visibility == 3, timesOf(t.CreatedAt, t.UpdatedAt, t.DeletedAt), nil}
}

func noteOf(n *waymark.Note) jsonNote {
	return jsonNote{int64(n.ID), int64(n.Owner), int64(n.Link), n.Text, int(n.Visibility), n.Visibility == 3, timesOf(n.CreatedAt, n.UpdatedAt, n.DeletedAt)}
}

func linkOf(prefix string, l *waymark.Link) jsonLink {
	link := jsonLink{
		int64(l.ID), int64(l.Owner), l.URL, l.Title, orNull(l.Description), icon(l.URL), orNull(l.Thumbnail),
		int(l.Visibility), l.Visibility == 3, int(l.Status), l.CheckDisabled, []jsonList{}, []jsonTag{}, timesOf(l.CreatedAt, l.UpdatedAt, l.DeletedAt),
	}
	for _, list := range l.Lists {
		one, id := listOf(prefix, &list), int64(list.ID)
		one.Pivot = &jsonPivot{LinkID: link.ID, ListID: &id}
		link.Lists = append(link.Lists, one)
	}
	for _, tag := range l.Tags {
		one, id := tagOf(&tag), int64(tag.ID)
		one.Pivot = &jsonPivot{LinkID: link.ID, TagID: &id}
		link.Tags = append(link.Tags, one)
	}
	return link
}

// encodings returns entities and pages, encoded by this package and by encoding/json.
func encodings(id int64, a, b string, v, number int) map[string][2]string {
	const prefix = "https://links.example.org/<&>/api/v2"
	at := waymark.Time(id)
	list := waymark.List{ID: waymark.ListID(id), Owner: waymark.UserID(number), Name: a, Description: b, Visibility: waymark.Visibility(v), CreatedAt: at, UpdatedAt: 1, DeletedAt: waymark.Time(number)}
	tag := waymark.Tag{ID: waymark.TagID(id), Owner: waymark.UserID(number), Name: b, Visibility: waymark.Visibility(v), CreatedAt: 1, UpdatedAt: at, DeletedAt: 0}
	note := waymark.Note{ID: waymark.NoteID(id), Owner: waymark.UserID(number), Link: 7, Text: a, Visibility: waymark.Visibility(v), CreatedAt: at, UpdatedAt: at, DeletedAt: at}
	link := waymark.Link{
		ID: waymark.LinkID(id), Owner: waymark.UserID(number), URL: a, Title: b, Description: a, Thumbnail: b, Visibility: waymark.Visibility(v),
		Status: waymark.Status(v), CheckDisabled: v == 2, CreatedAt: at, UpdatedAt: at,
	}
	attached := link
	attached.Lists, attached.Tags = []waymark.List{list, {ID: 2, Name: "x"}}, []waymark.Tag{tag, tag}
	// The same page, encoded by envelope and by encoding/json.
	page := pageRequest{number: max(1, number), size: 3, perPage: "3"}
	total := max(0, v)
	e := newEnvelope(a, &params{sent: url.Values{"q": {b}}}, page, total)
	byHand := e.appendTail(e.appendHead(nil), &encoder{})
	pageURL := func(n int) *string {
		if n == 0 {
			return nil
		}
		return orNull(a + "?" + url.Values{"q": {b}}.Encode() + "&page=" + strconv.Itoa(n))
	}
	whole := jsonPage{
		CurrentPage: page.number, Data: []any{}, FirstPageURL: *pageURL(1), From: e.from, LastPage: e.last, LastPageURL: *pageURL(e.last),
		NextPageURL: pageURL(e.next()), Path: a, PerPage: page.perPage, PrevPageURL: pageURL(e.previous()), To: e.to, Total: total,
		Links: []jsonPageLink{{pageURL(e.previous()), "« Previous", false}},
	}
	for _, n := range e.pageNumbers() {
		one := jsonPageLink{pageURL(n), strconv.Itoa(n), n == page.number}
		if n == 0 {
			one = jsonPageLink{nil, "...", false}
		}
		whole.Links = append(whole.Links, one)
	}
	whole.Links = append(whole.Links, jsonPageLink{pageURL(e.next()), "Next »", false})
	return map[string][2]string{
		"string":                   {string(appendString(nil, a)), plainJSON(a)},
		"list":                     {string(appendList(nil, &encoder{prefix: prefix}, &list)), plainJSON(listOf(prefix, &list))},
		"tag":                      {string(appendTag(nil, &encoder{prefix: prefix}, &tag)), plainJSON(tagOf(&tag))},
		"note":                     {string(appendNote(nil, &encoder{prefix: prefix}, &note)), plainJSON(noteOf(&note))},
		"link":                     {string(appendLink(nil, &encoder{prefix: prefix}, &link)), plainJSON(linkOf(prefix, &link))},
		"link with lists and tags": {string(appendLink(nil, &encoder{prefix: prefix}, &attached)), plainJSON(linkOf(prefix, &attached))},
		"page":                     {string(byHand), plainJSON(whole)},
	}
}

func plainJSON(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// oddTexts need care when they are encoded as JSON.
var oddTexts = []string{
	"", "a", "https://go.dev/?a=1&b=<2>", `"`, `\`, "\\\"", "\x00", "\x01\x1f\b\f\n\r\t", "\x7f", "ä", "中", "😀", "\u2028", "\u2029", "a\u2028b\u2029", "\u2027\u202a",
	"\xff", "a\xc3", "\xed\xa0\x80", "\xe2\x80", "\xe2", "\ufffd", "\ufeff", "\U0010ffff", "\u0085", "\u00a0", "e\u0301", "\u202e", "/", "</script>",
}

func TestEncodingMatchesEncodingJSON(t *testing.T) {
	for _, a := range oddTexts {
		for _, b := range oddTexts {
			for _, id := range []int64{0, 1, 1_583_782_403_000_000, math.MaxInt64 / 1_000_000} {
				for name, pair := range encodings(id, a, b, len(a), len(b)) {
					if pair[0] != pair[1] {
						t.Fatalf("%s of %q, %q: got\n  %s, want\n  %s", name, a, b, pair[0], pair[1])
					}
				}
			}
		}
	}
}

func TestEncodingOfVisibilitiesAndPagesMatchesEncodingJSON(t *testing.T) {
	for v := -1; v < 80; v++ {
		for number := range 30 {
			for name, pair := range encodings(5, "https://a.example", "b c", v, number) {
				if pair[0] != pair[1] {
					t.Fatalf("%s of %d, %d: got\n  %s, want\n  %s", name, v, number, pair[0], pair[1])
				}
			}
		}
	}
}

func FuzzEncoding(f *testing.F) {
	for i, a := range oddTexts {
		f.Add(int64(i), a, oddTexts[len(oddTexts)-1-i], i, i)
	}
	f.Fuzz(func(t *testing.T, id int64, a, b string, v, number int) {
		if year := waymark.Time(id).Time().Year(); year < 0 || year > 9999 {
			t.Skip("time out of range")
		}
		for name, pair := range encodings(id, a, b, v%100_000, number) {
			if pair[0] != pair[1] {
				t.Fatalf("%s: got\n  %s, want\n  %s", name, pair[0], pair[1])
			}
		}
	})
}
