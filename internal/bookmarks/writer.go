package bookmarks

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// Writer writes bookmarks to one file.
type Writer interface {
	// Write adds a bookmark. Its Line is ignored.
	Write(b Bookmark) error
	// Close writes what stands at the end of the file. It does not close the writer below.
	Close() error
}

// NewWriter returns a Writer of bookmarks HTML, CSV or JSON. What it writes, Open reads.
//
// A Bookmark that is a folder is written in HTML, and in JSON if it precedes the links: so files have folders without
// links, and their order.
//
// In HTML a bookmark is in one folder: the first of Bookmark.Folders. One that is in several
// is written once for each, with only that folder. Bookmarks of one folder have to follow
// each other, because Firefox creates a folder again each time that it begins. Bookmarks in
// the trash are not written.
func NewWriter(w io.Writer, format Format) (Writer, error) {
	buffered := bufio.NewWriter(w)
	switch format {
	case FormatHTML:
		h := &htmlWriter{w: buffered}
		h.print(htmlHead)
		return h, nil
	case FormatCSV:
		buffered.WriteString("\ufeff") //nolint:errcheck // Flush returns it
		c := &csvWriter{csv.NewWriter(buffered)}
		return c, c.rows.Write(csvColumns)
	case FormatJSON:
		return &jsonWriter{w: buffered}, nil
	}
	return nil, fmt.Errorf("bookmarks cannot be written in the format %s", format)
}

// htmlWriter writes the Netscape format, as Chrome and Firefox do.
type htmlWriter struct {
	w    *bufio.Writer
	path []string // of the open folders
}

const htmlHead = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file.
     It will be read and overwritten.
     DO NOT EDIT! -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
