package transfer

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"time"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// writeMarkdown writes the marked passages of a collection as quotations, below the titles of their links.
func writeMarkdown(c *store.Collection, w io.Writer) error {
	last := waymark.LinkID(0)
	for p, err := range c.VisiblePassages() {
		if err != nil {
			return err
		}
		if p.Link != last {
			if last != 0 {
				fmt.Fprint(w, "\n") //nolint:errcheck // the buffer keeps the error
			}
			title := strings.Join(strings.Fields(p.Title), " ")
			if title == "" {
				title = p.URL
			}
			fmt.Fprintf(w, "## [%s](<%s>)\n", markdownText(title), strings.NewReplacer("<", "%3C", ">", "%3E").Replace(p.URL))
			last = p.Link
		}
		fmt.Fprintf(w, "\n> %s\n", strings.ReplaceAll(markdownText(p.Exact), "\n", "\n> "))
		if p.Note != "" {
			fmt.Fprintf(w, "\n%s\n", p.Note)
		}
	}
	return nil
}

// markdownText returns a text without meaning in Markdown.
func markdownText(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>#+-|!~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// writeReadwise writes the marked passages of a collection in the columns that Readwise imports, see
// https://docs.readwise.io/readwise/docs/importing-highlights/csv.
func writeReadwise(c *store.Collection, w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"Highlight", "Title", "Author", "URL", "Note", "Location", "Date"}); err != nil {
		return err
	}
	for p, err := range c.VisiblePassages() {
		if err != nil {
			return err
		}
		row := []string{p.Exact, p.Title, p.Byline, p.URL, p.Note, fmt.Sprint(p.Position), p.CreatedAt.Time().Format(time.DateTime)}
		for i, cell := range row {
			row[i] = bookmarks.NeutralizeFormula(cell)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
