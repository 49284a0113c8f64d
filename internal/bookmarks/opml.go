package bookmarks

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// readOPML reads outlines: those with a URL are bookmarks, the others folders. For a feed
// it takes the URL of the site.
func readOPML(in input, yield yieldFunc) error {
	r := &opmlReader{markupReader: markupReader{input: in, yield: yield, line: 1, element: "outline"}}
	return r.read(r)
}

// opmlReader is the state of readOPML.
type opmlReader struct {
	markupReader
	open    []string // the names of the open outlines, "" for those that are not folders
	size    int      // the length of the names
	ignored int      // the number of open outlines below the limit of the depth
}

func (r *opmlReader) addText([]byte) {}

func (r *opmlReader) flush() error { return nil }

func (r *opmlReader) startTag(name string, selfClosing bool, z *html.Tokenizer) error {
	if name != "outline" {
		return nil
	}
	attributes := map[string]string{}
	for more := true; more; {
		var key, value []byte
		if key, value, more = z.TagAttr(); len(key) > 0 {
			attributes[string(key)] = string(value)
		}
	}
	first := func(names ...string) string {
		for _, name := range names {
			if value := strings.TrimSpace(attributes[name]); value != "" {
				return value
			}
		}
		return ""
	}
	title, url := cleanLine(first("title", "text")), cleanURL(first("htmlurl", "url", "xmlurl"))
	if url != "" {
		b := Bookmark{
			Line:        r.line,
			URL:         url,
			Title:       title,
			Description: cleanText(first("description", "_note")),
		}
		b.CreatedAt = b.date(first("created", "dateadded"))
		if path := slices.DeleteFunc(slices.Clone(r.open), func(name string) bool { return name == "" }); len(path) > 0 {
			b.Folders = [][]string{path}
		}
		for _, tag := range splitTags(attributes["category"]) { // "/Newspapers/Daily,press"
			if tag = strings.Trim(tag, "/ "); tag != "" {
				b.Tags = append(b.Tags, tag)
			}
		}
		if err := r.yield(b, nil); err != nil {
			return err
		}
		title = ""
	}
	if selfClosing {
		return nil
	}
	if len(r.open) >= r.limits.Depth || r.size+len(title) > r.limits.Value {
		if r.ignored++; r.ignored > 1 {
			return nil
		}
		err := fmt.Errorf("more than %d outlines are inside each other, or their names are longer than %d bytes: deeper ones are ignored",
			r.limits.Depth, r.limits.Value)
		return r.yield(Bookmark{}, tooDeep(r.line, r.limits.Depth, err))
	}
	r.open = append(r.open, title)
	r.size += len(title)
	return nil
}

func (r *opmlReader) endTag(name string) error {
	switch last := len(r.open) - 1; {
	case name != "outline":
	case r.ignored > 0:
		r.ignored--
	case last >= 0:
		r.size -= len(r.open[last])
		r.open = r.open[:last]
	}
	return nil
}
