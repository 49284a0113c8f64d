package bookmarks

import (
	"bufio"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"waymark/internal/waymark"
)

// markupReader splits a file of HTML or XML into pieces. A piece begins where a bookmark or a folder begins or ends, so
// broken markup costs at most the bookmark in which it is.
type markupReader struct {
	input
	yield    yieldFunc
	boundary *regexp.Regexp  // where a piece begins
	elements map[string]bool // whose tags are not text, nil for all
	line     int             // of the current token
	inCDATA  bool            // of XML: the next text is taken as it is
}

// pieces calls read for each piece, and tooLong for each that is longer than Limits.Bookmark.
func (m *markupReader) pieces(read func(piece string) error, tooLong func(start string) error) error {
	scanned, isRest, long := 0, false, false
	scanner := bufio.NewScanner(m.text)
	scanner.Buffer(nil, m.limits.Bookmark+4096)
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if len(data) == 0 {
			return 0, nil, nil
		}
		from := max(1, scanned-maxBoundary)
		if next := m.boundary.FindIndex(data[min(from, len(data)):]); next != nil {
			scanned, long = 0, false
			return from + next[0], data[:from+next[0]], nil
		}
		if scanned = len(data); !atEOF && len(data) < m.limits.Bookmark {
			return 0, nil, nil
		}
		scanned, long = 0, !atEOF
		return len(data), data, nil
	})
	for m.line = 1; scanner.Scan(); {
		piece, err, start := scanner.Text(), error(nil), m.line
		switch {
		case isRest: // of a piece that is too long
		case long:
			err = tooLong(piece[:maxBoundary])
		default:
			err = read(piece)
		}
		if err != nil {
			return err
		}
		m.line = start + strings.Count(piece, "\n")
		isRest = long
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: read the file: %w", m.line, err)
	}
	return nil
}

// maxBoundary is how long a match of a boundary can be, in bytes.
const maxBoundary = 100

// note yields a problem of the file by which no bookmark is lost.
func (m *markupReader) note(text string) error {
	return m.yield(Bookmark{}, &RowError{Line: m.line, Err: errors.New(text), Problem: waymark.Problem{Field: waymark.FieldMarkup, Rule: waymark.RuleFormat}, Saved: true})
}

// brokenTag returns the error of a bookmark whose tag cannot be read.
func (m *markupReader) brokenTag() *RowError {
	err := errors.New("the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read")
	return &RowError{Line: m.line, Err: err, Problem: waymark.Problem{Field: waymark.FieldMarkup, Rule: waymark.RuleFormat}}
}

// record returns the attributes of a tag.
func (m *markupReader) record(t token) *record {
	r := &record{line: m.line}
	for _, a := range t.attributes {
		r.set(a.name, a.value)
	}
	return r
}

type tokenKind int

const (
	textToken tokenKind = iota
	startTag
	endTag
	ignoredToken // a declaration or a comment
	openComment  // the start of a comment that does not end
)

// token is a part of a piece.
type token struct {
	kind       tokenKind
	raw        string      // all of it
	text       string      // without references to characters
	name       string      // of a tag, in lower case
	attributes []attribute // of a tag
	isLeaf     bool        // a tag that ends with />
	isOpen     bool        // a tag without its end
	isBroken   bool        // a tag with a quotation mark without its pair
}

// attribute is an attribute of a tag, with its name in lower case.
type attribute struct{ name, value string }

