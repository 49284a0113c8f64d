package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// seen is a link as each interface shows it. linkding has no favorites.
type seen struct {
	Title, Tags, Note                  string
	Unread, Archived, Favorite, Shared bool
}

// clients are one person with a client of each API and a browser.
type clients struct {
	url, key string
	browser  *http.Client
	trashed  map[string]int64 // the last link of each URL that was moved to the trash, which the form for a new link asks about
}

func newClients(t *testing.T, serverURL string, s config.Serve) clients {
	t.Helper()
	const password = "correct horse battery"
	st, err := store.Open(t.Context(), store.Options{Dir: s.Store.Data, Database: s.Store.Database})
	check(t, err)
	defer st.Close()
	users := accounts.New(st, accounts.Options{})
	if _, err := users.AddUser(t.Context(), "ann", password); err != nil {
		t.Fatal(err)
	}
	key, _, err := users.AddAPIKey(t.Context(), "ann", "test", waymark.AccessFull, 0)
	check(t, err)
	jar, err := cookiejar.New(nil)
	check(t, err)
	c := clients{serverURL, key, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, map[string]int64{}}
	c.form(t, "/signin", "name", "ann", "password", password)
	return c
}

// call sends JSON to an API, and decodes the response into result unless that is nil.
func (c clients) call(t *testing.T, method, path string, body map[string]any, result any) {
	t.Helper()
	text, err := json.Marshal(body)
	check(t, err)
	r, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(string(text)))
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(r)
	check(t, err)
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s %s: got %s", method, path, text, response.Status)
	}
	if result != nil {
		check(t, json.NewDecoder(response.Body).Decode(result))
	}
}

// form sends a form of a page, with pairs of names and values, and returns the path of the redirect.
func (c clients) form(t *testing.T, path string, fields ...string) string {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	response, err := c.browser.PostForm(c.url+path, form)
	check(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		t.Fatalf("POST %s %v: got %s", path, form, response.Status)
	}
	return response.Header.Get("Location")
}

// way is how one interface makes the changes.
type way struct {
	name       string
	create     func(url string, l seen)
	title      func(id int64, url, title string)
	tags       func(id int64, url string, tags []string)
	note       func(id int64, text string) // none if text is ""
	unread     func(id int64, url string, on bool)
	favorite   func(id int64, url string, on bool) // nil if there are none
	archived   func(id int64, url string, on bool)
	visibility func(id int64, url string, shared bool)
	trash      func(id int64)
}

var visibilities = map[bool]string{true: "internal", false: "private"}

// linkAce makes the changes through LinkAce's API.
func (c clients) linkAce(t *testing.T) way {
	edit := func(id int64, url, field string, value any) {
		c.call(t, "PATCH", fmt.Sprintf("/api/v2/links/%d", id), map[string]any{"url": url, field: value}, nil)
	}
	numbers := map[bool]int{true: 2, false: 3}
	return way{
		name: "LinkAce's API",
		create: func(url string, l seen) {
			c.call(t, "POST", "/api/v2/links", map[string]any{
				"url": url, "title": l.Title, "tags": strings.Fields(l.Tags), "unread": l.Unread, "archived": l.Archived, "visibility": numbers[l.Shared],
			}, nil)
		},
		title: func(id int64, url, title string) { edit(id, url, "title", title) },
		tags:  func(id int64, url string, tags []string) { edit(id, url, "tags", tags) },
		note: func(id int64, text string) {
			old, ok := c.noteOf(t, id)
			switch path := fmt.Sprintf("/api/v2/notes/%d", old.ID); {
			case ok && text == "":
				c.call(t, "DELETE", path, nil, nil)
			case ok:
				c.call(t, "PATCH", path, map[string]any{"note": text}, nil)
			case text != "":
				c.call(t, "POST", "/api/v2/notes", map[string]any{"link_id": id, "note": text}, nil)
			}
		},
		unread:     func(id int64, url string, on bool) { edit(id, url, "unread", on) },
		favorite:   func(id int64, url string, on bool) { edit(id, url, "favorite", on) },
		archived:   func(id int64, url string, on bool) { edit(id, url, "archived", on) },
		visibility: func(id int64, url string, shared bool) { edit(id, url, "visibility", numbers[shared]) },
		trash:      func(id int64) { c.call(t, "DELETE", fmt.Sprintf("/api/v2/links/%d", id), nil, nil) },
	}
}

