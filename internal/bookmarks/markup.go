package bookmarks

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"waymark/internal/waymark"
)

// markupReader reads the tokens of a file of HTML or XML.
type markupReader struct {
	input
	yield yieldFunc
	next  *regexp.Regexp // what a bookmark or a folder begins or ends with
	line  int            // of the current token
}

// token is a tag, a text or a comment.
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

// The limits of a token, in multiples of Limits.Bookmark, and of tags and comments that are read again.
const (
	maxToken = 4
	maxAgain = 3
)

// tokens calls read for each token of the file.
func (m *markupReader) tokens(read func(token) error) error {
	m.line = 1
	text := &textCutter{text: m.text, limit: 2 * m.limits.Bookmark}
	err := m.tokensOf(text, 0, read)
	if errors.Is(err, html.ErrBufferExceeded) {
		return fmt.Errorf("line %d: this part of the file is longer than %d bytes: the %d URLs after it are not read",
			m.line, maxToken*m.limits.Bookmark, countURLs(m.text))
	}
	return err
}

// tokensOf calls read for each token of a text. A tag or a comment that contains bookmarks lacks its end: it is reported, and what
// follows its beginning is read again.
func (m *markupReader) tokensOf(text io.Reader, again int, read func(token) error) error {
	z := html.NewTokenizer(text)
	z.SetMaxBuf(maxToken * m.limits.Bookmark)
	z.AllowCDATA(true)
	for {
		kind := z.Next()
		t := token{raw: string(z.Raw())}
		t.Token = z.Token()
		z.NextIsNotRawText()
		if kind == html.ErrorToken && !errors.Is(z.Err(), io.EOF) {
			return z.Err()
		}
		if kind == html.ErrorToken && t.raw == "" {
			return nil
		}
		t, rest := m.withEnd(t)
		if t.isTag() {
			t.name = t.Data
		}
		line := m.line
		err := m.tokenOrError(t, rest, read)
		if m.line = line + strings.Count(t.raw, "\n"); err == nil && rest != "" {
			if again < maxAgain {
				err = m.tokensOf(strings.NewReader(rest), again+1, read)
			} else if n := countURLs(bufio.NewReader(strings.NewReader(rest))); n > 0 {
				err = m.broken("the markup around %d URLs is broken: they are not read", n)
			}
		}
		if err != nil {
			return err
		}
		m.line = line + strings.Count(t.raw+rest, "\n")
	}
}

// withEnd returns a token up to the next bookmark in it, and the rest of it.
func (m *markupReader) withEnd(t token) (token, string) {
	if strings.HasPrefix(t.raw, cdataStart) {
		t.Data = strings.TrimSuffix(t.raw[len(cdataStart):], "]]>")
		return t, ""
	}
	if strings.LastIndexByte(t.raw, '<') <= 0 {
		return t, ""
	}
	end := 0
	if less := loneLess.FindString(t.raw); less != "" {
		end = len(less) - 1
		t.Token = html.Token{Type: html.TextToken, Data: less[:end]}
	} else if next := m.next.FindStringIndex(t.raw[1:]); next == nil {
		return t, ""
	} else if end = next[0] + 1; t.Type == html.CommentToken {
		end = len(commentStart)
	}
	raw := t.raw
	t.raw = raw[:end]
	return t, raw[end:]
}

const (
	commentStart = "<!--"
	cdataStart   = "<![CDATA["
)

// loneLess is a < before another tag, as in a<b</A>.
var loneLess = regexp.MustCompile(`^<\w[^"'>]*<`)

// tokenOrError calls read for a token, or reports one without its end. A comment without its end is text, and for another token
// read gets an html.ErrorToken.
func (m *markupReader) tokenOrError(t token, rest string, read func(token) error) error {
	switch {
	case t.Type == html.TextToken:
		return read(t)
	case t.Type == html.CommentToken && rest != "":
		if err := m.note("a comment does not end before the next bookmark: what follows it is read"); err != nil {
			return err
		}
		return read(token{Token: html.Token{Type: html.TextToken, Data: t.raw}, raw: t.raw})
	case rest == "" && t.Type != html.ErrorToken:
		return read(t)
	}
	t.Type = html.ErrorToken
	if err := read(t); err != nil {
		return err
	}
	if t.name == "a" || nextURL(t.raw) >= 0 {
		return m.broken("the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read")
	}
	return m.note("a quotation mark is missing in a tag: it cannot be read")
}

// broken yields the error of bookmarks whose markup cannot be read.
func (m *markupReader) broken(format string, values ...any) error {
	return m.yield(Bookmark{}, m.problem(fmt.Errorf(format, values...), false))
}

// note yields a problem of the file by which no bookmark is lost.
func (m *markupReader) note(text string) error {
	return m.yield(Bookmark{}, m.problem(errors.New(text), true))
}

func (m *markupReader) problem(err error, saved bool) *RowError {
	return &RowError{Line: m.line, Err: err, Problem: waymark.Problem{Field: waymark.FieldMarkup, Rule: waymark.RuleFormat}, Saved: saved}
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
		return r, m.note("the tag of a bookmark is broken: parts of it can be missing")
	}
	return r, nil
}

// textCutter leaves out what follows limit bytes without a <, such as files in a file of Evernote. It keeps line breaks.
type textCutter struct {
	text  *bufio.Reader
	limit int
	n     int // bytes since the last <
}

func (c *textCutter) Read(p []byte) (int, error) {
	for {
		n, err := c.text.Read(p)
		kept := p[:0]
		for _, b := range p[:n] {
			if b == '<' {
				c.n = 0
			}
			if c.n++; c.n <= c.limit || b == '\n' {
				kept = append(kept, b)
			}
		}
		if len(kept) > 0 || err != nil {
			return len(kept), err
		}
	}
}
