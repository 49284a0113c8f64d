package bookmarks

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// table says how the rows of a table are read.
type table struct {
	comma   rune
	columns []string // "" for a column that is not read
	skip    int      // the number of lines before the first row of data
}

// maxHeaderLine is the last line that can be a header. Programs write titles before it.
const maxHeaderLine = 20

// findTable returns the table that begins with head: one with a header, or with a URL in the same column
// of each row.
func findTable(head []byte) (table, bool) {
	number := 0
	for line := range bytes.Lines(head[:min(len(head), sniffSize/2)]) {
		number++
		text := strings.TrimRight(string(line), "\r\n")
		if number == 1 && excelSeparator.MatchString(text) {
			continue
		}
		if columns, comma, found := parseHeader(text, number == 1); found {
			return table{comma, columns, number}, true
		}
		if number == maxHeaderLine || nextURL(text) >= 0 {
			break
		}
	}
	return findRows(head)
}

// videoColumn stands for the column "Video ID" in playlists of YouTube, whose URLs begin with videoURL.
const (
	videoColumn = "Video: URL"
	videoURL    = "https://www.youtube.com/watch?v="
)

// excelSeparator is a first line of Excel, which names the separator.
var excelSeparator = regexp.MustCompile(`(?i)^sep=.$`)

// parseHeader returns the names of the columns in a line, if there is one with URLs. After the first
// line, another column must be known, too. Tables of Markdown, whose lines begin with |, are read as lists.
func parseHeader(line string, isFirst bool) (columns []string, comma rune, found bool) {
	if nextURL(line) >= 0 || strings.HasPrefix(line, "|") {
		return nil, 0, false
	}
	for _, comma := range []rune{',', ';', '\t', '|'} {
		columns := splitRow(line, comma)
		known, hasURL := 0, false
		for i, column := range columns {
			columns[i] = strings.TrimSpace(column)
			name := knownName(column)
			hasURL = hasURL || slices.Contains(urlNames, name)
			if name != "" {
				known++
			}
		}
		if i := slices.IndexFunc(columns, func(name string) bool { return normalName(name) == "videoid" }); !hasURL && i >= 0 {
			columns[i], hasURL = videoColumn, true
		}
		if hasURL && (isFirst || known > 1) {
			return columns, comma, true
		}
	}
	return nil, 0, false
}

// findRows returns a table whose header has no name for URLs that is known, or that has none. Lines before the first URL are
// skipped.
func findRows(head []byte) (table, bool) {
	const maxRows = 20
	lines := strings.Split(string(head), "\n")
	if len(head) == sniffSize {
		lines = lines[:len(lines)-1] // the last one is not whole
	}
	skip := max(0, slices.IndexFunc(lines, func(line string) bool { return nextURL(line) >= 0 }))
	for _, comma := range []rune{'\t', ';', ','} {
		var rows [][]string
		for _, line := range lines[skip:min(len(lines), skip+maxRows)] {
			if row := splitRow(line, comma); len(row) > 0 {
				rows = append(rows, row)
			}
		}
		if columns, found := guessColumns(rows); found {
			return table{comma, columns, skip}, true
		}
	}
	return table{}, false
}

// guessColumns returns what the columns of rows contain: URLs in one, dates in another, titles in the first other one.
func guessColumns(rows [][]string) (columns []string, found bool) {
	all := func(i int, is func(string) bool) bool {
		return !slices.ContainsFunc(rows, func(row []string) bool { return i >= len(row) || row[i] != "" && !is(row[i]) })
	}
	isTime := func(s string) bool { return len(s) >= len("20060102") && parseTime(s) != 0 }
	if len(rows) == 0 || slices.ContainsFunc(rows, func(row []string) bool { return len(row) < 2 }) {
		return nil, false
	}
	for i := range rows[0] {
		name := fmt.Sprintf("column %d", i+1)
		switch {
		case all(i, urlCell.MatchString) && !slices.Contains(columns, "url"):
			name = "url"
		case all(i, isTime) && !slices.Contains(columns, "created"):
			name = "created"
		case all(i, urlPart.MatchString):
		case !slices.Contains(columns, "title"):
			name = "title"
		}
		columns = append(columns, name)
	}
	return columns, slices.Contains(columns, "url") && (slices.Contains(columns, "title") || slices.Contains(columns, "created"))
}

var (
	urlCell = regexp.MustCompile(`(?i)^\s*https?://[^\s"<>]+\s*$`)
	// urlPart is what follows a comma or semicolon inside a URL.
	urlPart = regexp.MustCompile(`^[^\s"]*[/=&?%@.\d][^\s"]*$`)
)

// newCSV returns a reader of tables. Quotation marks that do not surround a cell belong to it.
func newCSV(text io.Reader, comma rune) *csv.Reader {
	r := csv.NewReader(text)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
	return r
}

// splitRow returns the cells of a line.
func splitRow(line string, comma rune) []string {
	cells, _ := newCSV(strings.NewReader(line), comma).Read() // with LazyQuotes, there is no other error than io.EOF
	return cells
}
