package bookmarks

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// readPlist reads a property list of macOS, such as the bookmarks of Safari, as the JSON that has its values.
func readPlist(in input, yield yieldFunc) error {
	r := &plistReader{markupReader: markupReader{input: in, yield: yield, next: nextInPlist}}
	if err := r.tokens(r.token); err != nil {
		return err
	}
	for len(r.open) > 0 { // the file is truncated
		r.close()
	}
	w := newJSONWalker(in, yield)
	if err := w.root(r.root, r.line); err != nil {
		return err
	}
	if !w.found {
		return errors.New("the property list has no bookmarks")
	}
	return w.end()
}

// nextInPlist is the start or the end of an object.
var nextInPlist = regexp.MustCompile(`</?dict[\s/>]`)

// plistReader is the state of readPlist.
type plistReader struct {
	markupReader
	open   []jsonValue // the open arrays and objects
	root   any
	key    string // of the next member
	text   strings.Builder
	memory int // of the values, in bytes
}

// token reads a token.
func (r *plistReader) token(t token) error {
	text := r.text.String()
	switch {
	case t.Type == html.TextToken && r.text.Len() < r.limits.Value:
		r.text.WriteString(t.Data)
	case t.isStart() && t.name == "dict":
		r.open = append(r.open, jsonValue{r.line, r.key, &jsonObject{line: r.line}})
	case t.isStart() && t.name == "array":
		r.open = append(r.open, jsonValue{r.line, r.key, []jsonValue{}})
	case t.isStart() && (t.name == "true" || t.name == "false"):
		r.add(jsonValue{r.line, r.key, t.name == "true"})
	case t.isStart():
		r.text.Reset()
	case t.Type != html.EndTagToken:
	case t.name == "key":
		r.key = text
	case t.name == "string" || t.name == "date":
		r.add(jsonValue{r.line, r.key, text})
	case t.name == "integer" || t.name == "real":
		r.add(jsonValue{r.line, r.key, json.Number(text)})
	}
	if isEnd := t.isTag() && t.Type != html.StartTagToken; isEnd && (t.name == "dict" || t.name == "array") {
		r.close()
	}
	const maxDepth = 1000
	if limit := maxJSONMemory * r.limits.Bookmark; r.memory > limit || len(r.open) > maxDepth {
		return rowTooLong(r.line, limit, "the property list")
	}
	return nil
}

// close ends the innermost array or object.
func (r *plistReader) close() {
	if last := len(r.open) - 1; last >= 0 {
		closed := r.open[last]
		r.open = r.open[:last]
		r.add(closed)
	}
}

// add adds a value to the innermost array or object.
func (r *plistReader) add(v jsonValue) {
	const overhead = 64 // of a value in memory, about
	r.memory += overhead
	if text, isText := v.value.(string); isText {
		r.memory += len(text)
	}
	r.key = ""
	if len(r.open) == 0 {
		r.root = v.value
		return
	}
	in := &r.open[len(r.open)-1]
	switch container := in.value.(type) {
	case *jsonObject:
		container.members = append(container.members, v)
	case []jsonValue:
		in.value = append(container, v)
	}
}
