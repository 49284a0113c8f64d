package bookmarks

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"waymark/internal/waymark"
)

// readHTML reads the HTML that browsers and most programs export: the Netscape format, in
// which DL elements are folders, H3 elements their names, A elements bookmarks, and DD
// elements descriptions; and the variant of Pocket and Instapaper with H1, UL or OL, and LI.
// End tags can be missing.
func readHTML(in input, yield yieldFunc) error {
	head, err := peek(in.text)
	if err != nil {
		return err
	}
	r := &htmlReader{markupReader: markupReader{input: in, next: nextInHTML}, folders: []htmlFolder{{}}}
	hasAny := bytes.Contains(bytes.ToLower(head), []byte("<dl")) // it can be empty
	r.yield = func(b Bookmark, err error) error {
		hasAny = true
		return yield(b, err)
	}
	if err := r.tokens(r.token); err != nil {
		return err
	}
	if err := r.flush(); err != nil || hasAny {
		return err
	}
	return errors.New("the HTML has no bookmarks")
}

// htmlElements are the elements whose tags are not text. Others are more likely what a title is about.
var htmlElements = nameSet(`a dl dt dd ul ol li h1 h2 h3 h4 h5 h6 hr br p div span b i u s em strong small big sub sup code pre tt
	font center blockquote q cite mark del ins abbr img table tbody tr td th html head body meta link`)

// nextInHTML is what a bookmark or a folder begins or ends with.
var nextInHTML = regexp.MustCompile(`(?i)<dt>\s*<(?:a|h3)[\s>]|</?dl>|<dd>|<li>\s*<a\s|<a\s+href\s*=`)

// htmlReader is the state of readHTML.
type htmlReader struct {
	markupReader
	folders []htmlFolder // the open ones, after the root
	ignored int          // the number of open folders below the limit of the depth
	hasDT   bool         // bookmarks begin with <DT>
	hasDL   bool         // folders are <DL>, and not <UL> or <OL>

	heading      string // the name of the folder whose list did not begin yet
	headingLevel byte   // '1' to '6', 0 for no heading
	builtIn      bool   // the folder is one of every profile
	isRaindrop   bool   // the title of the file says so

	bookmark *Bookmark // the one that did not end yet, nil for none

	// target is where the current text belongs, nil for nowhere.
	target  *strings.Builder
	name    strings.Builder // of a folder
	title   strings.Builder
	details strings.Builder
	linkEnd string // of the open link in the text
	tooLong bool   // a text of the current bookmark or the name of the folder
}

// htmlFolder is a folder that contains the current position.
type htmlFolder struct {
	path    []string           // shared by the bookmarks in it: never changed
	flags   waymark.FlagsInput // of the bookmarks in it
	isEmpty bool               // nothing in it was found yet, and it is not in every profile
}

func (r *htmlReader) inTitle() bool       { return r.target == &r.title || r.target == &r.name }
func (r *htmlReader) inDescription() bool { return r.target == &r.details }

// structure are the elements that begin or end a text.
var structure = nameSet("a dl dt dd h3")

// token reads a token. In a title or a description, tags of other elements, such as <T>, are text.
func (r *htmlReader) token(t token) error {
	isElement := htmlElements[t.name] && (structure[t.name] || len(t.Attr) == 0 || strings.Contains(t.raw, "="))
	switch {
	case t.Type == html.TextToken:
		r.addText(t.Data)
	case t.Type == html.ErrorToken:
		return r.flush()
	case isElement && t.isStart():
		return r.startTag(t)
	case isElement:
		return r.endTag(t.name)
	case t.isTag() && r.target == nil && nextURL(t.raw) >= 0:
		return r.broken("the tag %.200q is none of a bookmark: it is not read", t.raw)
	case t.Type != html.CommentToken || !strings.HasPrefix(t.raw, commentStart): // as in <?php ?>
		r.addText(html.UnescapeString(t.raw))
	}
	return nil
}

