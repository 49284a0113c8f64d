package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the plain text of HTML that Sanitize has returned. Blocks are separated by an empty
// line, items of lists and rows of tables by a line break. It reads the tags one by one: a parsed page
// needs a hundred times its size in memory.
func Text(cleaned string) string {
	var t textWriter
	z := html.NewTokenizer(strings.NewReader(cleaned))
	pre := 0           // the number of open <pre> elements
	beginsPre := false // the last token was a <pre>
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return strings.TrimSpace(t.b.String())
		case html.TextToken:
			text := string(z.Text())
			if beginsPre {
				text = strings.TrimPrefix(text, "\n") // as parsers do
			}
			t.text(text, pre > 0)
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			tag, _ := z.TagName()
			name := atom.Lookup(tag)
			t.tag(name, kind == html.EndTagToken)
			switch {
			case name == atom.Pre && kind == html.StartTagToken:
				pre++
			case name == atom.Pre:
				pre--
			}
			beginsPre = name == atom.Pre && kind == html.StartTagToken
			continue
		}
		beginsPre = false
	}
}

// textWriter writes plain text.
type textWriter struct {
	b       strings.Builder
	newline int // the number of line breaks to write before the next text
}

// tag writes what stands for a start tag or an end tag.
func (t *textWriter) tag(name atom.Atom, end bool) {
	switch {
	case name == atom.Br || name == atom.Li || name == atom.Tr || name == atom.Dt || name == atom.Dd:
		t.newline = max(t.newline, 1)
	case name == atom.Td || name == atom.Th:
		if !end {
			t.text(" ", false)
		}
	case blocks[name]:
		t.newline = max(t.newline, 2)
	}
}

func (t *textWriter) text(s string, pre bool) {
	if t.newline > 0 && !pre {
		s = strings.TrimLeft(s, " \n\t")
	}
	if s == "" {
		return
	}
	if t.newline > 0 && t.b.Len() > 0 {
		t.b.WriteString(strings.Repeat("\n", t.newline))
	}
	t.newline = 0
	t.b.WriteString(s)
}
