package article

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Number returns HTML that Sanitize has returned, with the ids p-1, p-2 and so on of its blocks, in the order of the text.
func Number(cleaned string) string {
	var b strings.Builder
	b.Grow(len(cleaned) + len(cleaned)/16)
	z := html.NewTokenizer(strings.NewReader(cleaned))
	n := 0
	for {
		kind := z.Next()
		raw := string(z.Raw())
		if kind == html.ErrorToken {
			return b.String() + raw
		}
		if kind == html.StartTagToken {
			if tag, _ := z.TagName(); blocks[atom.Lookup(tag)] {
				n++
				raw = fmt.Sprintf(`%s id="p-%d">`, strings.TrimSuffix(raw, ">"), n)
			}
		}
		b.WriteString(raw)
	}
}
