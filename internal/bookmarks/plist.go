package bookmarks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// readPlist reads a property list of macOS, such as the bookmarks of Safari, as the JSON that has its values on the same lines.
func readPlist(in input, yield yieldFunc) error {
	r := &plistReader{markupReader: markupReader{input: in, yield: yield, next: nextInPlist}}
	if err := r.tokens(r.token); err != nil {
		return err
	}
	in.text = bufio.NewReaderSize(&r.json, sniffSize)
	return readJSON(in, yield)
}

// nextInPlist is the start or the end of an object.
var nextInPlist = regexp.MustCompile(`</?dict[\s/>]`)

// plistReader is the state of readPlist.
type plistReader struct {
	markupReader
	json  bytes.Buffer
	key   string // of the next value, as JSON
	comma string // before the next value
	text  strings.Builder
}

// token adds what a token means to the JSON.
func (r *plistReader) token(t token) error {
	isEnd := t.isTag() && t.Type != html.StartTagToken
	switch {
	case t.Type == html.TextToken && r.text.Len() < r.limits.Value:
		r.text.WriteString(t.Data)
	case t.isStart() && t.name == "dict":
		r.value("{")
		r.comma = ""
	case t.isStart() && t.name == "array":
		r.value("[")
		r.comma = ""
	case t.isStart() && (t.name == "true" || t.name == "false"):
		r.value(t.name)
	case t.isStart():
		r.text.Reset()
	case isEnd && t.name == "key":
		r.key = quoteJSON(r.text.String()) + ":"
	case isEnd && (t.name == "integer" || t.name == "real") && json.Valid([]byte(r.text.String())):
		r.value(r.text.String())
	case isEnd && (t.name == "string" || t.name == "date"):
		r.value(quoteJSON(r.text.String()))
	}
	if isEnd && (t.name == "dict" || t.name == "array") {
		r.json.WriteString(map[string]string{"dict": "}", "array": "]"}[t.name])
		r.comma = ","
	}
	r.json.WriteString(strings.Repeat("\n", strings.Count(t.raw, "\n")))
	if limit := maxJSONMemory * r.limits.Bookmark; r.json.Len() > limit {
		return rowTooLong(r.line, limit, "the property list")
	}
	return nil
}

// value adds a value, or the beginning of one.
func (r *plistReader) value(text string) {
	r.json.WriteString(r.comma + r.key + text)
	r.key, r.comma = "", ","
}

func quoteJSON(text string) string {
	quoted, _ := json.Marshal(text) // a text has no error
	return string(quoted)
}
