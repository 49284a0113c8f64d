package bookmarks

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON reads JSON of any shape: see jsonWalker. It keeps the values of the file, because names of folders and lists can follow
// the bookmarks in them. The elements of an array around everything, and the bookmarks of Waymark's own files, are read one by one.
func readJSON(in input, yield yieldFunc) error {
	head, err := peek(in.text)
	if err != nil {
		return err
	}
	_, _ = in.text.Discard(len(variableStart.Find(head))) // it is in the buffer
	text := &limitedText{r: in.text}
	r := &jsonReader{
		text:    text,
		decoder: jsontext.NewDecoder(text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		walker:  newJSONWalker(in, yield),
		isOwn:   ownFormat(head) == "waymark-bookmarks",
	}
	for err == nil {
		var root any
		r.memory = 0
		root, err = r.value("", 0)
		err = cmp.Or(r.walker.root(root, r.line()), err) // what was read before an error is not lost
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

// ownFormat returns the name in the first value of Waymark's own files, "" for other files.
func ownFormat(head []byte) string {
	if match := ownStart.FindSubmatch(head[:min(len(head), 200)]); match != nil {
		return string(match[1])
	}
	return ""
}

// variableStart is before the JSON in the archive of X, which is the value of a variable.
var variableStart = regexp.MustCompile(`^\s*window\.YTD\.[\w.]+\s*=\s*`)

var ownStart = regexp.MustCompile(`^\s*\{\s*"format"\s*:\s*"(waymark-[a-z]+)"`)

// The limits of what is kept, in multiples of Limits.Bookmark.
const (
	maxJSONValue  = 4  // a text, a number or white space: texts of pages, which are not kept, can be longer than a bookmark
	maxJSONMemory = 16 // all values
)

var (
	errBudget = errors.New("more bytes than allowed")
	errMemory = errors.New("more values than can be kept")
)

// limitedText is the text of a file. It counts line breaks.
type limitedText struct {
	r      *bufio.Reader
	left   int // how many bytes can be read, or else errBudget; set before each token
	breaks int
}

// Read implements io.Reader. It returns few bytes, because line counts those that are not yet used.
func (t *limitedText) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, errBudget
	}
	n, err := t.r.Read(p[:min(len(p), t.left, sniffSize)])
	t.left -= n
	t.breaks += bytes.Count(p[:n], []byte("\n"))
	return n, err
}

// jsonReader reads the values of a file.
type jsonReader struct {
	text    *limitedText
	decoder *jsontext.Decoder
	walker  *jsonWalker
	isOwn   bool // the file is one of Waymark's own
	memory  int  // the size of the values that are kept, in bytes
}

// line returns the line of the last token.
func (r *jsonReader) line() int {
	return r.text.breaks - bytes.Count(r.decoder.UnreadBuffer(), []byte("\n")) + 1
}

// explain returns an error of the decoder in words for the owner of the file, with the number of URLs that were not read.
func (r *jsonReader) explain(err error) error {
	limit := r.walker.limits.Bookmark
	syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, errMemory):
		err = fmt.Errorf("what belongs together in the file is longer than %d bytes", maxJSONMemory*limit)
	case errors.Is(err, errBudget):
		err = fmt.Errorf("a value is longer than %d bytes", maxJSONValue*limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the file ends inside a value: it seems to be truncated")
	case isSyntax:
		err = syntax.Err
	default:
		return err
	}
	line := r.line()
	rest := bufio.NewReader(io.MultiReader(bytes.NewReader(r.decoder.UnreadBuffer()), r.text.r))
	if n := countURLs(rest); n > 0 {
		return fmt.Errorf("line %d: %w: the %d URLs after it are not read", line, err, n)
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// countURLs returns how many URLs of the web are in a text.
func countURLs(text *bufio.Reader) (n int) {
	for {
		part, err := text.ReadSlice(':')
		if end := strings.ToLower(string(part[max(0, len(part)-len("https:")):])); strings.HasSuffix(end, "http:") || end == "https:" {
			n++
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return n
		}
	}
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
	const overhead = 48 // of a value in memory, about
	if r.memory += overhead + len(key); r.memory > maxJSONMemory*r.walker.limits.Bookmark {
		return nil, errMemory
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
		if isKept := key == "" || knownName(key) != "" || isWebURL(text) || isWebURL(key); !isKept {
			return unusedValue{}, nil
		}
		r.memory += len(text)
		if kind == '0' {
			return json.Number(text), nil
		}
		return text, nil
	}
	return nil, nil
}

// array reads an array, whose start was read.
func (r *jsonReader) array(key string, depth int) (any, error) {
	oneByOne := depth == 0 || depth == 1 && r.isOwn
	values := []jsonValue{}
	for r.peek() != ']' {
		line, before := r.line(), r.memory
		value, err := r.value("", depth+1)
		element := jsonValue{line: line, value: value}
		switch path, isText := value.(string); {
		case oneByOne && key == "lists" && isText:
			err = cmp.Or(r.walker.folder(line, splitListPath(path, r.walker.limits.Depth), true), err)
		case oneByOne:
			err = cmp.Or(r.walker.element(element, key), err)
		default:
			values = append(values, element)
		}
		if oneByOne {
			r.memory = before
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
	o := &jsonObject{line: r.line()}
	for r.peek() != '}' {
		token, err := r.decoder.ReadToken()
		if err != nil {
			return o, err
		}
		key, line, before := token.String(), r.line(), r.memory
		value, err := r.value(key, depth+1)
		if value != (unusedValue{}) || !technicalNames[normalName(key)] {
			o.members = append(o.members, jsonValue{line, key, value})
		} else {
			r.memory = before
		}
		if err != nil {
			return o, err
		}
	}
	_, err := r.decoder.ReadToken()
	o.members = slices.Clone(o.members) // without the capacity that it does not need
	return o, err
}
