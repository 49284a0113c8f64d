package bookmarks

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// A csvField is what a column of a CSV file contains.
type csvField int

const (
	csvURL csvField = iota + 1
	csvTitle
	csvDescription
	csvNote
	csvTags
	csvLists  // names, separated by commas
	csvFolder // one path
	csvCreated
	csvUpdated
	csvVisibility
	csvPrivate
	csvThumbnail
	csvFavorite
	csvArchived
	csvToRead
	csvDeleted
	csvStatus // of Pocket: unread or archive
)

// csvNames are the names of columns that programs write, in lower case and with spaces
// instead of underscores.
var csvNames = map[string]csvField{
	"url": csvURL, "link": csvURL, "href": csvURL, "uri": csvURL, "address": csvURL,
	"title": csvTitle, "name": csvTitle,
	"description": csvDescription, "excerpt": csvDescription, "selection": csvDescription,
	"note": csvNote, "notes": csvNote, "highlights": csvNote, "comment": csvNote,
	"tags": csvTags, "labels": csvTags,
	"lists": csvLists, "list": csvLists,
	"folder": csvFolder, "collection": csvFolder,
	"created": csvCreated, "created at": csvCreated, "time added": csvCreated, "timestamp": csvCreated,
	"date": csvCreated, "date added": csvCreated, "added": csvCreated, "saved at": csvCreated,
	"updated": csvUpdated, "updated at": csvUpdated, "modified": csvUpdated, "last modified": csvUpdated,
	"visibility": csvVisibility,
	"private":    csvPrivate, "is private": csvPrivate,
	"thumbnail": csvThumbnail, "cover": csvThumbnail, "image": csvThumbnail,
	"favorite": csvFavorite, "favourite": csvFavorite, "starred": csvFavorite, "is starred": csvFavorite,
	"archived": csvArchived, "is archived": csvArchived,
	"toread": csvToRead, "to read": csvToRead, "unread": csvToRead,
	"deleted": csvDeleted, "deleted at": csvDeleted,
	"status": csvStatus,
}

// csvHeader says how the rows of a CSV file are read. It comes from the first row.
type csvHeader struct {
	comma      rune
	columns    []csvField // 0 for a column that is not read
	sepLine    bool       // the first line is sep=; or another separator, as Excel writes it
	readable   bool       // there is a column of URLs
	pocket     bool       // tags are separated by |
	instapaper bool       // some folders are states
}

// parseCSVHeader returns the header of a CSV file that begins with head.
func parseCSVHeader(head []byte) csvHeader {
	var h csvHeader
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	commas := []rune{',', ';', '\t'}
	if sep, found := bytes.CutPrefix(bytes.ToLower(line), []byte("sep=")); found && len(sep) == 1 {
		h.sepLine = true
		commas = []rune{rune(sep[0])}
		line, _, _ = bytes.Cut(rest, []byte("\n"))
	}
	for _, comma := range commas {
		r := csv.NewReader(bytes.NewReader(line))
		r.Comma, r.LazyQuotes = comma, true
		cells, err := r.Read()
		if err != nil { // not a header, or not a valid separator
			continue
		}
		h.comma, h.columns, h.pocket, h.instapaper = comma, make([]csvField, len(cells)), false, false
		for i, cell := range cells {
			name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(cell)), "_", " ")
			h.columns[i] = csvNames[name]
			h.readable = h.readable || h.columns[i] == csvURL
			h.pocket = h.pocket || name == "time added"
			h.instapaper = h.instapaper || name == "selection"
		}
		if h.readable {
			break
		}
	}
	return h
}

// readCSV reads CSV with a header, in which columns are found by their names.
func readCSV(in input, yield yieldFunc) error {
	head, err := peek(in.text)
	if err != nil {
		return err
	}
	header := parseCSVHeader(head)
	lines := 0 // before the first line that rows reads
	if header.sepLine {
		if _, err := in.text.ReadSlice('\n'); err != nil {
			return err
		}
		lines++
	}
	text := &budgetReader{r: in.text}
	rows := csv.NewReader(text)
	rows.Comma, rows.LazyQuotes, rows.FieldsPerRecord, rows.ReuseRecord = header.comma, true, -1, true
	lastLine := lines // of the row before
	for first := true; ; first = false {
		text.left = in.limits.Bookmark
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, errBudget) && first {
			return fmt.Errorf("the header is longer than %d bytes", in.limits.Bookmark)
		}
		if errors.Is(err, errBudget) {
			return fmt.Errorf("the row after line %d is longer than %d bytes: a closing quote seems to be missing", lastLine, in.limits.Bookmark)
		}
		if err != nil {
			return fmt.Errorf("read the file: %w", err)
		}
		line, _ := rows.FieldPos(0)
		line += lines
		lastLine = line
		if first {
			continue
		}
		if text.ended && text.last != '"' && strings.Contains(row[len(row)-1], "\n") {
			return yield(Bookmark{}, noEnd(line, "a closing quote seems to be missing: the rest of the file cannot be read"))
		}
		b, err := header.bookmark(row, in.limits)
		switch {
		case errors.Is(err, errEmptyRow):
			continue
		case errors.Is(err, errNoURL):
			err = yield(Bookmark{}, noURL(line, "the row has no URL (title %.200q)", b.Title))
		case errors.Is(err, errTooManyCells):
			err = yield(Bookmark{}, tooManyCells(line, len(row), len(header.columns)))
		default:
			b.Line = line
			err = yield(b, nil)
		}
		if err != nil {
			return err
		}
	}
}

