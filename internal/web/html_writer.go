package web

import (
	"html/template"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// htmlWriter writes the parts of pages that have many small values: templates take ten times
// as long for them. Its pieces have the type template.HTML, so that texts do not compile
// unless they are escaped.
type htmlWriter struct{ html strings.Builder }

// add appends pieces of HTML.
func (w *htmlWriter) add(pieces ...template.HTML) {
	for _, piece := range pieces {
		w.html.WriteString(string(piece))
	}
}

// written returns all that was added.
func (w *htmlWriter) written() template.HTML {
	return template.HTML(w.html.String()) //nolint:gosec // all pieces are HTML
}

// escaped returns a text as HTML, for content and for values of attributes in quotation marks.
func escaped(text string) template.HTML {
	return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
}

// number returns a number as HTML.
func number[T int | int64 | waymark.LinkID](n T) template.HTML {
	return template.HTML(strconv.FormatInt(int64(n), 10)) //nolint:gosec // it has only digits
}