`

// htmlEscaper writes the five entities that Chromium decodes when it imports a file. It leaves
// &#34; of html.EscapeString as it is.
var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

func (h *htmlWriter) Write(b Bookmark) error {
	if b.Deleted {
		return nil
	}
	var path []string
	if len(b.Folders) > 0 {
		path = b.Folders[0]
	}
	h.openFolder(path)
	if b.IsFolder() {
		return h.err()
	}
	h.indent()
	h.print(`<DT><A HREF="`, htmlEscaper.Replace(b.URL), `"`)
	attribute := func(name, value string) {
		if value != "" {
			h.print(" ", name, `="`, htmlEscaper.Replace(value), `"`)
		}
	}
	attribute("ADD_DATE", unixSeconds(b.CreatedAt))
	attribute("LAST_MODIFIED", unixSeconds(b.UpdatedAt))
	switch b.Visibility {
	case waymark.Public:
		attribute("PRIVATE", "0")
	case waymark.Private:
		attribute("PRIVATE", "1")
	case waymark.Internal: // other programs do not make it public
		attribute("PRIVATE", "1")
		attribute("VISIBILITY", b.Visibility.String())
	}
	attribute("TAGS", joinQuoted(b.Tags))
	attribute("data-cover", b.ImageURL)
	flags := b.writtenFlags()
	attribute("TOREAD", flagText(flags.Unread, "1", "0"))
	attribute("ARCHIVED", flagText(flags.Archived, "1", "0"))
	attribute("data-important", flagText(flags.Favorite, "true", "false")) // as Raindrop writes it
	h.print(">", htmlEscaper.Replace(collapseSpace(b.Title)), "</A>\n")
	if text := joinNotes(b.Description, b.Notes); text != "" {
		h.print("<DD>", htmlEscaper.Replace(text), "\n")
	}
	return h.err()
}

func (h *htmlWriter) Close() error {
	h.openFolder(nil)
	h.print("</DL><p>\n")
	return h.w.Flush()
}

// openFolder closes and opens folders until exactly the folders of path are open.
func (h *htmlWriter) openFolder(path []string) {
	common := 0
	for common < min(len(path), len(h.path)) && path[common] == h.path[common] {
		common++
	}
	for len(h.path) > common {
		h.path = h.path[:len(h.path)-1]
		h.indent()
		h.print("</DL><p>\n")
	}
	for _, name := range path[common:] {
		h.indent()
		h.print("<DT><H3>", htmlEscaper.Replace(collapseSpace(name)), "</H3>\n")
		h.indent()
		h.print("<DL><p>\n")
		h.path = append(slices.Clip(h.path), name)
	}
}

func (h *htmlWriter) indent() { h.print(strings.Repeat("    ", len(h.path)+1)) }

// print writes texts. The writer keeps the error.
func (h *htmlWriter) print(texts ...string) {
	for _, text := range texts {
		h.w.WriteString(text) //nolint:errcheck // Flush returns it
	}
}

// err returns the error of an earlier write.
func (h *htmlWriter) err() error {
	_, err := h.w.Write(nil)
	return err
}

func unixSeconds(t waymark.Time) string {
	if t <= 0 {
		return ""
	}
	return fmt.Sprint(t.Time().Unix())
}

// csvColumns are the columns that the writer of CSV writes, in this order.
var csvColumns = []string{"url", "title", "description", "lists", "tags", "notes",
	"visibility", "created_at", "updated_at", "thumbnail", "deleted", "unread", "archived", "favorite"}

// csvWriter writes CSV (RFC 4180) in UTF-8 with a byte order mark, without which Excel takes
// it for another character set.
type csvWriter struct{ rows *csv.Writer }

func (c *csvWriter) Write(b Bookmark) error {
	if b.IsFolder() {
		return nil
	}
	deleted := ""
	if b.Deleted {
		deleted = "true"
	}
	row := []string{b.URL, b.Title, b.Description, joinQuoted(folderNames(b.Folders)), joinQuoted(b.Tags),
		joinCSVNotes(b.Notes), visibilityText(b.Visibility), timeText(b.CreatedAt), timeText(b.UpdatedAt),
		b.ImageURL, deleted, flagText(b.Flags.Unread, "true", ""), flagText(b.Flags.Archived, "true", ""), flagText(b.Flags.Favorite, "true", "")}
	for i := range row {
		row[i] = NeutralizeFormula(row[i])
	}
	return c.rows.Write(row)
}

func (c *csvWriter) Close() error {
	c.rows.Flush()
	return c.rows.Error()
}

// folderNames returns each path as one name.
func folderNames(folders [][]string) []string {
	names := make([]string, len(folders))
	for i, path := range folders {
		names[i] = joinPath(path)
	}
	return names
}

func visibilityText(v waymark.Visibility) string {
	if !v.Valid() {
		return ""
	}
	return v.String()
}

// flagText returns the text for the value of a flag, "" for none.
func flagText(flag *bool, on, off string) string {
	switch {
	case flag == nil:
		return ""
	case *flag:
		return on
	}
	return off
}

func timeText(t waymark.Time) string {
	if t == 0 {
		return ""
	}
	return t.String()
}

// jsonWriter writes one JSON object with one bookmark a line.
type jsonWriter struct {
	w     *bufio.Writer
	begun bool
	lists []string // the paths of the folders that precede the bookmarks
}

// jsonBookmark is a bookmark in the JSON that Waymark writes. Texts and times that are not
// there are left out.
type jsonBookmark struct {
	URL         string     `json:"url"`
	Title       string     `json:"title,omitzero"`
	Description string     `json:"description,omitzero"`
	Lists       []string   `json:"lists,omitempty"`
	Tags        []string   `json:"tags,omitempty"`
	Notes       []jsonNote `json:"notes,omitempty"`
	Visibility  string     `json:"visibility,omitzero"`
	CreatedAt   string     `json:"created_at,omitzero"`
	UpdatedAt   string     `json:"updated_at,omitzero"`
	Thumbnail   string     `json:"thumbnail,omitzero"`
	Deleted     bool       `json:"deleted,omitzero"`
	Unread      *bool      `json:"unread,omitzero"`
	Archived    *bool      `json:"archived,omitzero"`
	Favorite    *bool      `json:"favorite,omitzero"`
}

type jsonNote struct {
	Text       string `json:"text"`
	Visibility string `json:"visibility,omitzero"`
	CreatedAt  string `json:"created_at,omitzero"`
}

// begin returns what stands before the bookmarks, "" if it was written.
func (j *jsonWriter) begin() (string, error) {
	if j.begun {
		return "", nil
	}
	j.begun = true
	begin := `{"format":"waymark-bookmarks","version":1,`
	if len(j.lists) > 0 {
		lists, err := encodeJSON(j.lists)
		if err != nil {
			return "", err
		}
		begin += `"lists":` + lists + ",\n"
	}
	return begin + `"bookmarks":[`, nil
}

// encodeJSON returns a value as JSON, without the escapes that HTML needs.
func encodeJSON(value any) (string, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSuffix(line.String(), "\n"), err
}

func (j *jsonWriter) Write(b Bookmark) error {
	if b.IsFolder() {
		j.lists = append(j.lists, folderNames(b.Folders)...)
		return nil
	}
	flags := b.writtenFlags()
	out := jsonBookmark{b.URL, b.Title, b.Description, folderNames(b.Folders), b.Tags, nil, visibilityText(b.Visibility),
		timeText(b.CreatedAt), timeText(b.UpdatedAt), b.ImageURL, b.Deleted, flags.Unread, flags.Archived, flags.Favorite}
	for _, note := range b.Notes {
		out.Notes = append(out.Notes, jsonNote{note.Text, visibilityText(note.Visibility), timeText(note.CreatedAt)})
	}
	line, err := encodeJSON(out)
	if err != nil {
		return err
	}
	separator := "\n"
	if j.begun {
		separator = ",\n"
	}
	begin, err := j.begin()
	if err != nil {
		return err
	}
	_, err = j.w.WriteString(begin + separator + line)
	return err
}

func (j *jsonWriter) Close() error {
	tail := "]}\n"
	if j.begun {
		tail = "\n]}\n"
	}
	begin, err := j.begin()
	if err != nil {
		return err
	}
	j.w.WriteString(begin + tail) //nolint:errcheck // Flush returns it
	return j.w.Flush()
}
