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
	if name != "outline" && name != "post" {
		return nil
	}
	b := r.record().bookmark(r.limits)
	if links, rest := findLinks(b.Title); name == "outline" && b.URL == "" && len(links) == 1 { // in the text
		b.URL = cleanURL(links[0].url)
		b.Title, b.Description = links[0].texts(rest)
	}
	title, isLeaf := b.Title, name == "post" || bytes.HasSuffix(tag, []byte("/>"))
	switch {
	case b.URL != "":
		if path := slices.DeleteFunc(slices.Clone(r.open), func(name string) bool { return name == "" }); len(path) > 0 {
			b.Folders, b.Ordered = [][]string{path}, true
		}
		for i, tag := range b.Tags { // "/Newspapers/Daily,press"
			b.Tags[i] = strings.Trim(tag, "/ ")
		}
		b.Tags = slices.DeleteFunc(b.Tags, func(tag string) bool { return tag == "" })
		if err := r.yield(b, nil); err != nil {
			return err
		}
		title = ""
	case isLeaf:
		return r.yield(Bookmark{}, noURL(r.line, "the bookmark %.200q has no URL", title))
	}
	if isLeaf {
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