// linkding makes the changes through linkding's API.
func (c clients) linkding(t *testing.T) way {
	edit := func(id int64, field string, value any) {
		c.call(t, "PATCH", fmt.Sprintf("/api/bookmarks/%d/", id), map[string]any{field: value}, nil)
	}
	return way{
		name: "linkding's API",
		create: func(url string, l seen) {
			c.call(t, "POST", "/api/bookmarks/", map[string]any{
				"url": url, "title": l.Title, "tag_names": strings.Fields(l.Tags), "unread": l.Unread, "is_archived": l.Archived, "shared": l.Shared,
			}, nil)
		},
		title:  func(id int64, _, title string) { edit(id, "title", title) },
		tags:   func(id int64, _ string, tags []string) { edit(id, "tag_names", tags) },
		note:   func(id int64, text string) { edit(id, "notes", text) },
		unread: func(id int64, _ string, on bool) { edit(id, "unread", on) },
		archived: func(id int64, _ string, on bool) {
			c.call(t, "POST", fmt.Sprintf("/api/bookmarks/%d/%s/", id, map[bool]string{true: "archive", false: "unarchive"}[on]), nil, nil)
		},
		visibility: func(id int64, _ string, shared bool) { edit(id, "shared", shared) },
		trash:      func(id int64) { c.call(t, "DELETE", fmt.Sprintf("/api/bookmarks/%d/", id), nil, nil) },
	}
}

// pages makes the changes with the forms of the pages.
func (c clients) pages(t *testing.T) way {
	edit := func(id int64, fields ...string) { c.form(t, fmt.Sprintf("/links/%d", id), fields...) }
	mark := func(id int64, on bool, set, unset string) {
		c.form(t, fmt.Sprintf("/links/%d/mark/%s", id, map[bool]string{true: set, false: unset}[on]))
	}
	return way{
		name: "the pages",
		create: func(url string, l seen) {
			fields := []string{"url", url, "title", l.Title, "tags", strings.ReplaceAll(l.Tags, " ", ", "), "visibility", visibilities[l.Shared], "flags", "unread archived", "trashed", fmt.Sprint(c.trashed[url])}
			for name, on := range map[string]bool{"unread": l.Unread, "archived": l.Archived} {
				if on {
					fields = append(fields, name, "1")
				}
			}
			c.form(t, "/links", fields...)
		},
		title: func(id int64, _, title string) { edit(id, "title", title) },
		tags:  func(id int64, _ string, tags []string) { edit(id, "tags", strings.Join(tags, ", ")) },
		note: func(id int64, text string) {
			old, ok := c.noteOf(t, id)
			switch {
			case ok && text == "":
				c.form(t, fmt.Sprintf("/notes/%d/trash", old.ID))
			case ok:
				c.form(t, fmt.Sprintf("/notes/%d", old.ID), "text", text, "visibility", "private")
			case text != "":
				c.form(t, fmt.Sprintf("/links/%d/notes", id), "text", text, "visibility", "private")
			}
		},
		unread:     func(id int64, _ string, on bool) { mark(id, on, "unread", "read") },
		favorite:   func(id int64, _ string, on bool) { mark(id, on, "favorite", "unfavorite") },
		archived:   func(id int64, _ string, on bool) { mark(id, on, "archive", "unarchive") },
		visibility: func(id int64, _ string, shared bool) { edit(id, "visibility", visibilities[shared]) },
		trash:      func(id int64) { c.form(t, fmt.Sprintf("/links/%d/trash", id)) },
	}
}

// note is a note in the responses of LinkAce's API.
type note struct {
	ID   int64
	Note string
}

// noteOf returns the note on a link, if there is one.
func (c clients) noteOf(t *testing.T, link int64) (note, bool) {
	t.Helper()
	var notes struct{ Data []note }
	c.call(t, "GET", fmt.Sprintf("/api/v2/links/%d/notes", link), nil, &notes)
	if len(notes.Data) > 1 {
		t.Fatalf("link %d has %d notes, want one at most", link, len(notes.Data))
	}
	if len(notes.Data) == 0 {
		return note{}, false
	}
	return notes.Data[0], true
}

// sorted returns names in one order with a space between them.
func sorted(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), " ") }

// views returns what each interface shows, by URL, and the ids of the links.
func (c clients) views(t *testing.T) (views map[string]map[string]seen, ids map[string]int64) {
	t.Helper()
	ids = map[string]int64{}
	linkAce, linkding, pages := map[string]seen{}, map[string]seen{}, map[string]seen{}
	var links struct {
		Data []struct {
			ID                         int64
			URL, Title                 string
			Visibility                 int
			Unread, Archived, Favorite bool
			Tags                       []struct{ Name string }
		}
	}
	c.call(t, "GET", "/api/v2/links?per_page=100", nil, &links)
	for _, l := range links.Data {
		names := make([]string, len(l.Tags))
		for i, tag := range l.Tags {
			names[i] = tag.Name
		}
		ids[l.URL] = l.ID
		onLink, _ := c.noteOf(t, l.ID)
		linkAce[l.URL] = seen{l.Title, sorted(names), onLink.Note, l.Unread, l.Archived, l.Favorite, l.Visibility != 3}
		pages[l.URL] = c.inPages(t, l.ID)
	}
	for _, path := range []string{"", "archived/"} {
		var list struct {
			Results []struct {
				URL, Title, Notes string
				Unread, Shared    bool
				IsArchived        bool     `json:"is_archived"`
				TagNames          []string `json:"tag_names"`
			}
		}
		c.call(t, "GET", "/api/bookmarks/"+path, nil, &list)
		for _, b := range list.Results {
			linkding[b.URL] = seen{b.Title, sorted(b.TagNames), b.Notes, b.Unread, b.IsArchived, linkAce[b.URL].Favorite, b.Shared}
		}
	}
	return map[string]map[string]seen{"LinkAce's API": linkAce, "linkding's API": linkding, "the pages": pages}, ids
}

