package bookmarks

import "strings"

// noteSeparator is the line between the notes of a bookmark in one cell. A line of a note that
// looks like it gets a backslash in front.
const noteSeparator = "---"

// joinCSVNotes returns the texts of notes in one cell.
func joinCSVNotes(notes []Note) string {
	var lines []string
	for i, note := range notes {
		if i > 0 {
			lines = append(lines, noteSeparator)
		}
		// Reading the file changes the other line breaks to \n, too.
		for line := range strings.SplitSeq(textReplacer.Replace(note.Text), "\n") {
			if strings.TrimLeft(line, `\`) == noteSeparator {
				line = `\` + line
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// splitCSVNotes returns the notes of joinCSVNotes. Empty ones are left out.
func splitCSVNotes(cell string) []Note {
	var notes []Note
	var lines []string
	add := func() {
		if text := cleanText(strings.Join(lines, "\n")); text != "" {
			notes = append(notes, Note{Text: text})
		}
		lines = nil
	}
	for line := range strings.SplitSeq(cell, "\n") {
		switch {
		case line == noteSeparator:
			add()
			continue
		case strings.TrimLeft(line, `\`) == noteSeparator:
			line = line[1:]
		}
		lines = append(lines, line)
	}
	add()
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
