package bookmarks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON reads JSON of any shape. An object with a URL is a bookmark. What contains bookmarks
// is a folder if it has a name. The name can come after the bookmarks, so the bookmarks of an object
// are kept until its end.
func readJSON(in input, yield yieldFunc) error {
	head, err := peek(in.text)
	if err != nil {
		return err
	}
	text := &jsonText{r: in.text}
	r := &jsonReader{
		text:    text,
		decoder: jsontext.NewDecoder(text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		limits:  in.limits,
		root:    &jsonFolder{},
		streams: ownFormat(head) == "waymark-bookmarks",
		queue:   jsonQueue{limits: in.limits, yield: yield, source: in.source, lists: map[string]*jsonFolder{}},
	}
	in.source.kept = true
	err = r.file()
	if errors.Is(err, errStop) {
		return err
	}
	// What was read before an error is not lost.
	return cmp.Or(r.queue.end(), err)
}

// jsonReader reads one file.
type jsonReader struct {
	text    *jsonText
	decoder *jsontext.Decoder
	limits  Limits
	root    *jsonFolder
	streams bool // bookmarks need nothing that follows them
	queue   jsonQueue

	memory int // the size of the values that are kept, in bytes
	before int // memory at the start of the innermost object
	depth  int // the number of open objects
}

// maxJSONValue is the maximum length of a text, a number or white space, in multiples of
// Limits.Bookmark: texts of pages, which are not kept, can be longer than a bookmark.
const maxJSONValue = 4

// file reads all values of the file: one, or one a line.
func (r *jsonReader) file() error {
	for {
		_, err := r.value(r.root, "")
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r.explain(err)
		}
		if err := r.queue.flush(); err != nil {
			return err
		}
	}
	if !r.queue.found {
		return errors.New("the JSON has no bookmarks in a form that Waymark knows")
	}
	return nil
}

// explain returns an error of the decoder in words for the owner of the file.
func (r *jsonReader) explain(err error) error {
	syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	line := r.line()
	switch {
	case errors.Is(err, errBudget):
		return fmt.Errorf("line %d: a value is longer than %d bytes", line, maxJSONValue*r.limits.Bookmark)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %d: the file ends inside a value: it seems to be truncated", line)
	case isSyntax:
		return fmt.Errorf("line %d: %w", line, syntax.Err)
	}
	return err
}

// peek returns the kind of the next token, 0 for an error.
func (r *jsonReader) peek() jsontext.Kind {
	r.text.left = maxJSONValue * r.limits.Bookmark
	return r.decoder.PeekKind()
}

// isBookmark is the value of an object that is a bookmark.
type isBookmark struct{}

