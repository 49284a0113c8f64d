package bookmarks

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
)

// jsonText is the text of a file. It counts line breaks, and makes valid JSON of what some programs write.
type jsonText struct {
	budgetReader
	breaks    int
	inString  bool
	isEscaped bool // the next character of the string
}

// Read implements io.Reader. It returns few bytes, because line counts those that are not yet used.
func (t *jsonText) Read(p []byte) (int, error) {
	n, err := t.budgetReader.Read(p[:min(len(p), sniffSize)])
	t.breaks += bytes.Count(p[:n], []byte("\n"))
	t.repair(p[:n])
	return n, err
}

// repair replaces line breaks and other control characters in strings, and the comma after the last element or member, by a
// space. Without it, nothing after them could be read.
func (t *jsonText) repair(p []byte) {
	for i, c := range p {
		switch {
		case t.isEscaped:
			t.isEscaped = false
		case c == '"':
			t.inString = !t.inString
		case t.inString && c == '\\':
			t.isEscaped = true
		case t.inString && c < ' ', c == ',' && !t.inString && t.endsBefore(p[i+1:]):
			p[i] = ' '
		}
	}
}

// endsBefore reports whether the end of an array or object comes next, in rest or in what was not read yet.
func (t *jsonText) endsBefore(rest []byte) bool {
	next := firstByte(rest)
	if next == 0 {
		head, _ := t.r.Peek(64) // an error comes again with the next Read
		next = firstByte(head)
	}
	return next == ']' || next == '}'
}

// isOwnJSON reports whether a file that begins with head was written by NewWriter.
func isOwnJSON(head []byte) bool { return hasFormat(head, "waymark-bookmarks") }

// hasFormat reports whether a file begins with an object whose first value is the name of a format.
func hasFormat(head []byte, format string) bool {
	var compact []byte
	for _, c := range head[:min(len(head), 200)] {
		if c > ' ' {
			compact = append(compact, c)
		}
	}
	return strings.HasPrefix(string(compact), `{"format":"`+format+`"`)
}

// firstByte returns the first byte that is not white space, or 0.
func firstByte(head []byte) byte {
	for _, c := range head {
		if c > ' ' {
			return c
		}
	}
	return 0
}

// budgetReader returns errBudget after left bytes. The caller sets left before it reads each part
// of the file.
type budgetReader struct {
	r    *bufio.Reader
	left int
}

var errBudget = errors.New("more bytes than allowed")

func (b *budgetReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBudget
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
