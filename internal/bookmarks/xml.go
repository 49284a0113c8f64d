package bookmarks

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// readXML reads the XML of several programs: OPML and that of Pinboard, where attributes describe a bookmark; XBEL, Evernote,
// RSS and Atom, where elements in an element do. No entities are read but those of HTML.
func readXML(in input, yield yieldFunc) error {
	head, err := peek(in.text)
	if err != nil {
		return err
	}
	if bytes.Contains(head, []byte("<plist")) {
		return readPlist(in, yield)
	}
	r := &xmlReader{markupReader: markupReader{input: in, next: nextInXML}}
	r.yield = func(b Bookmark, err error) error {
		r.hasAny = true
		return yield(b, err)
	}
	if err := r.tokens(r.token); err != nil {
		return err
	}
	if err := r.end(); err != nil || r.hasAny {
		return err
	}
	return errors.New("the XML has no bookmarks")
}

// nextInXML is what a bookmark or a folder begins or ends with.
var nextInXML = regexp.MustCompile(`(?i)</?(?:outline|body|posts?|bookmark|folder|item|entry|note)[\s/>]`)

// xmlItems are the elements of bookmarks, and the elements around all of them.
var xmlItems = map[string]string{"outline": "opml", "post": "posts", "bookmark": "xbel", "item": "rss rdf:rdf", "entry": "feed", "note": "en-export"}

// otherElements are elements whose contents belong to something else than the bookmark around them.
var otherElements = nameSet("resource source author contributor image textinput info comments")

// xmlReader is the state of readXML.
type xmlReader struct {
	markupReader
	root    string       // the name of the first element
	open    []xmlElement // the open bookmarks and folders
	ignored int          // the number of open folders below the limit of the depth
	hasAny  bool

	other string // the open element of otherElements, "" for none
	field string // the open element in a bookmark or folder, "" for none
	text  strings.Builder

	isHTML bool // the text of field
}

// xmlElement is a bookmark, or a folder with its name.
type xmlElement struct {
	record  *record // nil for a folder, and for an outline with a URL
	name    string  // "" if it is no folder
	line    int
	isEmpty bool
	tags    []any
}

// token reads a token.
func (r *xmlReader) token(t token) error {
	if _, local, found := strings.Cut(t.name, ":"); found {
		t.name = local
	}
	switch {
	case t.Type == html.TextToken && r.other == "" && r.text.Len()+len(t.Data) <= r.limits.Bookmark:
		r.text.WriteString(t.Data)
	case t.Type == html.EndTagToken && r.other != "":
		if r.other == t.name {
			r.other = ""
		}
	case t.isStart() && r.other == "":
		return r.startTag(t)
	case t.Type == html.EndTagToken:
		return r.endTag(t.name)
	}
	return nil
}

func (r *xmlReader) startTag(t token) error {
	name := t.name
	r.root = cmp.Or(r.root, t.Data)
	isItem := slices.Contains(strings.Fields(xmlItems[name]), r.root)
	last := len(r.open) - 1
	switch {
	case isItem && (name == "outline" || name == "post"):
		return r.outline(t)
	case isItem:
		attributes, err := r.record(t)
		if err == nil {
			err = r.end() // the one before can lack its end
		}
		if err != nil {
			return err
		}
		r.open = append(r.open, xmlElement{record: attributes, line: r.line})
		if t.isLeaf() {
			return r.end()
		}
	case name == "folder" && t.isLeaf():
		return nil
	case name == "folder":
		r.openFolder(xmlElement{line: r.line, isEmpty: true})
		return nil
	case otherElements[name]:
		if !t.isLeaf() {
			r.other = name
		}
		return nil
	case r.field != "":
		return nil // in the text
	case last < 0 || name == "note-attributes":
	case r.open[last].record != nil:
		r.open[last].attributes(t, name)
		fallthrough
	default:
		if r.field, r.isHTML = name, t.attribute("type") == "html"; t.isLeaf() {
			r.field = ""
		}
	}
	r.text.Reset()
	return nil
}

// attributes sets what the attributes of an element in a bookmark say about it.
func (e *xmlElement) attributes(t token, name string) {
	switch rel := t.attribute("rel"); {
	case name == "link" && (rel == "" || rel == "alternate"): // of Atom
		e.record.set("url", t.attribute("href"))
	case name == "thumbnail":
		e.record.set(name, t.attribute("url"))
	case name == "category":
		if tag := cmp.Or(t.attribute("label"), t.attribute("term")); tag != "" {
			e.tags = append(e.tags, tag)
		}
	}
}

