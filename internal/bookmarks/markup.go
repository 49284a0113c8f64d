package bookmarks

import (
	"bufio"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"waymark/internal/waymark"
)

// markupReader splits a file of HTML or XML into pieces. A piece begins where a bookmark or a folder begins or ends, so
// broken markup costs at most the bookmark in which it is.
type markupReader struct {
	input
	yield    yieldFunc
	boundary *regexp.Regexp // where a piece begins
	isXML    bool
	line     int  // of the current token
	inCDATA  bool // of XML: the next piece begins in it
}

// token is a part of a piece.
type token struct {
	html.Token
	raw  string // all of it
	name string // of a tag
}

func (t token) isStart() bool {
	return t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken
}
func (t token) isLeaf() bool { return t.Type == html.SelfClosingTagToken }
func (t token) isTag() bool  { return t.isStart() || t.Type == html.EndTagToken }

// attribute returns the value of an attribute, "" for none.
func (t token) attribute(name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// lacksQuote reports whether a quotation mark seems to be missing in the tag, or to be too much.
func (t token) lacksQuote() bool {
	return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool {
		return strings.ContainsAny(a.Key, `"'<`) || strings.ContainsAny(a.Val, `"'`) && strings.Contains(t.raw, "="+a.Val)
	})
}

// noValue is what does not belong to a value that lacks a quotation mark: the name of the next attribute, or the mark and
// what follows it.
var noValue = regexp.MustCompile(`(?s)\s+\w+=$|["'].*$`)

// tokens calls read for each token of the file, and tooLong for each piece that is longer than Limits.Bookmark.
func (m *markupReader) tokens(read func(token) error, tooLong func(start string) error) error {
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
			err = m.piece(piece, read)
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

const (
	commentStart = "<!--"
	commentEnd   = "-->"
	cdataStart   = "<![CDATA["
	cdataEnd     = "]]>"
)

// loneLess is a < before another tag, as in a<b</A>.
var loneLess = regexp.MustCompile(`<(\w*)<`)

// piece calls read for each token of a piece. The start of a comment that does not end in it is text.
func (m *markupReader) piece(text string, read func(token) error) error {
	if m.inCDATA {
		inside, rest, _ := strings.Cut(text, cdataEnd)
		if err := read(token{Token: html.Token{Type: html.TextToken, Data: inside}}); err != nil {
			return err
		}
		m.line += strings.Count(inside, "\n")
		text = rest
	}
	m.inCDATA = m.isXML && strings.LastIndex(text, cdataStart) > strings.LastIndex(text, cdataEnd)
	closed := strings.LastIndex(text, commentEnd) + 1
	if open := strings.Index(text[closed:], commentStart); open >= 0 && !m.inCDATA {
		err := m.note(m.line+strings.Count(text[:closed+open], "\n"), "a comment does not end before the next bookmark: what follows it is read")
		if err != nil {
			return err
		}
		text = text[:closed] + strings.ReplaceAll(text[closed:], commentStart, "&lt;!--")
	}
	z := html.NewTokenizer(strings.NewReader(loneLess.ReplaceAllString(text, "&lt;$1<")))
	z.AllowCDATA(true)
	for {
		kind := z.Next()
		t := token{raw: string(z.Raw())}
		if t.Token = z.Token(); kind == html.ErrorToken {
			if t.raw == "" {
				return nil
			}
			t.close()
		}
		if t.isTag() {
			t.name = t.Data
		} else if strings.HasPrefix(t.raw, cdataStart) {
			t.Data = strings.TrimSuffix(t.raw[len(cdataStart):], cdataEnd)
		}
		z.NextIsNotRawText()
		if err := read(t); err != nil {
			return err
		}
		m.line += strings.Count(t.raw, "\n")
	}
}

// close reads a tag without its end as if it had one. Without a quotation mark too, the token stays an html.ErrorToken.
func (t *token) close() {
	z := html.NewTokenizer(strings.NewReader(t.raw + ">"))
	if z.Next() == html.StartTagToken {
		t.Token = z.Token()
		t.Attr = append(t.Attr, html.Attribute{Key: "<"}) // see lacksQuote
	}
}

// note yields a problem of the file by which no bookmark is lost.
func (m *markupReader) note(line int, text string) error {
	return m.yield(Bookmark{}, &RowError{Line: line, Err: errors.New(text), Problem: waymark.Problem{Field: waymark.FieldMarkup, Rule: waymark.RuleFormat}, Saved: true})
}

// brokenTag yields the error of a bookmark whose tag cannot be read.
func (m *markupReader) brokenTag() error {
	err := errors.New("the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read")
	return m.yield(Bookmark{}, &RowError{Line: m.line, Err: err, Problem: waymark.Problem{Field: waymark.FieldMarkup, Rule: waymark.RuleFormat}})
}

// record returns the attributes of the tag of a bookmark.
func (m *markupReader) record(t token) (*record, error) {
	r := &record{line: m.line}
	isBroken := t.lacksQuote()
	for _, a := range t.Attr {
		if isBroken {
			a.Val = noValue.ReplaceAllString(a.Val, "")
		}
		r.set(a.Key, a.Val)
	}
	if isBroken {
		return r, m.note(m.line, "the tag of a bookmark is broken: parts of it can be missing")
	}
	return r, nil
}