// value reads the next value. in is the folder around it, and key is the name of a member. It
// returns a string, json.Number, bool, []any, *record or isBookmark; nil for null and for what only
// contains bookmarks. Bookmarks go to the queue.
func (r *jsonReader) value(in *jsonFolder, key string) (any, error) {
	switch r.peek() {
	case '{':
		return r.object(in, key)
	case '[':
		return r.array(in)
	}
	token, err := r.decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	text := token.String()
	if len(text) > r.limits.Value {
		text = text[:r.limits.Value]
	}
	switch token.Kind() {
	case '"':
		return strings.ToValidUTF8(text, ""), nil
	case '0':
		return json.Number(text), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

// array reads an array. Texts in it that have a URL are bookmarks.
func (r *jsonReader) array(in *jsonFolder) (any, error) {
	if _, err := r.decoder.ReadToken(); err != nil {
		return nil, err
	}
	isFile, start := in == r.root, r.queue.mark()
	in = &jsonFolder{parent: in}
	r.queue.found = r.queue.found || isFile || containerNames[in.parent.key] // it can be empty
	hasBookmarks, hasURLs := isFile, false
	var values []any
	for r.peek() != ']' {
		value, err := r.value(in, "")
		if err != nil {
			return nil, err
		}
		switch value := value.(type) {
		case isBookmark:
			hasBookmarks = true
		case *record:
			err = r.queue.addWithoutURL(value, in)
		case string:
			links, rest := findLinks(value) // such as links in Markdown
			hasURLs = hasURLs || len(links) > 0
			for i, link := range links {
				after := ""
				if i == len(links)-1 {
					after = rest
				}
				b := Bookmark{Line: r.line(), URL: cleanURL(link.url)}
				b.Title, b.Description = link.texts(after)
				err = cmp.Or(err, r.queue.add(jsonItem{bookmark: b, in: in, size: len(value)}))
			}
		}
		if err == nil && (isFile || r.streams && hasBookmarks) {
			r.queue.settle(start, true)
			err = r.queue.flush()
		}
		if err != nil {
			return nil, err
		}
		if value != nil && value != (isBookmark{}) && r.keep(value) {
			values = append(values, value)
		}
	}
	r.queue.settle(start, hasBookmarks)
	if isList := isFile || hasURLs && !knownNames[in.parent.key]; isList {
		r.queue.addTexts(start, values)
	}
	if _, err := r.decoder.ReadToken(); err != nil || len(values) == 0 {
		return nil, err
	}
	return values, nil
}

// keep counts the memory of a value, and reports whether the value can be kept.
func (r *jsonReader) keep(value any) bool {
	const overhead = 64 // of a value in memory, about
	r.memory += overhead
	if text, ok := value.(string); ok {
		r.memory += len(text)
	}
	return r.fits() && r.memory <= 16*r.limits.Bookmark
}

// fits reports whether the values of the innermost object are not longer than a bookmark.
func (r *jsonReader) fits() bool { return r.memory-r.before <= r.limits.Bookmark }

// object reads an object. key is the name of the member that has it as value.
func (r *jsonReader) object(in *jsonFolder, key string) (any, error) {
	before, isFile := r.before, in == r.root
	r.before = r.memory
	r.depth++
	defer func() { r.depth--; r.before = before }()
	o := &jsonObject{record: &record{}, folder: &jsonFolder{parent: in}, start: r.queue.mark()}
	if err := r.members(o); err != nil {
		return nil, err
	}
	fits, full := r.fits(), r.queue.mark() > o.start
	if isWebURL(key) && o.record.url() == "" {
		o.record.set("url", key)
	}
	if o.record.url() != "" && (!isFile || !full) {
		r.memory = r.before
		return isBookmark{}, r.queue.addBookmark(o, fits)
	}
	if !isFile {
		o.folder.describe(o.record)
	}
	if err := r.queue.addList(o.folder); err != nil {
		return nil, err
	}
	switch {
	case len(o.links) > 0 && o.others == 0: // {"A title": "https://example.com/"}
		r.memory = r.before
		return nil, r.queue.add(o.links...)
	case full:
		if o.folder.name != "" {
			r.queue.unused.add(o.record.present(tagNames)...) // of a folder
		}
		r.memory = r.before
		return nil, nil
	}
	if o.isEmptyFolder() {
		r.queue.items = append(r.queue.items, jsonItem{in: o.folder, bookmark: Bookmark{Line: o.record.line}, position: r.queue.source.n})
		return nil, r.queue.grow(0)
	}
	if len(o.links) > 0 { // a URL under a name that is not known
		r.queue.unused.add(o.record.unused...)
	}
	return o.record, nil
}

// members reads the members of an object.
func (r *jsonReader) members(o *jsonObject) error {
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	if o.record.line == 0 {
		o.record.line = r.line()
	}
	for r.peek() != '}' {
		token, err := r.decoder.ReadToken()
		if err != nil {
			return err
		}
		key := token.String()
		name := normalName(key)
		kind := r.peek()
		isWrapper := wrapperNames[name] && (kind == '{' || kind == '[' && pageNames[name])
		if isWrapper && o.folder.parent != r.root && !slices.Contains(tagNames, o.folder.parent.key) && o.record.url() == "" {
			if err := r.wrapper(o); err != nil {
				return err
			}
			continue
		}
		if key == "_links" { // of an API: not bookmarks
			if err := r.decoder.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if kind == '[' && name == "lists" && r.streams && r.depth == 1 {
			if err := r.ownLists(); err != nil {
				return err
			}
			continue
		}
		value, err := r.value(&jsonFolder{parent: o.folder, key: name, name: folderName(key)}, key)
		if err != nil {
			return err
		}
		if kind == '[' && name == "children" {
			o.record.isFolder = true
		}
		text, _ := value.(string)
		elements, _ := value.([]any)
		rawURL, title := text, key
		if isWebURL(key) {
			rawURL, title = key, text
		}
		switch {
		case kind == '{' || kind == '[' && (rawURL != key || len(elements) == 0):
		case isWebURL(rawURL) && !knownNames[name] && !pagingNames[name]:
			b := Bookmark{Line: r.line(), URL: cleanURL(rawURL), Title: cleanLine(title), Tags: splitTags(strings.Join(elementNames(elements), ","))}
			o.links = append(o.links, jsonItem{bookmark: b, in: o.folder, size: len(rawURL) + len(title)})
		default:
			o.others++
		}
		if value != (isBookmark{}) && (!knownNames[name] || r.keep(value)) {
			o.record.set(key, value)
		}
	}
	_, err := r.decoder.ReadToken()
	return err
}

// ownLists reads the paths of all lists, which precede the bookmarks in Waymark's own files.
func (r *jsonReader) ownLists() error {
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	for r.peek() != ']' {
		value, err := r.value(&jsonFolder{parent: r.root}, "")
		if err != nil {
			return err
		}
		if text, ok := value.(string); ok {
			if err := r.queue.addFolder(r.line(), splitListPath(text, r.limits.Depth), true); err != nil {
				return err
			}
		}
	}
	_, err := r.decoder.ReadToken()
	return err
}

// pageNames are the names of members with the URL of the page, also in an array, and wrapperNames those of
// objects that contain a part of a bookmark.
var (
	pageNames    = nameSet("url uri href canonical alternate")
	wrapperNames = nameSet("url uri href canonical alternate content bookmark link node data attributes item tab")
)

// wrapper reads the members of an object, or of those in an array, as members of the object around it.
func (r *jsonReader) wrapper(o *jsonObject) error {
	if r.peek() == '{' {
		return r.members(o)
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	for r.peek() != ']' {
		if r.peek() == '{' && o.record.url() == "" {
			if err := r.members(o); err != nil {
				return err
			}
			continue
		}
		value, err := r.value(&jsonFolder{parent: o.folder}, "")
		if err != nil {
			return err
		}
		if text, ok := value.(string); ok && isWebURL(text) {
			o.record.set("url", text)
		}
	}
	_, err := r.decoder.ReadToken()
	return err
}

// pagingNames are the names of URLs in the answers of an API, which are no bookmarks.
var pagingNames = nameSet("next previous prev first last self nextpage nextlink schema")

// line returns the line of the last token.
func (r *jsonReader) line() int {
	return r.text.breaks - bytes.Count(r.decoder.UnreadBuffer(), []byte("\n")) + 1
}
