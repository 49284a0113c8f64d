package bookmarks

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"waymark/internal/waymark"
)

// markupReader splits a file of HTML or XML into tags and texts. Programs write texts that are not
// escaped, so a tag of an element that it does not know is text, and no tag, comment or attribute
// goes on beyond the start of the next bookmark. Its memory is bounded by Limits.Value.
type markupReader struct {
	input
	yield    yieldFunc
	element  string          // of the bookmarks
	elements map[string]bool // the elements that are known
	next     *regexp.Regexp  // where another bookmark or a folder begins or ends

	line       int // of the current token
	kind       tokenKind
	name       string      // of the tag
	attributes []attribute // of the tag
}

// record returns the attributes of the tag.
func (m *markupReader) record() *record {
	r := &record{line: m.line}
	for _, a := range m.attributes {
		r.set(a.name, a.value)
	}
	return r
}

type tokenKind int

const (
	textToken tokenKind = iota
	startTagToken
	endTagToken
	ignoredToken      // a declaration or comment
	openCommentToken  // the start of a comment that does not end
	bookmarkComment   // a comment with bookmarks in it
	brokenTagToken    // a tag with a quotation mark without its pair
	openTagToken      // a tag without its end
	longTagToken      // the beginning of a tag that is too long
	truncatedTagToken // the end of the file
)

// markupHandler gets what a markupReader reads.
type markupHandler interface {
	startTag(name string, tag []byte) error
	endTag(name string) error
	addText(text string)
	// inTitle and inDescription report where the current text belongs.
	inTitle() bool
	inDescription() bool
	// flush ends the current bookmark.
	flush() error
}

// read reads the file.
func (m *markupReader) read(handler markupHandler) error {
	scanner := bufio.NewScanner(m.text)
	scanner.Buffer(nil, m.limits.Value+4096)
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if len(data) == 0 {
			return 0, nil, nil
		}
		n := m.split(data, atEOF || len(data) >= m.limits.Value, handler)
		if n == 0 {
			return 0, nil, nil
		}
		if n == len(data) && m.kind == truncatedTagToken && !atEOF {
			m.kind = longTagToken
		}
		return n, data[:n], nil
	})
	for scanner.Scan() {
		token := scanner.Bytes()
		if err := m.token(token, handler); err != nil {
			return err
		}
		m.line += bytes.Count(token, []byte("\n"))
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: read the file: %w", m.line, err)
	}
	return handler.flush()
}

// note yields a problem of the file by which no bookmark is lost, except those in a comment.
func (m *markupReader) note(field waymark.Field, text string) error {
	problem := waymark.Problem{Field: field, Rule: waymark.RuleFormat}
	return m.yield(Bookmark{}, &RowError{Line: m.line, Err: errors.New(text), Problem: problem, Saved: true})
}

// split returns the length of the first token of data and sets its kind, or returns 0 if more data
// is needed. isAll says that there is no more.
func (m *markupReader) split(data []byte, isAll bool, handler markupHandler) int {
	m.kind = textToken
	if data[0] != '<' {
		end := bytes.IndexByte(data, '<')
		if end < 0 && isAll {
			return len(data)
		}
		return max(end, 0)
	}
	if len(data) < len("<!--") && !isAll {
		return 0
	}
	inText := handler.inTitle() || handler.inDescription()
	switch {
	case bytes.HasPrefix(data, []byte("<!--")) && !handler.inTitle():
		return m.splitComment(data, isAll, inText)
	case len(data) > 1 && (data[1] == '!' || data[1] == '?') && !inText:
		m.kind = ignoredToken
		if end := bytes.IndexByte(data, '>') + 1; end > 0 || !isAll {
			return end
		}
		return len(data)
	}
	return m.splitTag(data, isAll, inText)
}

// splitComment returns the length of a comment. In a description, bookmarks do not belong to it.
func (m *markupReader) splitComment(data []byte, isAll, inText bool) int {
	start := len("<!--")
	inside := data[start:]
	if again := bytes.Index(inside, []byte("<!--")); again >= 0 { // comments are not in comments
		inside, isAll = inside[:again], true
	}
	end := bytes.Index(inside, []byte("-->"))
	if end < 0 && !isAll {
		return 0
	}
	hasBookmarks := end >= 0 && m.next.Match(inside[:end])
	if end < 0 || inText && hasBookmarks {
		if m.kind = openCommentToken; inText {
			m.kind = textToken
		}
		return start
	}
	if m.kind = ignoredToken; hasBookmarks {
		m.kind = bookmarkComment
	}
	return start + end + len("-->")
}

