package bookmarks

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
)

// jsonText is the text of a file. It counts line breaks.
type jsonText struct {
	budgetReader
	breaks int
}

// Read implements io.Reader. It returns few bytes, because line counts those that are not yet used.
func (t *jsonText) Read(p []byte) (int, error) {
	n, err := t.budgetReader.Read(p[:min(len(p), sniffSize)])
	t.breaks += bytes.Count(p[:n], []byte("\n"))
	return n, err
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