// attribute returns the value of an attribute, "" for none.
func (t token) attribute(name string) string {
	for _, a := range t.attributes {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

func newText(raw string) token { return token{raw: raw, text: html.UnescapeString(raw)} }

const (
	cdataStart = "<![CDATA["
	cdataEnd   = "]]>"
)

// next returns the token that begins a text. In the text of a bookmark, declarations and open comments are text.
func (m *markupReader) next(text string, inText bool) token {
	const comment = "<!--"
	switch {
	case m.inCDATA:
		inside, _, found := strings.Cut(text, cdataEnd)
		m.inCDATA = !found
		return token{raw: text[:min(len(text), len(inside)+len(cdataEnd))], text: inside}
	case m.elements == nil && strings.HasPrefix(text, cdataStart):
		m.inCDATA = true
		return token{kind: ignoredToken, raw: cdataStart}
	case text[0] != '<':
		end := strings.IndexByte(text, '<')
		if end < 0 {
			end = len(text)
		}
		return newText(text[:end])
	case strings.HasPrefix(text, comment):
		inside, _, found := strings.Cut(text[len(comment):], "-->")
		switch {
		case found:
			return token{kind: ignoredToken, raw: text[:len(comment)+len(inside)+len("-->")]}
		case inText:
			return newText(comment)
		}
		return token{kind: openComment, raw: comment}
	case len(text) > 1 && (text[1] == '!' || text[1] == '?') && !inText:
		declaration, _, _ := strings.Cut(text, ">")
		return token{kind: ignoredToken, raw: text[:min(len(text), len(declaration)+1)]}
	}
	return m.tag(text)
}

// tag returns the tag that begins a text, or the < that is text.
func (m *markupReader) tag(text string) token {
	kind, start := startTag, 1
	if strings.HasPrefix(text, "</") {
		kind, start = endTag, 2
	}
	end := start
	for end < len(text) && isNameByte(text[end], m.elements == nil) {
		end++
	}
	name := strings.ToLower(text[start:end])
	switch {
	case name == "ahref" && m.elements[name[:1]]: // <AHREF=
		name, end = "a", start+1
	case name == "", m.elements != nil && !m.elements[name], end < len(text) && !strings.ContainsRune("/> \t\r\n\f", rune(text[end])):
		return newText("<")
	}
	t := token{kind: kind, name: name, raw: text}
	t.readAttributes(text, end)
	return t
}

func isNameByte(c byte, isXML bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || isXML && strings.IndexByte(":-_.", c) >= 0
}

const htmlSpace = " \t\r\n\f"

// readAttributes reads the attributes of a tag, which begin at text[i].
func (t *token) readAttributes(text string, i int) {
	for i < len(text) {
		switch text[i] {
		case '>':
			t.isLeaf, t.raw = text[i-1] == '/', text[:i+1]
			return
		case '<':
			t.isOpen, t.raw = true, text[:i]
			return
		}
		length := strings.IndexAny(text[i:], htmlSpace+"=/><\"'")
		if length == 0 {
			i++
			continue
		}
		if length < 0 {
			break
		}
		value, valueLength := readValue(text[i+length:])
		if t.isBroken = valueLength < 0; t.isBroken {
			return
		}
		t.attributes = append(t.attributes, attribute{strings.ToLower(text[i : i+length]), unescapeAttribute(value)})
		i += length + valueLength
	}
	t.isOpen = true
}

// Programs do not escape quotation marks in values, or leave out one.
var (
	// afterValue is what follows the quotation mark at the end of a value: the end of the tag, or the next attribute.
	afterValue = regexp.MustCompile(`^(?:(?:\s+[^\s"'<>/=]+)*(?:\s*/?>|\s+[^\s"'<>/=]+\s*=)|[^\s"'<>/=]+=["'])`)
	// beforeValue is what precedes the quotation mark at the start of the next value.
	beforeValue = regexp.MustCompile(`(?i)\s+(?:href|add_date|last_modified|last_visit|time_added|icon|icon_uri|shortcuturl|tags|private|toread|archived|title|description|text|url|htmlurl|xmlurl|type)=$`)
	// nextAttribute follows an attribute without a value.
	nextAttribute = regexp.MustCompile(`^\s+[\w-]+=["']`)
)

// readValue returns the value of an attribute, whose name precedes text, and the length of what was read, -1 if the value has
// no end.
func readValue(text string) (value string, length int) {
	afterName := strings.TrimLeft(text, htmlSpace)
	if !strings.HasPrefix(afterName, "=") {
		return "", 0
	}
	rest := strings.TrimLeft(afterName[1:], htmlSpace)
	start := len(text) - len(rest)
	switch {
	case rest == "" || nextAttribute.MatchString(afterName[1:]):
		return "", start
	case rest[0] == '"' || rest[0] == '\'':
		end, hasMark := valueEnd(rest[1:], rest[0])
		if end < 0 {
			return "", -1
		}
		if length = start + 1 + end; hasMark {
			length++
		}
		return rest[1 : 1+end], length
	}
	if end := strings.IndexAny(rest, htmlSpace+"><\"'"); end >= 0 {
		rest = rest[:end]
	}
	return rest, start + len(rest)
}

// The limits of the search for the end of a value, so that it takes linear time.
const (
	maxMarks  = 20  // quotation marks of a value
	maxBefore = 40  // bytes before one
	maxAfter  = 200 // bytes after one
)

// valueEnd returns where a value ends, -1 for nowhere: at the first quotation mark that afterValue follows or beforeValue precedes,
// or else at the first one. hasMark is false before beforeValue.
func valueEnd(text string, mark byte) (end int, hasMark bool) {
	if strings.HasPrefix(text, "data:image/svg+xml") {
		if end := strings.Index(text, "</svg>"+string(mark)); end >= 0 {
			return end + len("</svg>"), true
		}
	}
	first, at := -1, -1
	for range maxMarks {
		length := strings.IndexByte(text[at+1:], mark)
		if length < 0 {
			break
		}
		at += 1 + length
		before := text[max(0, at-maxBefore):at]
		if missing := beforeValue.FindStringIndex(before); missing != nil {
			return at - len(before) + missing[0], false
		}
		if afterValue.MatchString(text[at+1 : min(at+1+maxAfter, len(text))]) {
			return at, true
		}
		if first < 0 {
			first = at
		}
	}
	return first, true
}

// unescapeAttribute returns a value as browsers read it: &copy=1 in a URL is no ©.
func unescapeAttribute(value string) string {
	if strings.IndexByte(value, '&') < 0 {
		return value
	}
	z := html.NewTokenizer(strings.NewReader(`<a b="` + strings.ReplaceAll(value, `"`, "&#34;") + `">`))
	z.Next()
	z.TagName()
	_, text, _ := z.TagAttr()
	return string(text)
}