func (r *xmlReader) endTag(name string) error {
	last := len(r.open) - 1
	switch {
	case name == "folder" && r.ignored > 0, name == "outline" && r.ignored > 0:
		r.ignored--
	case last < 0:
	case name == r.field:
		r.field = ""
		if e := &r.open[last]; e.record != nil {
			text := r.text.String()
			if r.isHTML {
				text, _ = htmlText(text)
			}
			e.set(r.root, name, text)
		} else if name == "title" && e.isEmpty {
			e.name = cutFolderName(cleanLine(r.text.String()))
		}
	case name == "outline" && r.root == "opml":
		r.open = r.open[:last]
	case name == "folder" && r.open[last].record == nil:
		folder, path := r.open[last], r.path()
		r.open = r.open[:last]
		if folder.isEmpty && folder.name != "" {
			return r.yield(Bookmark{Line: folder.line, Folders: [][]string{path}, Ordered: true}, nil)
		}
	case slices.Contains(strings.Fields(xmlItems[name]), r.root):
		return r.end()
	}
	return nil
}

// end yields the bookmark that is open, if there is one.
func (r *xmlReader) end() error {
	last := len(r.open) - 1
	if last < 0 || r.open[last].record == nil {
		return nil
	}
	e := r.open[last]
	r.open, r.field = r.open[:last], ""
	e.record.set("tags", e.tags)
	return r.bookmark(e.record.bookmark(r.limits))
}

// set sets what an element in a bookmark says about it.
func (e *xmlElement) set(root, name, text string) {
	switch name {
	case "category", "tag":
		if text != "" {
			e.tags = append(e.tags, text)
		}
	case "subject": // of RSS 1.0
		for tag := range strings.FieldsSeq(text) {
			e.tags = append(e.tags, tag)
		}
	case "pubdate", "published":
		e.record.set("date", text)
	case "guid", "id": // it can be the URL, too
		if isWebURL(text) {
			e.record.set("permalink", text)
		}
	case "content":
		if plain, isPlain := htmlText(text); isPlain && root == "en-export" {
			e.record.set("note", plain)
		}
	case "description", "summary":
		plain, _ := htmlText(text)
		e.record.set("description", plain)
	default:
		e.record.set(name, text)
	}
}

// htmlText returns the text of HTML, and whether it has no markup but paragraphs.
func htmlText(markup string) (text string, isPlain bool) {
	var b strings.Builder
	isPlain = true
	for z := html.NewTokenizer(strings.NewReader(markup)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return cleanText(b.String()), isPlain
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch string(name) {
			case "div", "p", "br":
				if kind != html.StartTagToken || string(name) == "br" {
					b.WriteByte('\n')
				}
			case "en-note":
			default:
				isPlain = false
			}
		}
	}
}

// outline reads an outline or a post. An outline without a URL is a folder; for a feed it takes the URL of the site.
func (r *xmlReader) outline(t token) error {
	attributes, err := r.record(t)
	if err != nil {
		return err
	}
	b := attributes.bookmark(r.limits)
	if links := linksOf(r.line, b.Title); t.name == "outline" && b.URL == "" && len(links) == 1 { // in the text
		b.URL, b.Title, b.Description = links[0].URL, links[0].Title, links[0].Description
	}
	for i, tag := range b.Tags { // "/Newspapers/Daily,press"
		b.Tags[i] = strings.Trim(tag, "/ ")
	}
	b.Tags = slices.DeleteFunc(b.Tags, func(tag string) bool { return tag == "" })
	isLeaf, name := t.isLeaf() || t.name == "post", b.Title
	if b.URL != "" || isLeaf {
		if err := r.bookmark(b); err != nil {
			return err
		}
		name = ""
	}
	if !isLeaf {
		r.openFolder(xmlElement{name: cutFolderName(name)})
	}
	return nil
}

// openFolder adds an open element, unless it is too deep.
func (r *xmlReader) openFolder(e xmlElement) {
	for i := range r.open {
		r.open[i].isEmpty = false
	}
	if len(r.open) < r.limits.Depth {
		r.open = append(r.open, e)
	} else {
		r.ignored++
	}
}

// path returns the names of the open folders.
func (r *xmlReader) path() (path []string) {
	for _, e := range r.open {
		if e.name != "" {
			path = append(path, e.name)
		}
	}
	return path
}

// bookmark yields a bookmark in the open folders.
func (r *xmlReader) bookmark(b Bookmark) error {
	for i := range r.open {
		r.open[i].isEmpty = false
	}
	if b.URL == "" {
		return r.yield(Bookmark{}, noURL(b.Line, "the bookmark %.200q has no URL", b.Title))
	}
	if path := r.path(); len(path) > 0 {
		b.Folders, b.Ordered = [][]string{path}, true
	}
	return r.yield(b, nil)
}
