package api

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// Entities and pages are encoded by hand, which takes a quarter of the time of
// encoding/json. A test compares the results of both.

// encoder has the values that are the same for all entities of a response.
type encoder struct {
	prefix string              // of URLs
	out    *httpx.StreamWriter // nil to encode entities whole
}

// maxPart is the size in bytes above which a part of an entity is written to the response.
const maxPart = 16 << 10

// part writes b to the response if it is large, and returns the slice to append to. So the
// JSON of a link with many lists and tags is never in memory as a whole.
func (e *encoder) part(b []byte) []byte {
	if len(b) < maxPart || e.out == nil {
		return b
	}
	e.out.Write(b) //nolint:errcheck // the next Write returns the error too
	return e.out.AvailableBuffer()
}

func appendLink(b []byte, e *encoder, l *waymark.Link) []byte {
	b = appendID(append(b, `{"id":`...), l.ID)
	b = appendID(append(b, `,"user_id":`...), l.Owner)
	b = appendString(append(b, `,"url":`...), l.URL)
	b = appendString(append(b, `,"title":`...), l.Title)
	b = appendOptional(append(b, `,"description":`...), l.Description)
	b = appendString(append(b, `,"icon":`...), icon(l.URL))
	b = appendOptional(append(b, `,"thumbnail":`...), l.Thumbnail)
	b = appendVisibility(b, l.Visibility)
	b = strconv.AppendInt(append(b, `,"status":`...), int64(l.Status), 10)
	b = strconv.AppendBool(append(b, `,"check_disabled":`...), l.CheckDisabled)
	b = append(b, `,"lists":[`...)
	for i := range l.Lists {
		b = e.part(appendPivot(appendList(comma(b, i), e, &l.Lists[i]), l.ID, `,"list_id":`, int64(l.Lists[i].ID)))
	}
	b = append(b, `],"tags":[`...)
	for i := range l.Tags {
		b = e.part(appendPivot(appendTag(comma(b, i), e, &l.Tags[i]), l.ID, `,"tag_id":`, int64(l.Tags[i].ID)))
	}
	return appendTimes(append(b, ']'), l.CreatedAt, l.UpdatedAt, l.DeletedAt)
}

func appendList(b []byte, e *encoder, l *waymark.List) []byte {
	b = appendID(append(b, `{"id":`...), l.ID)
	b = appendID(append(b, `,"user_id":`...), l.Owner)
	b = appendString(append(b, `,"name":`...), l.Name)
	b = appendOptional(append(b, `,"description":`...), l.Description)
	b = appendVisibility(b, l.Visibility)
	b = appendString(append(b, `,"links":`...), e.prefix+"/lists/"+strconv.FormatInt(int64(l.ID), 10)+"/links")
	return appendTimes(b, l.CreatedAt, l.UpdatedAt, l.DeletedAt)
}

func appendTag(b []byte, _ *encoder, t *waymark.Tag) []byte {
	b = appendID(append(b, `{"id":`...), t.ID)
	b = appendID(append(b, `,"user_id":`...), t.Owner)
	b = appendString(append(b, `,"name":`...), t.Name)
	b = appendVisibility(b, t.Visibility)
	return appendTimes(b, t.CreatedAt, t.UpdatedAt, t.DeletedAt)
}

func appendNote(b []byte, _ *encoder, n *waymark.Note) []byte {
	b = appendID(append(b, `{"id":`...), n.ID)
	b = appendID(append(b, `,"user_id":`...), n.Owner)
	b = appendID(append(b, `,"link_id":`...), n.Link)
	b = appendString(append(b, `,"note":`...), n.Text)
	b = appendVisibility(b, n.Visibility)
	return appendTimes(b, n.CreatedAt, n.UpdatedAt, n.DeletedAt)
}

// appendPivot adds to the object at the end of b the row that attaches it to a link.
func appendPivot(b []byte, link waymark.LinkID, key string, id int64) []byte {
	b = appendID(append(b[:len(b)-1], `,"pivot":{"link_id":`...), link)
	return append(strconv.AppendInt(append(b, key...), id, 10), `}}`...)
}

func appendVisibility(b []byte, v waymark.Visibility) []byte {
	b = strconv.AppendInt(append(b, `,"visibility":`...), int64(v), 10)
	return strconv.AppendBool(append(b, `,"is_private":`...), v == waymark.Private)
}

// appendTimes appends the three times and the end of an entity.
func appendTimes(b []byte, created, updated, deleted waymark.Time) []byte {
	b = appendTime(append(b, `,"created_at":`...), created)
	b = appendTime(append(b, `,"updated_at":`...), updated)
	return append(appendTime(append(b, `,"deleted_at":`...), deleted), '}')
}

func appendTime(b []byte, t waymark.Time) []byte {
	if t == 0 {
		return append(b, "null"...)
	}
	return append(t.Append(append(b, '"')), '"')
}

func appendID[T waymark.ID](b []byte, id T) []byte { return strconv.AppendInt(b, int64(id), 10) }

func appendOptional(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return appendString(b, s)
}

// appendString appends s in the same form as encoding/json without HTML escapes. Few texts
// need escaping; encoding/json encodes those.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == 0xE2 || c == 0x7F {
			return appendEscaped(b, s)
		}
	}
	if !utf8.ValidString(s) {
		return appendEscaped(b, s)
	}
	return append(append(append(b, '"'), s...), '"')
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

// appendEscaped appends s with encoding/json.
func appendEscaped(b []byte, s string) []byte {
	w := appender{b}
	encoder := json.NewEncoder(&w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		panic(err) // strings can always be encoded
	}
	return w.b[:len(w.b)-1] // without the newline that Encode adds
}

// appender is a writer that appends to b.
type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}
