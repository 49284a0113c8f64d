package bookmarks

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// csvHeader says how the rows of a CSV file are read. It comes from the first row.
type csvHeader struct {
	comma    rune
	columns  []string // as the file names them
	sepLine  bool     // the first line is sep=; or another separator, as Excel writes it
	readable bool     // there is a column of URLs
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
		h.comma, h.columns = comma, cells
		h.readable = slices.ContainsFunc(cells, func(cell string) bool { return slices.Contains(urlNames, normalName(cell)) })
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
	var unused unusedNames
	for first := true; ; first = false {
		text.left = in.limits.Bookmark
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return unused.report(lastLine, yield)
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
		if err := header.readRow(row, line, in.limits, &unused, yield); err != nil {
			return err
		}
	}
}

var (
	errEmptyRow     = errors.New("the row is empty")
	errTooManyCells = errors.New("the row has more cells than the header")
)

// readRow yields the bookmark of a row.
func (h csvHeader) readRow(row []string, line int, limits Limits, unused *unusedNames, yield yieldFunc) error {
	r, err := h.record(row, line)
	switch {
	case errors.Is(err, errEmptyRow):
		return nil
	case errors.Is(err, errTooManyCells):
		return yield(Bookmark{}, tooManyCells(line, len(row), len(h.columns)))
	}
	b := r.bookmark(limits)
	if b.URL == "" {
		return yield(Bookmark{}, noURL(line, "the row has no URL (title %.200q)", b.Title))
	}
	for _, name := range r.names(listNames) {
		if name = cleanLine(name); name != "" {
			b.Folders = append(b.Folders, []string{name})
		}
	}
	unused.add(r.unused...)
	return yield(b, nil)
}

// record returns a row with the names of its columns.
func (h csvHeader) record(row []string, line int) (*record, error) {
	r := &record{line: line, isTable: true}
	empty := true
	for i, cell := range row {
		value := restoreFormula(cell)
		if strings.TrimSpace(value) != "" {
			empty = false
			if i >= len(h.columns) {
				return nil, errTooManyCells
			}
		}
		if i < len(h.columns) {
			r.set(h.columns[i], value)
		}
	}
	if empty {
		return nil, errEmptyRow
	}
	return r, nil
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
