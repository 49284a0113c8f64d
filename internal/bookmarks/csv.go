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
	for range t.table.skip {
		if _, err := readLine(in.text, in.limits.Bookmark); err != nil && !errors.Is(err, errBudget) {
			return fmt.Errorf("read the header: %w", err)
		}
	}
	text := &limitedText{r: in.text}
	for rows := newCSV(text, t.table.comma); ; {
		text.left = maxRow * in.limits.Bookmark
		row, err := rows.Read()
		if len(row) > 0 {
			line, _ := rows.FieldPos(0)
			t.line = t.table.skip + line
		}
		switch {
		case errors.Is(err, io.EOF):
			return t.unused.report(max(t.line, 1), yield)
		case errors.Is(err, errBudget):
			return fmt.Errorf("line %d: the row after it is longer than %d bytes: the %d URLs in the rest of the file are not read",
				t.line, maxRow*in.limits.Bookmark, countURLs(in.text))
		case err != nil:
			return fmt.Errorf("line %d: read the file: %w", t.line, err)
		}
		if err := t.readRows(row); err != nil {
			return err
		}
	}
}

// maxRow is how long a row can be, in multiples of Limits.Bookmark. Some have the text of the page.
const maxRow = 4

// tableReader is the state of readTable.
type tableReader struct {
	input
	yield  yieldFunc
	table  table
	unused unusedNames
	line   int // of the row
}

// readRows reads a row, and the rows inside its cells: a quotation mark before them lacks its end.
func (t *tableReader) readRows(row []string) error {
	isURL := func(name string) bool { return slices.Contains(urlNames, knownName(name)) }
	column := slices.IndexFunc(t.table.columns, isURL)
	var inside [][]string
	for i, cell := range row {
		first, lines, _ := strings.Cut(cell, "\n")
		for line := range strings.Lines(lines) {
			cells := splitRow(line, t.table.comma)
			if len(cells) > 1 && len(cells) == len(t.table.columns) && isWebURL(cells[column]) {
				inside = append(inside, cells)
			}
		}
		if len(inside) > 0 {
			row = append(row[:i:i], first)
			break
		}
	}
	if err := t.readRow(row); err != nil || inside == nil {
		return err
	}
	text := fmt.Sprintf("a closing quote seems to be missing: only the %d lines after it that have all cells are read", len(inside))
	if err := t.yield(Bookmark{}, noEnd(t.line, text)); err != nil {
		return err
	}
	for _, cells := range inside {
		if err := t.readRow(cells); err != nil {
			return err
		}
	}
	return nil
}

// readRow yields the bookmark of a row.
func (t *tableReader) readRow(row []string) error {
	r := &record{line: t.line, isTable: true}
	isEmpty := true
	for i, cell := range row {
		value := restoreFormula(cell)
		if strings.TrimSpace(value) != "" {
			isEmpty = false
			if i < len(t.table.columns) && t.table.columns[i] == videoColumn && nextURL(value) < 0 {
				value = videoURL + strings.TrimSpace(value)
			}
			if i >= len(t.table.columns) {
				return t.yield(Bookmark{}, tooManyCells(t.line, len(row), len(t.table.columns)))
			}
		}
		if i < len(t.table.columns) && t.table.columns[i] != "" {
			r.set(t.table.columns[i], value)
		}
	}
	if isEmpty {
		return nil
	}
	b := r.bookmark(t.limits)
	urls := []string{b.URL}
	if !r.mentions("visibility") { // Waymark's own file has each URL as it is
		var title string
		urls, title = cellURLs(b.URL)
		b.Title = cmp.Or(b.Title, title)
	}
	if b.URL == "" {
		if i := slices.IndexFunc(row, func(cell string) bool { return nextURL(cell) >= 0 }); i >= 0 {
			return t.yield(Bookmark{}, noURL(t.line, "the row has no URL in its column, but in another: %.200q", row[i]))
		}
		return t.yield(Bookmark{}, noURL(t.line, "the row has no URL (title %.200q)", b.Title))
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
