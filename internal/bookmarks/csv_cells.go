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

// NeutralizeFormula returns the text of a cell with an apostrophe in front if a spreadsheet
// would take it for a formula, and so execute what a stranger put into a title. So that
// restoreFormula is its inverse, a formula that has apostrophes in front already gets one more.
func NeutralizeFormula(text string) string {
	if isFormula(text) {
		return "'" + text
	}
	return text
}

// restoreFormula returns the text that NeutralizeFormula got.
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

// rowReader splits the lines of a row into cells. Quotation marks that do not surround a cell belong to it.
type rowReader struct {
	comma rune
	cells []string
	cell  strings.Builder // that has not ended
	open  bool            // inside quotation marks: the row goes on in the next line
}

// add adds a line.
func (r *rowReader) add(line string) {
	if r.open {
		r.cell.WriteByte('\n')
	}
	for {
		if !r.open {
			rest, isQuoted := strings.CutPrefix(line, `"`)
			if !isQuoted {
				cell, next, found := strings.Cut(line, string(r.comma))
				if r.cells = append(r.cells, cell); !found {
					return
				}
				line = next
				continue
			}
			line, r.open = rest, true
		}
		text, rest, found := strings.Cut(line, `"`)
		r.cell.WriteString(text)
		if !found {
			return
		}
		next, isEnd := strings.CutPrefix(rest, string(r.comma))
		switch {
		case strings.HasPrefix(rest, `"`): // a quotation mark in the text
			r.cell.WriteByte('"')
			line = rest[1:]
		case isEnd, rest == "":
			r.cells = append(r.cells, r.cell.String())
			r.cell.Reset()
			if r.open = false; rest == "" {
				return
			}
			line = next
		default:
			r.cell.WriteByte('"')
			line = rest
		}
	}
}

// splitRow returns the cells of a line, and whether the last one does not end.
func splitRow(line string, comma rune) (cells []string, isOpen bool) {
	r := rowReader{comma: comma}
	if r.add(line); r.open {
		r.cells = append(r.cells, r.cell.String())
	}
	return r.cells, r.open
}

// splitQuoted returns the names in a text that separates them with commas. As in CSV, a name can be in
// quotation marks; a comma in it becomes a space, because no name of Waymark has one.
func splitQuoted(s string) []string {
	s = strings.ReplaceAll(s, `, "`, `,"`)
	names, isOpen := splitRow(s, ',')
	if !strings.Contains(s, `"`) || isOpen {
		return strings.Split(s, ",")
	}
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
