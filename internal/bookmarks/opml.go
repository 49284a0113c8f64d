package bookmarks

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// readOPML reads outlines: those with a URL are bookmarks, the others folders. For a feed
// it takes the URL of the site. The XML of Pinboard and Delicious has posts in place of outlines.
func readOPML(in input, yield yieldFunc) error {
	m := markupReader{input: in, yield: yield, line: 1, element: "outline", elements: nameSet("opml head body outline posts post"), next: nextInOPML}
	r := &opmlReader{markupReader: m}
	return r.read(r)
}

// nextInOPML is the start or the end of an outline.
var nextInOPML = regexp.MustCompile(`(?i)</?(?:outline|body|posts?)[\s/>]`)

// opmlReader is the state of readOPML.
type opmlReader struct {
	markupReader
	open    []string // the names of the open outlines, "" for those that are not folders
	ignored int      // the number of open outlines below the limit of the depth
}

func (r *opmlReader) addText(string) {}

func (r *opmlReader) inTitle() bool { return false }

func (r *opmlReader) inDescription() bool { return false }

func (r *opmlReader) flush() error { return nil }

func (r *opmlReader) startTag(name string, tag []byte) error {
	if name == "post" {
		return r.post()
	}
	if name != "outline" {
		return nil
	}
	values := map[string]string{}
	for _, a := range r.attributes {
		values[a.name] = a.value
	}
	first := func(names ...string) string {
		for _, name := range names {
			if value := strings.TrimSpace(values[name]); value != "" {
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
			b.Folders, b.Ordered = [][]string{path}, true
		}
		for _, tag := range splitTags(values["category"]) { // "/Newspapers/Daily,press"
			if tag = strings.Trim(tag, "/ "); tag != "" {
				b.Tags = append(b.Tags, tag)
			}
		}
		if err := r.yield(b, nil); err != nil {
			return err
		}
		title = ""
	}
	if bytes.HasSuffix(tag, []byte("/>")) {
		return nil
	}
	if len(r.open) >= r.limits.Depth {
		if r.ignored++; r.ignored > 1 {
			return nil
		}
		return r.yield(Bookmark{}, tooDeep(r.line, r.limits.Depth))
	}
	r.open = append(r.open, cutFolderName(title))
	return nil
}

// post yields a bookmark of Pinboard or Delicious.
func (r *opmlReader) post() error {
	post := record{line: r.line}
	for _, a := range r.attributes {
		post.set(a.name, a.value)
	}
	b := post.bookmark(r.limits)
	if b.URL == "" {
		return r.yield(Bookmark{}, noURL(r.line, "the bookmark %.200q has no URL", b.Title))
	}
	return r.yield(b, nil)
}

func (r *opmlReader) endTag(name string) error {
	switch last := len(r.open) - 1; {
	case name != "outline":
	case r.ignored > 0:
		r.ignored--
	case last >= 0:
		r.open = r.open[:last]
	}
	return nil
}