// startTag reads a start tag. A link to a page in a title is a bookmark, because the title lacks its end, and so is a link with a
// date in a description.
func (r *htmlReader) startTag(t token) error {
	name := t.name
	isBookmark := name == "a" && isWebURL(t.attribute("href")) && (r.inTitle() || t.attribute("add_date") != "")
	if r.isInText(name) && !isBookmark {
		r.addTag(t)
		return nil
	}
	switch name {
	case "dl":
		r.hasDL = true
		return r.openFolder()
	case "ul", "ol":
		if !r.hasDL {
			return r.openFolder()
		}
	case "dt", "li", "hr":
		r.hasDT = r.hasDT || name == "dt"
		return r.flush()
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if err := r.flush(); err != nil {
			return err
		}
		r.name.Reset()
		r.target, r.headingLevel, r.builtIn = &r.name, name[1], builtInFolder.MatchString(t.raw)
	case "a":
		if err := r.flush(); err != nil {
			return err
		}
		return r.startBookmark(t)
	case "dd":
		r.endText()
		if r.bookmark != nil {
			r.target = &r.details
		}
	case "br", "p":
		r.addText("\n")
	}
	return nil
}

// isInText reports whether a tag belongs to the current text. Only <DT>, <DL> and </DL> end a
// description; in a file without <DT>, other tags do.
func (r *htmlReader) isInText(name string) bool {
	switch name {
	case "dt", "dl":
		return false
	case "a":
		return r.hasDT && (r.inDescription() || r.inTitle())
	}
	return r.hasDT && r.inDescription()
}

// addTag adds to the text what a tag in it means. A link in a description becomes one of Markdown.
func (r *htmlReader) addTag(t token) {
	switch t.name {
	case "a":
		r.addText(r.linkEnd)
		r.linkEnd = ""
		if href := t.attribute("href"); r.inTitle() {
			r.addText(html.UnescapeString(t.raw))
			r.linkEnd = "</a>"
		} else if isWebURL(href) {
			r.addText("[")
			r.linkEnd = "](" + cleanURL(href) + ")"
		}
	case "br", "p", "div", "li", "tr", "hr", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote":
		if r.inDescription() {
			r.addText("\n")
		}
	}
}