// page returns a page.
func (c clients) page(t *testing.T, path string) *goquery.Document {
	t.Helper()
	response, err := c.browser.Get(c.url + path)
	check(t, err)
	defer response.Body.Close()
	document, err := goquery.NewDocumentFromReader(response.Body)
	check(t, err)
	return document
}

// inPages returns what the form for a link shows, and the note on its page.
func (c clients) inPages(t *testing.T, id int64) seen {
	t.Helper()
	form := c.page(t, fmt.Sprintf("/links/%d/edit", id))
	value := func(selector string) string { return form.Find(selector).First().AttrOr("value", "") }
	ticked := func(name string) bool { return form.Find("input[name="+name+"][checked]").Length() > 0 }
	visibility := cmp.Or(value("input[name=visibility][checked]"), value("select[name=visibility] option[selected]"))
	tags := strings.FieldsFunc(value("input[name=tags]"), func(r rune) bool { return r == ',' || r == ' ' })
	onLink := strings.TrimSpace(c.page(t, fmt.Sprintf("/links/%d", id)).Find("article .prose").Text())
	return seen{value("input[name=title]"), sorted(tags), onLink, ticked("unread"), ticked("archived"), ticked("favorite"), visibility != "private"}
}

// change makes a random change of the model through a random interface, and returns what it did.
func (c clients) change(random *rand.Rand, ways []way, model map[string]seen, ids map[string]int64, step int) string {
	w := ways[random.IntN(len(ways))]
	tags := []string{"go", "sql", "web"}[:random.IntN(4)]
	on, url := random.IntN(2) == 0, fmt.Sprintf("https://example.com/%d", random.IntN(5))
	l, known := model[url]
	if !known {
		l = seen{Title: fmt.Sprintf("title %d", step), Tags: sorted(tags), Unread: on, Archived: random.IntN(2) == 0, Shared: random.IntN(2) == 0}
		w.create(url, l)
		model[url] = l
		return fmt.Sprintf("%s creates %s %+v", w.name, url, l)
	}
	id, did := ids[url], ""
	switch random.IntN(8) {
	case 0:
		l.Title, did = fmt.Sprintf("title %d", step), "title"
		w.title(id, url, l.Title)
	case 1:
		l.Tags, did = sorted(tags), "tags"
		w.tags(id, url, tags)
	case 2:
		l.Unread, did = on, "unread"
		w.unread(id, url, on)
	case 3:
		l.Archived, did = on, "archived"
		w.archived(id, url, on)
	case 4:
		l.Shared, did = on, "visibility"
		w.visibility(id, url, on)
	case 5:
		w.trash(id)
		c.trashed[url] = id
		delete(model, url)
		return fmt.Sprintf("%s deletes %s", w.name, url)
	case 6:
		if l.Note, did = "", "note"; on {
			l.Note = fmt.Sprintf("note %d", step)
		}
		w.note(id, l.Note)
	case 7:
		if w.favorite == nil {
			return w.name + " has no favorites"
		}
		l.Favorite, did = on, "favorite"
		w.favorite(id, url, on)
	}
	model[url] = l
	return fmt.Sprintf("%s sets %s of %s to %+v", w.name, did, url, l)
}

// TestAllInterfacesChangeAndShowTheSame makes random changes through LinkAce's API, linkding's API and the
// forms of the pages.
func TestAllInterfacesChangeAndShowTheSame(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, database store.Options) {
		s := settings(t)
		if s.Store.Database = database.Database; s.Store.Database != "" {
			s.Store.DatabaseConnections = 5
		}
		ready, stop := start(t, s)
		t.Cleanup(func() { stop() })
		c := newClients(t, ready.URL, s)
		const seed = 43
		random := rand.New(rand.NewPCG(seed, seed))
		ways := []way{c.linkAce(t), c.linkding(t), c.pages(t)}
		model, ids := map[string]seen{}, map[string]int64{}
		var history []string
		steps := 120
		if testing.Short() {
			steps = 25
		}
		for step := range steps {
			history = append(history, c.change(random, ways, model, ids, step))
			var views map[string]map[string]seen
			views, ids = c.views(t)
			for name, got := range views {
				if !maps.Equal(got, model) {
					t.Fatalf("%s: got %+v, want %+v after\n%s", name, got, model, strings.Join(history, "\n"))
				}
			}
		}
	})
}
