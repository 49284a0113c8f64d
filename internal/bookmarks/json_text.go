package bookmarks

import (
	"bufio"
	"bytes"
	"errors"
	"regexp"
)

// jsonText is the text of a file. It counts line breaks, and makes valid JSON of what some programs write.
type jsonText struct {
	r         *bufio.Reader
	left      int // how many bytes can be read, or else errBudget; set before each token
	breaks    int
	inString  bool
	isEscaped bool // the next character of the string
}

// Read implements io.Reader. It returns few bytes, because line counts those that are not yet used.
func (t *jsonText) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, errBudget
	}
	n, err := t.r.Read(p[:min(len(p), t.left, sniffSize)])
	t.left -= n
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
	const space = " \t\r\n"
	if rest = bytes.TrimLeft(rest, space); len(rest) == 0 {
		head, _ := t.r.Peek(64) // an error comes again with the next Read
		rest = bytes.TrimLeft(head, space)
	}
	return bytes.HasPrefix(rest, []byte("]")) || bytes.HasPrefix(rest, []byte("}"))
}

// ownFormat returns the name in the first value of Waymark's own files, "" for other files.
func ownFormat(head []byte) string {
	if match := ownStart.FindSubmatch(head[:min(len(head), 200)]); match != nil {
		return string(match[1])
	}
	return ""
}

var ownStart = regexp.MustCompile(`^\s*\{\s*"format"\s*:\s*"(waymark-[a-z]+)"`)

var errBudget = errors.New("more bytes than allowed")
