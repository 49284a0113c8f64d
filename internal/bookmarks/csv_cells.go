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

// splitQuoted returns the names in a text that separates them with commas. As in CSV, a name can be in
// quotation marks; a comma in it becomes a space, because no name of Waymark has one.
func splitQuoted(s string) []string {
	if n := strings.Count(s, `"`); n == 0 || n%2 == 1 {
		return strings.Split(s, ",")
	}
	names := splitRow(strings.ReplaceAll(cleanLine(s), `, "`, `,"`), ',')
	for i, name := range names {
		names[i] = strings.ReplaceAll(strings.ReplaceAll(name, ", ", " "), ",", " ")
	}
	return names
}

// joinQuoted returns the text from which splitQuoted gets names without commas.
func joinQuoted(names []string) string {
	quoted := slices.Clone(names)
	for i, name := range quoted {
		if strings.Contains(name, `"`) {
			quoted[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ",")
}
