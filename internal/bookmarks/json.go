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

// readJSON reads JSON of any shape: see jsonWalker. It keeps the values of the file, because names of folders and lists can follow
// the bookmarks in them. The elements of an array around everything are read one by one.
func readJSON(in input, yield yieldFunc) error {
	head, err := peek(in.text)
	if err != nil {
		return err
	}
	text := &jsonText{r: in.text}
	r := &jsonReader{
		text:    text,
		decoder: jsontext.NewDecoder(text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		walker:  newJSONWalker(in, yield),
		names:   map[string]string{},
		streams: ownFormat(head) == "waymark-bookmarks",
	}
	in.source.kept = true
	for err == nil {
		var root any
		r.memory, r.lost = 0, false
		root, err = r.value("", 0)
		// What was read before an error is not lost.
		err = cmp.Or(r.walker.root(root, r.line()), r.reportLost(), err)
	}
	switch {
	case errors.Is(err, errStop):
		return err
	case !errors.Is(err, io.EOF):
		err = r.explain(err)
	case r.walker.found:
		err = nil
	default:
		err = errors.New("the JSON has no bookmarks in a form that Waymark knows")
	}
	return cmp.Or(r.walker.end(), err)
}

// jsonReader reads the values of a file.
type jsonReader struct {
	text    *jsonText
	decoder *jsontext.Decoder
	walker  *jsonWalker
	names   map[string]string // the keys that were read, so that each is kept once
	streams bool              // bookmarks need nothing that follows them

	memory int  // the size of the values that are kept, in bytes
	size   *int // of the innermost object
	lost   bool // values were left out, because they are too many
}

// The limits of what is kept, in multiples of Limits.Bookmark.
const (
	maxJSONValue  = 4  // a text, a number or white space: texts of pages, which are not kept, can be longer than a bookmark
	maxJSONMemory = 16 // all values
)

// line returns the line of the last token.
func (r *jsonReader) line() int {
	return r.text.breaks - bytes.Count(r.decoder.UnreadBuffer(), []byte("\n")) + 1
}

// reportLost reports that values were left out.
func (r *jsonReader) reportLost() error {
	if !r.lost {
		return nil
	}
	return r.walker.yield(Bookmark{}, rowTooLong(max(r.line(), 1), maxJSONMemory*r.walker.limits.Bookmark, "what belongs together in the file (its end is left out)"))
}

// explain returns an error of the decoder in words for the owner of the file.
func (r *jsonReader) explain(err error) error {
	syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	line := r.line()
	switch {
	case errors.Is(err, errBudget):
		return fmt.Errorf("line %d: a value is longer than %d bytes", line, maxJSONValue*r.walker.limits.Bookmark)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %d: the file ends inside a value: it seems to be truncated", line)
	case isSyntax:
		return fmt.Errorf("line %d: %w", line, syntax.Err)
	}
	return err
}

// peek returns the kind of the next token, 0 for an error.
func (r *jsonReader) peek() jsontext.Kind {
	r.text.left = maxJSONValue * r.walker.limits.Bookmark
	return r.decoder.PeekKind()
}

// value reads the next value, the member of an object if it has a key. depth is the number of arrays and objects around it. With
// an error, it returns what was read before.
func (r *jsonReader) value(key string, depth int) (any, error) {
	kind := r.peek()
	token, err := r.decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	switch kind {
	case '{':
		return r.object(depth)
	case '[':
		return r.array(key, depth)
	case 't', 'f':
		return token.Bool(), nil
	case '0', '"':
		text := token.String()
		text = strings.ToValidUTF8(text[:min(len(text), r.walker.limits.Value)], "")
		switch isKept := key == "" || knownName(key) != "" || isWebURL(text) || isWebURL(key); {
		case !isKept:
			return unusedValue{}, nil
		case kind == '0':
			return json.Number(text), nil
		}
		return text, nil
	}
	return nil, nil
}

// array reads an array, whose start was read.
func (r *jsonReader) array(key string, depth int) (any, error) {
	isTop := depth == 0 || depth == 1 && key != "" // an array around everything, or in an object around everything
	values := []jsonValue{}
	for r.peek() != ']' {
		line, before := r.line(), r.memory
		value, err := r.value("", depth+1)
		element := jsonValue{line: line, value: value}
		switch {
		case isTop && (depth == 0 || r.streams || r.memory > maxJSONMemory*r.walker.limits.Bookmark):
			err = cmp.Or(r.walker.element(element, key), r.reportLost(), err)
			r.memory, r.lost = before, false
		case r.keep(value):
			values = append(values, element)
		}
		if err != nil {
			return values, err
		}
	}
	_, err := r.decoder.ReadToken()
	return values, err
}

// object reads an object, whose start was read.
func (r *jsonReader) object(depth int) (any, error) {
	o := &jsonObject{line: r.line(), isCut: true}
	defer func(size *int) { r.size = size }(r.size)
	r.size = &o.size
	for r.peek() != '}' {
		token, err := r.decoder.ReadToken()
		if err != nil {
			return o, err
		}
		key := token.String()
		if name, found := r.names[key]; found {
			key = name
		} else if len(r.names) < 1000 && len(key) < 100 {
			r.names[key] = key
		}
		if kind := r.peek(); kind == '[' && key == "lists" && depth == 0 && r.streams {
			lists, err := r.value(key, 2)
			if err := cmp.Or(r.walker.ownLists(jsonValue{value: lists}), err); err != nil {
				return o, err
			}
			continue
		}
		line := r.line()
		value, err := r.value(key, depth+1)
		isKept := value != unusedValue{} || !technicalNames[normalName(key)]
		if isKept && r.keep(value) {
			o.members = append(o.members, jsonValue{line, key, value})
		}
		o.tooLong = o.size > r.walker.limits.Bookmark
		if err != nil {
			return o, err
		}
	}
	_, err := r.decoder.ReadToken()
	o.members = slices.Clone(o.members) // without the capacity that it does not need
	o.position, o.isCut = r.walker.source.n, err != nil
	return o, err
}

// keep counts the memory of a value, and reports whether the value can be kept. Arrays and objects can, because what is in them is
// counted.
func (r *jsonReader) keep(value any) bool {
	const overhead = 48 // of a value in memory, about
	size := overhead
	switch value := value.(type) {
	case string:
		size += len(value)
	case *jsonObject, []jsonValue:
		r.memory += size
		return true
	}
	r.memory += size
	if r.size != nil {
		*r.size += size
	}
	r.lost = r.lost || r.memory > (maxJSONMemory+1)*r.walker.limits.Bookmark
	return !r.lost && (r.size == nil || *r.size <= r.walker.limits.Bookmark)
}
