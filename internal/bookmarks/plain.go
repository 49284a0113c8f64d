package bookmarks

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"waymark/internal/waymark"
)

// readPlain reads a list of URLs, one a line. The text before or after a URL is its
// title. Empty lines and those that begin with # are comments. Markdown links can be in it.
func readPlain(in input, yield yieldFunc) error {
	for number := 1; ; number++ {
		line, err := readLine(in.text, in.limits.Value)
		atEnd := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, errBudget):
			err = yield(Bookmark{}, rowTooLong(number, in.limits.Value, fmt.Errorf("the line is longer than %d bytes", in.limits.Value)))
		case err != nil && !atEnd:
			return fmt.Errorf("line %d: read the file: %w", number, err)
		default:
			err = readPlainLine(number, strings.TrimSpace(string(line)), yield)
		}
		if err != nil {
			return err
		}
		if atEnd {
			return nil
		}
	}
}

func readPlainLine(number int, line string, yield yieldFunc) error {
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	b := Bookmark{Line: number}
	start := findURL(line)
	if start < 0 {
		return yield(b, noURL(number, "no URL in %.200q", line))
	}
	before, rest := line[:start], line[start:]
	if title, found := strings.CutSuffix(before, "]("); found { // Markdown: [title](URL)
		rawURL, after := cutMarkdownURL(rest)
		_, before, _ = strings.Cut(title, "[")
		b.URL, rest = rawURL, after
	} else {
		end := strings.IndexAny(rest, " \t<>")
		if end < 0 {
			end = len(rest)
		}
		b.URL, rest = rest[:end], rest[end:]
	}
	title := strings.Trim(cleanLine(before), "-*•|:<[ ")
	if title == "" {
		title = strings.Trim(cleanLine(rest), "-*•|:> ")
	}
	b.URL, b.Title = cleanURL(b.URL), title
	return yield(b, nil)
}

// cutMarkdownURL cuts a text after a URL at the parenthesis that ends it. A URL can contain pairs
// of parentheses.
func cutMarkdownURL(text string) (rawURL, after string) {
	open := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			open++
		case ')':
			if open == 0 {
				return text[:i], text[i+1:]
			}
			open--
		}
	}
	return text, ""
}

// findURL returns where the first URL of a line begins: at http:// or https://, or
// else at the start of the line if it begins with another scheme. It returns -1 for none.
func findURL(line string) int {
	lower := strings.ToLower(line)
	if len(lower) == len(line) { // the same positions
		for _, scheme := range []string{"https://", "http://"} {
			if i := strings.Index(lower, scheme); i >= 0 {
				return i
			}
		}
	}
	first, _, _ := strings.Cut(line, " ")
	if _, rest, ok := waymark.SplitScheme(first); ok && rest != "" {
		return 0
	}
	return -1
}

// readLine returns the next line of at most limit bytes, without its end. It returns
// errBudget for a longer one, and reads over it. io.EOF comes with the last line.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > limit; !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && tooLong, errors.Is(err, io.EOF) && tooLong:
			return nil, errBudget
		default:
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}
