package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"waymark/internal/waymark"
)

// table prints aligned columns that are at least two spaces apart, so that scripts can
// split them even if a name contains a space.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer, headings ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(headings...)
	return t
}

// row adds a row. Errors are returned by Flush.
func (t table) row(cells ...string) {
	fmt.Fprintln(t, strings.Join(cells, "\t"))
}

// printJSONList prints a list as an indented JSON array, [] if it is empty.
func printJSONList[T any](w io.Writer, list []T) error {
	if list == nil {
		list = []T{}
	}
	return printJSON(w, list)
}

// printJSON prints a value as indented JSON.
func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// formatTime formats t as RFC 3339 in UTC, to the second.
func formatTime(t waymark.Time) string {
	if t == 0 {
		return "never"
	}
	return t.Time().Format(time.RFC3339)
}

// jsonTime returns t as formatTime does, nil for never.
func jsonTime(t waymark.Time) *string {
	if t == 0 {
		return nil
	}
	text := formatTime(t)
	return &text
}

// countOf returns a number with a noun, such as "1 link" or "12 links".
func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