// splitTag returns the length of a tag, or of the < that is text.
func (m *markupReader) splitTag(data []byte, isAll, inText bool) int {
	start := 1
	m.kind = startTagToken
	if len(data) > 1 && data[1] == '/' {
		start, m.kind = 2, endTagToken
	}
	end := start
	for end < len(data) && isNameByte(data[end]) {
		end++
	}
	if end == len(data) && !isAll {
		return 0
	}
	m.name = strings.ToLower(string(data[start:min(end, start+20)]))
	if m.name == m.element+"href" && m.kind == startTagToken { // <AHREF=
		m.name, end = m.element, start+len(m.element)
	} else if !m.elements[m.name] || end < len(data) && !bytes.ContainsAny(data[end:end+1], "/> \t\r\n\f") {
		m.kind = textToken
		return 1
	}
	return m.splitAttributes(data, end, isAll, inText)
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// splitAttributes reads the attributes of a tag, which begin at data[i], and returns where it ends.
func (m *markupReader) splitAttributes(data []byte, i int, isAll, inText bool) int {
	m.attributes = nil
	for i < len(data) {
		switch data[i] {
		case '>':
			return i + 1
		case '<':
			if m.kind == startTagToken {
				m.kind = openTagToken
			}
			return i
		}
		length := bytes.IndexAny(data[i:], htmlSpace+"=/><\"'")
		if length == 0 {
			i++
			continue
		}
		if length < 0 {
			break
		}
		name := strings.ToLower(string(data[i : i+length]))
		i += length
		value, next, isBroken := splitValue(data, i, isAll, m.next)
		switch {
		case next < 0 && !isAll:
			return 0
		case isBroken && inText && !structure[m.name]:
			m.kind = textToken
			return 1
		case isBroken:
			m.kind = brokenTagToken
			return next
		case next < 0:
			next = len(data)
		case isBrokenIcon(value) && m.kind == startTagToken:
			m.kind = openTagToken
		}
		i = next
		m.attributes = append(m.attributes, attribute{name, unescapeAttribute(value)})
	}
	if isAll {
		m.kind = truncatedTagToken
		return len(data)
	}
	return 0
}

// token handles the current token.
func (m *markupReader) token(token []byte, handler markupHandler) error {
	isBookmark := m.name == m.element
	switch m.kind {
	case textToken:
		handler.addText(html.UnescapeString(string(token)))
		return nil
	case startTagToken, openTagToken:
		if isBookmark && m.kind == openTagToken {
			if err := m.note(waymark.FieldMarkup, "the tag of a bookmark is broken: parts of it can be missing"); err != nil {
				return err
			}
		}
		inText := (handler.inTitle() || handler.inDescription()) && !structure[m.name]
		if inText && (m.kind == openTagToken || !wholeTag.Match(token)) { // such as a<b && c>d
			handler.addText(html.UnescapeString(string(token)))
			return nil
		}
		return handler.startTag(m.name, token)
	case endTagToken:
		return handler.endTag(m.name)
	case openCommentToken:
		return m.note(waymark.FieldMarkup, "a comment does not end: what follows it is read")
	case bookmarkComment:
		return m.note(waymark.FieldComment, "the bookmarks in a comment are left out")
	case brokenTagToken, longTagToken, truncatedTagToken:
		return m.lostTag(isBookmark, handler)
	}
	return nil
}

// wholeTag is a tag whose attributes have names and values.
var wholeTag = regexp.MustCompile(`^<\w+(?:\s+[A-Za-z][\w:.-]*\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))*\s*/?>$`)

// structure are the elements that begin or end a text.
var structure = nameSet("a dl dt dd h3 outline")

// lostTag handles a tag that cannot be read.
func (m *markupReader) lostTag(isBookmark bool, handler markupHandler) error {
	if !isBookmark {
		if m.kind == brokenTagToken {
			return m.note(waymark.FieldMarkup, "a quotation mark is missing in the tag of a folder: it cannot be read")
		}
		return nil
	}
	if err := handler.flush(); err != nil {
		return err
	}
	row := noEnd(m.line, "the file ends inside a bookmark: it seems to be truncated")
	switch m.kind {
	case brokenTagToken:
		row = &RowError{
			Line: m.line, Err: errors.New("a quotation mark is missing in the tag of a bookmark: it cannot be read"),
			Problem: waymark.Problem{Field: waymark.FieldMarkup, Rule: waymark.RuleFormat},
		}
	case longTagToken:
		row = rowTooLong(m.line, m.limits.Value, "the tag of a bookmark")
	}
	return m.yield(Bookmark{}, row)
}
