package bookmarks

import (
	"regexp"
	"slices"
	"strings"
)

// A line with noteSeparator is between the notes of a bookmark in one cell. A line of a note that looks like it gets a
// backslash in front.
var (
	noteSeparator    = regexp.MustCompile(`(?m)^---$`)
	separatorLine    = regexp.MustCompile(`(?m)^(\\*---)$`)
	escapedSeparator = regexp.MustCompile(`(?m)^\\(\\*---)$`)
)

// joinCSVNotes returns the texts of notes in one cell.
func joinCSVNotes(notes []Note) string {
	texts := make([]string, len(notes))
	for i, note := range notes {
		// Reading the file changes the other line breaks to \n, too.
		texts[i] = separatorLine.ReplaceAllString(textReplacer.Replace(note.Text), `\$1`)
	}
	return strings.Join(texts, "\n---\n")
}

// splitCSVNotes returns the notes of joinCSVNotes. Empty ones are left out.
func splitCSVNotes(cell string) (notes []Note) {
	for _, text := range noteSeparator.Split(cell, -1) {
		if text = cleanText(escapedSeparator.ReplaceAllString(text, "$1")); text != "" {
			notes = append(notes, Note{Text: text})
		}
	}
	return notes
}

// neutralizeFormula returns the text of a cell with an apostrophe in front if a spreadsheet
// would take it for a formula, and so execute what a stranger put into a title. So that
// restoreFormula is its inverse, a formula that has apostrophes in front already gets one more.
func neutralizeFormula(text string) string {
	if isFormula(text) {
		return "'" + text
	}
	return text
}

// restoreFormula returns the text that neutralizeFormula got.
func restoreFormula(text string) string {
	if rest, found := strings.CutPrefix(text, "'"); found && isFormula(rest) {
		return rest
	}
	return text
}

func isFormula(text string) bool {
	text = strings.TrimLeft(text, "'")
	return text != "" && strings.IndexByte("=+-@\t\r\n", text[0]) >= 0
}

// isOpen reports whether quotation marks are open at the end of a line.
func isOpen(line string, comma rune, open bool) bool {
	for line != "" || open {
		if !open {
			if !strings.HasPrefix(line, `"`) {
				_, line, _ = strings.Cut(line, string(comma))
				continue
			}
			line, open = line[1:], true
		}
		i := strings.IndexByte(line, '"')
		if i < 0 {
			return true
		}
		line = line[i+1:]
		switch {
		case strings.HasPrefix(line, `"`): // a quotation mark in the text
			line = line[1:]
		case line == "":
			return false
		case strings.HasPrefix(line, string(comma)):
			line, open = line[1:], false
		}
	}
	return false
}

// splitRow returns the cells of a row. Quotation marks that do not surround a cell belong to it.
func splitRow(row string, comma rune) []string {
	var cells []string
	for {
		if !strings.HasPrefix(row, `"`) {
			cell, rest, found := strings.Cut(row, string(comma))
			cells = append(cells, cell)
			if row = rest; !found {
				return cells
			}
			continue
		}
		var cell strings.Builder
		row = row[1:]
		for closed := false; !closed; {
			text, rest, found := strings.Cut(row, `"`)
			cell.WriteString(text)
			switch row = rest; {
			case strings.HasPrefix(row, `"`):
				cell.WriteByte('"')
				row = row[1:]
			case !found, row == "":
				return append(cells, cell.String())
			case strings.HasPrefix(row, string(comma)):
				row, closed = row[1:], true
			default:
				cell.WriteByte('"')
			}
		}
		cells = append(cells, cell.String())
	}
}

// splitQuoted returns the names in a text that separates them with commas. As in CSV, a name can be in
// quotation marks; a comma in it becomes a space, because no name of Waymark has one.
func splitQuoted(s string) []string {
	s = strings.ReplaceAll(s, `, "`, `,"`)
	if !strings.Contains(s, `"`) || isOpen(s, ',', false) {
		return strings.Split(s, ",")
	}
	names := splitRow(s, ',')
	for i, name := range names {
		names[i] = strings.ReplaceAll(strings.ReplaceAll(name, ", ", " "), ",", " ")
	}
	return names
}

// joinQuoted returns the text from which splitQuoted gets names without commas.
func joinQuoted(names []string) string {
	quoted := slices.Clone(names)
	for i, name := range quoted {
		if strings.HasPrefix(name, `"`) {
			quoted[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ",")
}
