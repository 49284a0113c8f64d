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

	line  int // of the current token
	kind  tokenKind
	name  string      // of the tag
	notes []*RowError // for after the current bookmark
	noted int         // the number of notes so far
}

type tokenKind int

const (
	textToken tokenKind = iota
	startTagToken
	endTagToken
	cdataToken        // a text without markup
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
	// isOpen reports whether there is a bookmark that has not ended, and flush ends it.
	isOpen() bool
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
		if !handler.isOpen() {
			if err := m.flushNotes(); err != nil {
				return err
			}
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: read the file: %w", m.line, err)
	}
	if err := handler.flush(); err != nil {
		return err
	}
	return m.flushNotes()
}

// note adds a problem of the file by which no bookmark is lost, except those in a comment.
func (m *markupReader) note(field waymark.Field, text string) {
	const limit = 1000 // of a file
	if m.noted++; m.noted <= limit {
		m.notes = append(m.notes, &RowError{Line: m.line, Err: errors.New(text), Problem: waymark.Problem{Field: field, Rule: waymark.RuleFormat}, Saved: true})
	}
}

// flushNotes yields the notes.
func (m *markupReader) flushNotes() error {
	for _, note := range m.notes {
		if err := m.yield(Bookmark{}, note); err != nil {
			return err
		}
	}
	m.notes = nil
	return nil
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
	case inText && bytes.HasPrefix(data, []byte(cdataStart)):
		return m.splitCDATA(data, isAll)
	case bytes.HasPrefix(data, []byte("<!--")) && !handler.inTitle():
		return m.splitComment(data, isAll, inText)
	case len(data) > 1 && (data[1] == '!' || data[1] == '?') && !inText:
		m.kind = ignoredToken
		return endOr(bytes.IndexByte(data, '>')+1, len(data), isAll)
	}
	return m.splitTag(data, isAll, inText)
}

// The start and the end of a text without markup.
const (
	cdataStart = "<![CDATA["
	cdataEnd   = "]]>"
)

// splitCDATA returns the length of a text without markup, or of its start if it does not end before the
// next bookmark.
func (m *markupReader) splitCDATA(data []byte, isAll bool) int {
	end := bytes.Index(data, []byte(cdataEnd))
	if end < 0 && !isAll {
		return 0
	}
	if end < 0 || m.next.Match(data[:end]) {
		return len(cdataStart)
	}
	m.kind = cdataToken
	return end + len(cdataEnd)
}

// endOr returns end, or if it is 0, the length of all data, and 0 if there is more.
func endOr(end, length int, isAll bool) int {
	if end == 0 && isAll {
		return length
	}
	return end
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
	if !m.elements[m.name] || end < len(data) && !bytes.ContainsAny(data[end:end+1], "/> \t\r\n\f") {
		m.kind = textToken
		return 1
	}
	return m.splitAttributes(data, end, isAll, inText)
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// splitAttributes returns where a tag ends.
func (m *markupReader) splitAttributes(data []byte, i int, isAll, inText bool) int {
	afterEqual, values := false, 0
	for ; i < len(data); i++ {
		switch c := data[i]; {
		case c == '>':
			return i + 1
		case c == '<':
			if m.kind == startTagToken {
				m.kind = openTagToken
			}
			return i
		case afterEqual && (c == '"' || c == '\''):
			length, isBroken := m.valueLength(data[i+1:], c, values, isAll)
			values++
			switch {
			case length < 0:
				return 0
			case isBroken && inText && !structure[m.name]:
				m.kind = textToken
				return 1
			case isBroken:
				m.kind = brokenTagToken
				return i + 1 + length
			}
			i += 1 + length
			afterEqual = false
		case c == '=':
			afterEqual = true
		case !strings.ContainsRune(" \t\r\n", rune(c)):
			afterEqual = false
		}
	}
	if isAll {
		m.kind = truncatedTagToken
		return len(data)
	}
	return 0
}

// valueLength returns the length of the value that begins data, without the quotation mark c at its end; -1
// if more data is needed. If the next bookmark begins before that, the value is broken and ends there.
// number is that of the attribute in its tag.
func (m *markupReader) valueLength(data []byte, c byte, number int, isAll bool) (length int, isBroken bool) {
	end := bytes.IndexByte(data, c)
	if number < maxAttributes {
		if strict := valueEnd(data, c); strict > end && !m.next.Match(data[:strict]) {
			end = strict
		}
	}
	if number < maxAttributes && bytes.HasPrefix(data, []byte(svgStart)) && bytes.Contains(data[:max(end, 0)], []byte("<svg")) {
		svg := svgEnd.FindSubmatchIndex(data)
		switch next := m.next.FindIndex(data); {
		case svg != nil && (next == nil || svg[0] < next[0]):
			end = max(svg[2], svg[4])
		case svg == nil && next == nil && !isAll:
			return -1, false
		}
	}
	if end >= 0 {
		data = data[:end]
	}
	if next := m.next.FindIndex(data); next != nil {
		return next[0], true
	}
	return len(data), false
}

// token handles the current token.
func (m *markupReader) token(token []byte, handler markupHandler) error {
	isBookmark := m.name == m.element
	switch m.kind {
	case textToken:
		handler.addText(html.UnescapeString(string(token)))
		return nil
	case cdataToken:
		handler.addText(string(token[len(cdataStart) : len(token)-len(cdataEnd)]))
		return nil
	case startTagToken:
		if (handler.inTitle() || handler.inDescription()) && !structure[m.name] && !wholeTag.Match(token) { // such as a<b && c>d
			handler.addText(html.UnescapeString(string(token)))
			return nil
		}
		return handler.startTag(m.name, token)
	case endTagToken:
		return handler.endTag(m.name)
	case openTagToken:
		if isBookmark {
			m.note(waymark.FieldMarkup, "the tag of a bookmark has no end")
		}
		if (handler.inTitle() || handler.inDescription()) && !structure[m.name] { // such as a<b
			handler.addText(html.UnescapeString(string(token)))
			return nil
		}
		return handler.startTag(m.name, token)
	case openCommentToken:
		m.note(waymark.FieldMarkup, "a comment does not end: what follows it is read")
	case bookmarkComment:
		m.note(waymark.FieldComment, "the bookmarks in a comment are left out")
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
			m.note(waymark.FieldMarkup, "a quotation mark is missing in the tag of a folder: it cannot be read")
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
		row = rowTooLong(m.line, m.limits.Value, fmt.Errorf("the tag of a bookmark is longer than %d bytes", m.limits.Value))
	}
	return m.yield(Bookmark{}, row)
}
