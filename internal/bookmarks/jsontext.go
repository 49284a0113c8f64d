package bookmarks

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

const (
	maxJSONDepth   = 10_000 // values inside each other
	maxJSONLiteral = 4096   // bytes of a number or of a name such as true
)

// jsonText is a reader of JSON text that bounds the memory of a json.Decoder that reads it: it
// cuts strings that are too long, removes white space, and returns an error for numbers that
// are too long and for values that are nested too deep. It also counts lines.
type jsonText struct {
	r         *bufio.Reader
	maxString int

	depth    int
	literal  int // the length of the current number or name
	inString bool
	length   int   // of the current string
	escape   int   // how many bytes of the current escape sequence follow
	cut      bool  // the rest of the current string is left out
	line     int   // of the last byte
	offset   int64 // the number of bytes that Read has returned
	// marks are the offsets at which lines begin, in the bytes that Read has returned but the
	// decoder has not yet returned as tokens.
	marks []lineMark
	err   error
}

// maxMarks is the number of marks above which those before the current token are forgotten.
const maxMarks = 10_000

type lineMark struct {
	offset int64
	line   int
}

// Read implements io.Reader.
func (t *jsonText) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if t.err != nil {
			break
		}
		c, err := t.r.ReadByte()
		if err != nil {
			t.err = err
			break
		}
		if c == '\n' {
			t.line++
			t.mark(t.offset + int64(n))
		}
		if !t.keep(c) {
			continue
		}
		p[n] = c
		n++
	}
	t.offset += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

func (t *jsonText) mark(offset int64) {
	if len(t.marks) > 0 && t.marks[len(t.marks)-1].offset == offset {
		t.marks[len(t.marks)-1].line = t.line
		return
	}
	t.marks = append(t.marks, lineMark{offset, t.line})
}

// keep reports whether the decoder gets the next byte, and sets err.
func (t *jsonText) keep(c byte) bool {
	if t.inString {
		return t.keepInString(c)
	}
	switch c {
	case ' ', '\t', '\r', '\n', 0:
		t.literal = 0
		return false
	case '"':
		t.inString, t.length, t.cut, t.literal = true, 0, false, 0
	case '{', '[':
		t.literal = 0
		if t.depth++; t.depth > maxJSONDepth {
			t.err = fmt.Errorf("more than %d values are inside each other", maxJSONDepth)
			return false
		}
	case '}', ']':
		t.depth--
		t.literal = 0
	case ',', ':':
		t.literal = 0
	default:
		if t.literal++; t.literal > maxJSONLiteral {
			t.err = fmt.Errorf("a number or a name is longer than %d bytes", maxJSONLiteral)
			return false
		}
	}
	return true
}

// keepInString cuts a string before a character or an escape sequence, never in one.
func (t *jsonText) keepInString(c byte) bool {
	t.length++
	switch {
	case t.escape == 1 && c == 'u':
		t.escape = 4 // digits
	case t.escape > 0:
		t.escape--
	case c == '"':
		t.inString = false
		return true
	default:
		t.cut = t.cut || utf8.RuneStart(c) && t.length > t.maxString
		if c == '\\' {
			t.escape = 1
		}
	}
	return !t.cut
}

// lineAt returns the line of an offset of the returned bytes, and forgets the marks before it.
func (t *jsonText) lineAt(offset int64) int {
	i := slices.IndexFunc(t.marks, func(m lineMark) bool { return m.offset > offset })
	if i < 0 {
		i = len(t.marks)
	}
	if i == 0 {
		return 1
	}
	line := t.marks[i-1].line
	t.marks = slices.Delete(t.marks, 0, i-1)
	return line
}

// jsonReader returns the tokens of JSON text.
type jsonReader struct {
	text    *jsonText
	decoder *json.Decoder
}

func newJSONReader(r *bufio.Reader, limits Limits) *jsonReader {
	text := &jsonText{r: r, maxString: limits.Value, line: 1, marks: []lineMark{{0, 1}}}
	decoder := json.NewDecoder(text)
	decoder.UseNumber()
	return &jsonReader{text, decoder}
}

func (r *jsonReader) line() int { return r.text.lineAt(r.decoder.InputOffset()) }

// token returns the next token. It returns io.EOF at the end of the file, if atEnd allows it.
func (r *jsonReader) token(atEnd bool) (json.Token, error) {
	token, err := r.decoder.Token()
	switch {
	case err == nil:
		if len(r.text.marks) > maxMarks {
			r.line() // forgets them
		}
		return token, nil
	case errors.Is(err, io.EOF) && atEnd && r.text.depth == 0 && !r.text.inString:
		return nil, io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("line %d: the file ends inside a value: it seems to be truncated", r.line())
	}
	return nil, fmt.Errorf("line %d: %w", r.line(), err)
}

// skip reads over the rest of the value that begins with token.
func (r *jsonReader) skip(token json.Token) error {
	for depth := 0; ; {
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 {
			return nil
		}
		var err error
		if token, err = r.token(false); err != nil {
			return err
		}
	}
}

// value returns the value that begins with token: a string, json.Number, bool, nil, []any or
// map[string]any. It subtracts the size of the value from budget. If that becomes negative, it
// reads the rest of the value but does not return it.
func (r *jsonReader) value(token json.Token, budget *int) (any, error) {
	const overhead = 64 // of a value in memory, about
	*budget -= overhead
	switch token := token.(type) {
	case string:
		*budget -= len(token)
	case json.Delim:
		if *budget < 0 {
			return nil, r.skip(token)
		}
		if token == '[' {
			return r.array(budget)
		}
		return r.object(budget)
	}
	return token, nil
}

func (r *jsonReader) array(budget *int) ([]any, error) {
	var values []any
	for {
		token, err := r.token(false)
		if err != nil || token == json.Delim(']') {
			return values, err
		}
		value, err := r.value(token, budget)
		if err != nil {
			return nil, err
		}
		if *budget >= 0 {
			values = append(values, value)
		}
	}
}

func (r *jsonReader) object(budget *int) (map[string]any, error) {
	values := map[string]any{}
	for {
		key, end, err := r.key()
		if err != nil || end {
			return values, err
		}
		token, err := r.token(false)
		if err != nil {
			return nil, err
		}
		*budget -= len(key)
		value, err := r.value(token, budget)
		if err != nil {
			return nil, err
		}
		if *budget >= 0 {
			values[key] = value
		}
	}
}

// key returns the next key of an object, or its end.
func (r *jsonReader) key() (key string, end bool, err error) {
	token, err := r.token(false)
	if err != nil {
		return "", false, err
	}
	key, ok := token.(string)
	return key, !ok, nil
}