func (r *htmlReader) endTag(name string) error {
	switch name {
	case "dl":
		return r.closeFolder()
	case "ul", "ol":
		if !r.hasDL {
			return r.closeFolder()
		}
	case "a":
		if r.linkEnd != "" {
			r.addText(r.linkEnd)
			r.linkEnd = ""
		} else if !r.inDescription() {
			r.endText()
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if !r.inDescription() {
			r.endText()
		}
	case "dd":
		if !r.hasDT || !r.inDescription() {
			r.endText()
		}
	}
	return nil
}

// closeFolder ends the innermost folder.
func (r *htmlReader) closeFolder() error {
	last := len(r.folders) - 1
	if err := r.flush(); err != nil {
		return err
	}
	r.heading, r.headingLevel = "", 0
	if r.ignored > 0 {
		r.ignored--
	} else if last > 0 {
		closed := r.folders[last]
		r.folders = r.folders[:last]
		if closed.isEmpty {
			return r.yield(Bookmark{Line: r.line, Folders: [][]string{closed.path}, Ordered: true}, nil)
		}
	}
	return nil
}

// builtInFolder is an attribute of the folders that browsers have in every profile.
var builtInFolder = regexp.MustCompile(`(?i)\s(?:personal_toolbar|unfiled_bookmarks)_folder=`)

// fill says that the open folders are not empty.
func (r *htmlReader) fill() {
	for i := range r.folders {
		r.folders[i].isEmpty = false
	}
}

// openFolder begins the folder whose name was the last heading. A list without a heading,
// and the list after the H1 of the Netscape format, which is the title of the page, have the
// path of the folder around them.
func (r *htmlReader) openFolder() error {
	if err := r.flush(); err != nil {
		return err
	}
	name, level := r.heading, r.headingLevel
	r.heading, r.headingLevel = "", 0
	if len(r.folders) > r.limits.Depth+1 { // the list around all folders is one, too
		r.ignored++
		return nil
	}
	folder := r.folders[len(r.folders)-1]
	folder.isEmpty = false
	flag, hasFlag := flagFolders[name]
	switch {
	case level == '1' && r.hasDL:
		r.isRaindrop = strings.HasPrefix(name, "Raindrop.io")
	case level == 0, name == "", r.isRaindrop && len(folder.path) == 0 && name == unsorted:
	case level == '1' && hasFlag:
		*folder.flags.Of(flag) = new(true)
	default:
		r.fill()
		folder.path = append(folder.path[:len(folder.path):len(folder.path)], name)
		folder.isEmpty = !r.builtIn
	}
	r.folders = append(r.folders, folder)
	return nil
}

func (r *htmlReader) startBookmark(t token) error {
	r.heading, r.headingLevel = "", 0
	folder := r.folders[len(r.folders)-1]
	r.fill()
	attributes, err := r.record(t)
	if err != nil {
		return err
	}
	attributes.onlyCommas = true
	b := attributes.bookmark(r.limits)
	if len(folder.path) > 0 {
		b.Folders, b.Ordered = [][]string{folder.path}, true
	}
	for _, v := range folder.flags.Values() {
		if *b.Flags.Of(v.Flag) == nil {
			b.setFlag(v.Flag, v.On)
		}
	}
	r.bookmark, r.tooLong = &b, false
	r.title.Reset()
	r.details.Reset()
	r.target = &r.title
	return nil
}

func (r *htmlReader) addText(text string) {
	if r.target == nil {
		return
	}
	if r.target.Len()+len(text) > r.limits.Bookmark {
		r.tooLong = true
		return
	}
	r.target.WriteString(text)
}

// endText ends the current text.
func (r *htmlReader) endText() {
	if r.target == &r.name {
		r.heading = cutFolderName(collapseSpace(r.name.String()))
	}
	r.addText(r.linkEnd)
	r.target, r.linkEnd = nil, ""
}

// flush ends the current text and yields the current bookmark.
func (r *htmlReader) flush() error {
	r.endText()
	b := r.bookmark
	if b == nil {
		return nil
	}
	r.bookmark = nil
	b.Title = collapseSpace(r.title.String())
	switch {
	case r.tooLong:
		return r.yield(Bookmark{}, rowTooLong(b.Line, r.limits.Bookmark, fmt.Sprintf("the title or the description of %.200q", b.URL)))
	case b.URL == "":
		return r.yield(Bookmark{}, noURL(b.Line, "the bookmark %.200q has no URL", b.Title))
	}
	description, notes := splitNotes(r.details.String())
	b.Description, b.Notes = cmp.Or(description, b.Description), notes
	return r.yield(*b, nil)
}

// The delimiters of a note in a description, as linkding writes and reads them.
const (
	noteStart = "[linkding-notes]"
	noteEnd   = "[/linkding-notes]"
)

// A delimiter in a text gets a backslash, and one more if it has some already. linkding does not remove
// it, but it keeps the rest of the text.
var (
	plainDelimiter   = regexp.MustCompile(`\[(\\*/?linkding-notes\])`)
	escapedDelimiter = regexp.MustCompile(`\[\\(\\*/?linkding-notes\])`)
)

func escapeDelimiters(text string) string   { return plainDelimiter.ReplaceAllString(text, `[\$1`) }
func unescapeDelimiters(text string) string { return escapedDelimiter.ReplaceAllString(text, `[$1`) }

// splitNotes separates the notes that joinNotes and linkding append to descriptions.
func splitNotes(text string) (description string, notes []Note) {
	var others strings.Builder // the parts of the text that are not notes
	for {
		before, rest, found := strings.Cut(text, noteStart)
		note, after, closed := strings.Cut(rest, noteEnd)
		if !found || !closed {
			others.WriteString(text)
			return cleanText(unescapeDelimiters(others.String())), notes
		}
		if note = cleanText(unescapeDelimiters(note)); note != "" {
			notes = append(notes, Note{Text: note})
		}
		others.WriteString(before)
		text = after
	}
}

// joinNotes returns a description with the notes of a bookmark behind it.
func joinNotes(description string, notes []Note) string {
	text := escapeDelimiters(cleanText(description))
	for _, note := range notes {
		text += noteStart + escapeDelimiters(cleanText(note.Text)) + noteEnd
	}
	return text
}
