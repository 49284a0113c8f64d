package bookmarks

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// readTable reads CSV, and tables with other separators. A row can go on in the next lines inside
// quotation marks.
func readTable(in input, yield yieldFunc) error {
	head, err := peek(in.text)
	if err != nil {
		return err
	}
	t := &tableReader{input: in, yield: yield}
	t.table, _ = findTable(head)
	for {
		line, err := readLine(in.text, in.limits.Bookmark)
		atEnd := errors.Is(err, io.EOF)
		t.number++
		switch {
		case errors.Is(err, errBudget):
			err = t.rowTooLong()
		case err != nil && !atEnd:
			return fmt.Errorf("line %d: read the file: %w", t.number, err)
		case t.number <= t.table.skip:
			err = nil
		default:
			err = t.line(string(line))
		}
		if err == nil && atEnd && t.row.open {
			err = t.noEnd()
		}
		if err != nil {
			return err
		}
		if atEnd {
			return t.unused.report(t.last, yield)
		}
	}
}

// tableReader is the state of readTable.
type tableReader struct {
	input
	yield  yieldFunc
	table  table
	unused unusedNames

	number int // of the last line
	start  int // the number of the first line of the row
	row    rowReader
	size   int // of the row, in bytes
	last   int // the number of the first line of the last row with a bookmark or an error
}

// line adds a line to the row. If the line is a whole row itself, the row before lacks a quotation mark.
func (t *tableReader) line(line string) error {
	if t.row.open && t.table.isRow(line) {
		t.row.open = false
		if err := t.noEnd(); err != nil {
			return err
		}
	}
	if !t.row.open {
		t.start, t.size, t.row = t.number, 0, rowReader{comma: t.table.comma}
	}
	if t.size += len(line) + 1; t.size > t.limits.Bookmark {
		return t.rowTooLong()
	}
	if t.row.add(line); t.row.open {
		return nil
	}
	return t.readRow(t.row.cells)
}

// noEnd reports that the current row does not end.
func (t *tableReader) noEnd() error {
	return t.fail(noEnd(t.start, "a closing quote seems to be missing"))
}

// rowTooLong reports the current row, and ends it.
func (t *tableReader) rowTooLong() error {
	if !t.row.open {
		t.start = t.number
	}
	t.row.open = false
	return t.fail(rowTooLong(t.start, t.limits.Bookmark, "the row"))
}

// fail yields the error of the current row.
func (t *tableReader) fail(err *RowError) error {
	t.last = t.start
	return t.yield(Bookmark{}, err)
}

// readRow yields the bookmark of a row.
func (t *tableReader) readRow(row []string) error {
	r := &record{line: t.start, isTable: true}
	isEmpty := true
	for i, cell := range row {
		value := restoreFormula(cell)
		if strings.TrimSpace(value) != "" {
			isEmpty = false
			if i >= len(t.table.columns) {
				return t.fail(tooManyCells(t.start, len(row), len(t.table.columns)))
			}
		}
		if i < len(t.table.columns) && t.table.columns[i] != "" {
			r.set(t.table.columns[i], value)
		}
	}
	if isEmpty {
		return nil
	}
	t.last = t.start
	b := r.bookmark(t.limits)
	urls := []string{b.URL}
	if !r.mentions("visibility") { // Waymark's own file has each URL as it is
		var title string
		urls, title = cellURLs(b.URL)
		b.Title = cmp.Or(b.Title, title)
	}
	if b.URL == "" {
		if i := slices.IndexFunc(row, func(cell string) bool { return nextURL(cell) >= 0 }); i >= 0 {
			return t.yield(Bookmark{}, noURL(t.start, "the row has no URL in its column, but in another: %.200q", row[i]))
		}
		return t.yield(Bookmark{}, noURL(t.start, "the row has no URL (title %.200q)", b.Title))
	}
	for _, name := range r.names(listNames) {
		if path := splitListPath(name, t.limits.Depth); len(path) > 0 {
			b.Folders = append(b.Folders, path)
		}
	}
	t.unused.add(r.unused...)
	for _, b.URL = range urls {
		if err := t.yield(b, nil); err != nil {
			return err
		}
	}
	return nil
}

// cellURLs returns the URLs in a cell: the whole cell, unless it has markup, a separator at its end or
// several URLs. title is that of a link in markup.
func cellURLs(cell string) (urls []string, title string) {
	start := nextURL(cell)
	_, _, hasScheme := waymark.SplitScheme(cell)
	links, _ := findLinks(cell)
	isPlain := !strings.ContainsAny(cell, `<>"`) && len(links) < 2 && (start == 0 || hasScheme)
	if isPlain && !strings.Contains(cell, "](") || len(links) == 0 {
		return []string{strings.TrimRight(cell, ",; ")}, ""
	}
	for _, link := range links {
		urls = append(urls, cleanURL(link.url))
	}
	return urls, cleanTitle(links[0].title)
}
