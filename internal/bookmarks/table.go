package bookmarks

import (
	"bytes"
	"fmt"
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

// commas are the separators of cells. Tables of Markdown, whose lines begin with |, are read as lists.
var commas = []rune{',', ';', '\t', '|'}

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

// excelSeparator is a first line of Excel, which names the separator.
var excelSeparator = regexp.MustCompile(`(?i)^sep=.$`)

// parseHeader returns the names of the columns in a line, if there is one with URLs. After the first
// line, another column must be known, too.
func parseHeader(line string, isFirst bool) (columns []string, comma rune, found bool) {
	if nextURL(line) >= 0 || strings.HasPrefix(line, "|") {
		return nil, 0, false
	}
	for _, comma := range commas {
		columns, _ := splitRow(line, comma)
		known, hasURL := 0, false
		for i, column := range columns {
			columns[i] = strings.TrimSpace(column)
			name := knownName(column)
			hasURL = hasURL || slices.Contains(urlNames, name)
			if name != "" {
				known++
			}
		}
		if hasURL && (isFirst || known > 1) {
			return columns, comma, true
		}
	}
	return nil, 0, false
}

// findRows returns a table whose header has no name for URLs that is known, or that has none. Its first column of texts
// has titles, one with dates the dates, and a second one with short texts the tags. Lines before the first URL are skipped.
func findRows(head []byte) (table, bool) {
	const maxRows = 20
	for _, comma := range []rune{'\t', ';', ','} {
		var rows [][]string
		skip, number := 0, 0
		for line := range bytes.Lines(head) {
			number++
			text := strings.TrimRight(string(line), "\r\n")
			isWhole := len(line) > len(text) || len(head) < sniffSize
			row, isOpen := splitRow(text, comma)
			switch {
			case len(rows) == 0 && nextURL(text) < 0:
				skip = number
			case text != "" && isWhole && !isOpen && len(rows) < maxRows:
				rows = append(rows, row)
			}
		}
		if columns, found := guessColumns(rows); found {
			return table{comma, columns, skip}, true
		}
	}
	return table{}, false
}

// guessColumns returns what the columns of rows contain.
func guessColumns(rows [][]string) (columns []string, found bool) {
	column := func(i int, is func(string) bool) bool {
		return !slices.ContainsFunc(rows, func(row []string) bool { return i < len(row) && !is(row[i]) })
	}
	width, single := 0, 0
	for _, row := range rows {
		width = max(width, len(row))
		if len(row) < 2 {
			single++
		}
	}
	if 2*single >= len(rows) { // no rows, or a list, with separators in some lines
		return nil, false
	}
	isURLCell := func(s string) bool {
		return isWebURL(strings.TrimSpace(s)) && !strings.ContainsAny(strings.TrimSpace(s), " \t\"<>")
	}
	isText, isTime := 0, func(s string) bool { return len(s) >= len("20060102") && parseTime(s) != 0 }
	hasURL, hasTime, hasWords := false, false, false
	for i := range width {
		name := fmt.Sprintf("column %d", i+1)
		switch {
		case column(i, isURLCell) && !hasURL:
			name, hasURL = "url", true
		case column(i, isTime):
			if !hasTime {
				name, hasTime = "created", true
			}
		case column(i, func(s string) bool { return urlPart.MatchString(s) }):
		default:
			hasWords = hasWords || column(i, func(s string) bool { return nextURL(s) < 0 })
			if isText++; isText == 1 {
				name = "title"
			} else if isText == 2 && column(i, shortNames.MatchString) {
				name = "tags"
			}
		}
		columns = append(columns, name)
	}
	return columns, hasURL && (hasWords || hasTime)
}

var (
	// urlPart is what follows a comma or semicolon inside a URL.
	urlPart = regexp.MustCompile(`^[^\s"]*[/=&?%@.\d][^\s"]*$`)
	// shortNames are names of tags, each of at most three words.
	shortNames = regexp.MustCompile(`^\s*(?:[^\s,;|]{1,30}(?: [^\s,;|]{1,30}){0,2}(?:[,;|] ?|$))*\s*$`)
)

// isRow reports whether a line is a whole row with a URL.
func (t table) isRow(line string) bool {
	column := slices.IndexFunc(t.columns, func(name string) bool { return slices.Contains(urlNames, knownName(name)) })
	if nextURL(line) < 0 || column < 0 || strings.Count(line, `"`)%2 == 1 {
		return false
	}
	cells, isOpen := splitRow(line, t.comma)
	return !isOpen && len(cells) == len(t.columns) && isWebURL(cells[column])
}