var (
	errEmptyRow     = errors.New("the row is empty")
	errNoURL        = errors.New("the row has no URL")
	errTooManyCells = errors.New("the row has more cells than the header")
)

// csvStates are the tags for columns with a state.
var csvStates = map[csvField]string{csvFavorite: TagFavorite, csvArchived: TagArchived, csvToRead: TagToRead}

// instapaperStates are the tags for the folders of Instapaper that are states.
var instapaperStates = map[string][]string{"Unread": nil, "Archive": {TagArchived}, "Starred": {TagFavorite}}

// bookmark returns the bookmark of a row.
func (h csvHeader) bookmark(row []string, limits Limits) (Bookmark, error) {
	var b Bookmark
	var tags []string // for states
	var private waymark.Visibility
	empty := true
	for i, cell := range row {
		value := restoreFormula(cell)
		if strings.TrimSpace(value) == "" {
			continue
		}
		empty = false
		if i >= len(h.columns) {
			return Bookmark{}, errTooManyCells
		}
		switch field := h.columns[i]; field {
		case csvURL:
			b.URL = cleanURL(value)
		case csvTitle:
			b.Title = cleanLine(value)
		case csvDescription:
			b.Description = cleanText(value)
		case csvNote:
			b.Notes = append(b.Notes, splitCSVNotes(cleanText(value))...)
		case csvTags:
			b.Tags = h.tags(value)
		case csvLists:
			for _, name := range splitTags(value) {
				b.Folders = append(b.Folders, []string{name})
			}
		case csvFolder:
			if state, ok := instapaperStates[value]; ok && h.instapaper {
				tags = append(tags, state...)
			} else if path := splitPath(value, limits.Depth); len(path) > 0 {
				b.Folders = append(b.Folders, path)
			}
		case csvCreated:
			b.CreatedAt = b.date(value)
		case csvUpdated:
			b.UpdatedAt = b.date(value)
		case csvVisibility:
			b.Visibility = parseVisibility(value)
		case csvPrivate:
			private = waymark.Public
			if isTrue(value) {
				private = waymark.Private
			}
		case csvThumbnail:
			b.Thumbnail = cleanThumbnail(value)
		case csvFavorite, csvArchived, csvToRead:
			if isTrue(value) {
				tags = append(tags, csvStates[field])
			}
		case csvDeleted:
			b.Deleted = isTrue(value)
		case csvStatus:
			if value == "archive" {
				tags = append(tags, TagArchived)
			}
		}
	}
	b.Tags = append(b.Tags, tags...)
	if b.Visibility == 0 {
		b.Visibility = private
	}
	switch {
	case empty:
		return Bookmark{}, errEmptyRow
	case b.URL == "":
		return b, errNoURL
	}
	return b, nil
}

// tags returns the names in a cell: separated by commas, in the CSV of Pocket by vertical
// bars, in that of Instapaper a JSON array.
func (h csvHeader) tags(value string) []string {
	var names []string
	if strings.HasPrefix(value, "[") && json.Unmarshal([]byte(value), &names) == nil {
		return splitTags(strings.Join(names, ","))
	}
	if h.pocket {
		value = strings.ReplaceAll(value, "|", ",")
	}
	return splitTags(value)
}

// splitPath returns the names in the path of a folder. Waymark and Raindrop separate
// them by " / ", so that names can contain a slash; others by a slash.
func splitPath(value string, maxDepth int) []string {
	separator := "/"
	if strings.Contains(value, waymark.FolderSeparator) {
		separator = waymark.FolderSeparator
	}
	var path []string
	for name := range strings.SplitSeq(value, separator) {
		if name = cleanLine(name); name != "" {
			path = append(path, name)
		}
	}
	return path[:min(len(path), maxDepth)]
}

// parseVisibility returns the visibility with a name, or with a number as LinkAce writes it. It
// returns zero for other texts.
func parseVisibility(value string) waymark.Visibility {
	if v, err := waymark.ParseVisibility(strings.ToLower(value)); err == nil {
		return v
	}
	if n, err := strconv.Atoi(value); err == nil && waymark.Visibility(n).Valid() {
		return waymark.Visibility(n)
	}
	return 0
}

// isTrue reports whether a text means yes. So does a time, in a column such as deleted_at. Programs
// with PostgreSQL write t and f.
func isTrue(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "0", "no", "false", "n", "f", "null":
		return false
	}
	return true
}

// budgetReader returns errBudget after left bytes. The caller sets left before it reads each part
// of the file.
type budgetReader struct {
	r     *bufio.Reader
	left  int
	ended bool // the file has no more bytes
	last  byte // the last byte so far that is not white space
}

var errBudget = errors.New("more bytes than allowed")

// Read implements io.Reader.
func (b *budgetReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBudget
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	b.ended = errors.Is(err, io.EOF)
	if text := bytes.TrimRight(p[:n], " \t\r\n"); len(text) > 0 {
		b.last = text[len(text)-1]
	}
	return n, err
}
