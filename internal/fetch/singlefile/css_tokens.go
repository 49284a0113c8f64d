package singlefile

import (
	"strings"
	"unicode/utf8"
)

// tokenKind is the kind of a token of CSS.
type tokenKind int

const (
	otherToken tokenKind = iota // a delimiter, a number, a hash, a bracket, or an invalid string or URL
	spaceToken                  // white space or a comment
	identToken
	functionToken  // with its "("
	atKeywordToken // with its "@"
	stringToken
	urlToken // url(…) without quotation marks
)

// cssToken is a token of CSS.
type cssToken struct {
	kind tokenKind
	raw  string // the token as written
	// value is the name of an identifier, a function or an at-keyword in lower case, or the content
	// of a string or a URL.
	value string
}

// cssTokens divides CSS into the tokens of https://www.w3.org/TR/css-syntax-3/. The concatenated raw
// texts of the tokens are the CSS.
func cssTokens(css string) []cssToken {
	var tokens []cssToken
	for s := (scanner{text: css}); s.at < len(css); {
		start := s.at
		t := s.next()
		t.raw = css[start:s.at]
		tokens = append(tokens, t)
	}
	return tokens
}

// scanner reads the tokens of a text.
type scanner struct {
	text string
	at   int // the index of the next byte
}

// peek returns the byte after the next n bytes, 0 after the end.
func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

// next reads a token. Its raw text is not set.
func (s *scanner) next() cssToken {
	switch c := s.peek(0); {
	case isSpace(c):
		for isSpace(s.peek(0)) {
			s.at++
		}
		return cssToken{kind: spaceToken}
	case c == '/' && s.peek(1) == '*':
		if end := strings.Index(s.text[s.at+2:], "*/"); end >= 0 {
			s.at += 2 + end + 2
		} else {
			s.at = len(s.text)
		}
		return cssToken{kind: spaceToken}
	case c == '"' || c == '\'':
		return s.string(c)
	case c == '#', isDigit(c): // a hash, a number or a dimension
		s.at++
		s.name()
		return cssToken{}
	case c == '@':
		s.at++
		if !s.startsIdent() {
			return cssToken{}
		}
		return cssToken{kind: atKeywordToken, value: strings.ToLower(s.name())}
	case s.startsIdent():
		return s.identLike()
	default:
		_, size := utf8.DecodeRuneInString(s.text[s.at:])
		s.at += size
		return cssToken{}
	}
}

// identLike reads an identifier, a function or a URL.
func (s *scanner) identLike() cssToken {
	name := strings.ToLower(s.name())
	if s.peek(0) != '(' {
		return cssToken{kind: identToken, value: name}
	}
	s.at++
	if name != "url" {
		return cssToken{kind: functionToken, value: name}
	}
	n := 0
	for isSpace(s.peek(n)) {
		n++
	}
	if c := s.peek(n); c == '"' || c == '\'' {
		return cssToken{kind: functionToken, value: name}
	}
	s.at += n
	return s.url()
}

// url reads a URL without quotation marks, after its "url(" and white space.
func (s *scanner) url() cssToken {
	var value strings.Builder
	for s.at < len(s.text) {
		switch c := s.peek(0); {
		case c == ')':
			s.at++
			return cssToken{kind: urlToken, value: value.String()}
		case isSpace(c):
			for isSpace(s.peek(0)) {
				s.at++
			}
			if s.at < len(s.text) && s.peek(0) != ')' {
				return s.badURL()
			}
		case c == '"' || c == '\'' || c == '(' || c < ' ' || c == 0x7f:
			return s.badURL()
		case c == '\\':
			if !s.startsEscape() {
				return s.badURL()
			}
			value.WriteRune(s.escape())
		default:
			value.WriteByte(c)
			s.at++
		}
	}
	return cssToken{kind: urlToken, value: value.String()} // the end of the text ends the URL
}

// badURL reads the rest of an invalid URL.
func (s *scanner) badURL() cssToken {
	for s.at < len(s.text) {
		c := s.peek(0)
		if c == '\\' && s.startsEscape() {
			s.escape()
			continue
		}
		s.at++
		if c == ')' {
			break
		}
	}
	return cssToken{}
}

// string reads a string. end is its quotation mark.
func (s *scanner) string(end byte) cssToken {
	s.at++
	var value strings.Builder
	for s.at < len(s.text) {
		switch c := s.peek(0); {
		case c == end:
			s.at++
			return cssToken{kind: stringToken, value: value.String()}
		case c == '\n' || c == '\r' || c == '\f':
			return cssToken{} // invalid: the string ends before the line ending
		case c == '\\' && s.at+1 == len(s.text):
			s.at++
		case c == '\\' && (s.peek(1) == '\n' || s.peek(1) == '\f'):
			s.at += 2
		case c == '\\' && s.peek(1) == '\r':
			if s.at += 2; s.peek(0) == '\n' {
				s.at++
			}
		case c == '\\':
			value.WriteRune(s.escape())
		default:
			value.WriteByte(c)
			s.at++
		}
	}
	return cssToken{kind: stringToken, value: value.String()} // the end of the text ends the string
}

// name reads the characters of a name, which can be empty.
func (s *scanner) name() string {
	var name strings.Builder
	for {
		switch c := s.peek(0); {
		case isNameStart(c) || isDigit(c) || c == '-':
			name.WriteByte(c)
			s.at++
		case s.startsEscape():
			name.WriteRune(s.escape())
		default:
			return name.String()
		}
	}
}

// startsIdent reports whether an identifier begins here.
func (s *scanner) startsIdent() bool {
	c := s.peek(0)
	if c == '-' {
		next := scanner{s.text, s.at + 1}
		return next.peek(0) == '-' || isNameStart(next.peek(0)) || next.startsEscape()
	}
	return isNameStart(c) || s.startsEscape()
}

// startsEscape reports whether an escape begins here.
func (s *scanner) startsEscape() bool {
	return s.peek(0) == '\\' && s.at+1 < len(s.text) && s.peek(1) != '\n' && s.peek(1) != '\r' && s.peek(1) != '\f'
}

// maxEscapeDigits is the maximum number of hexadecimal digits of an escape.
const maxEscapeDigits = 6

// escape reads an escape and returns its character.
func (s *scanner) escape() rune {
	s.at++ // the backslash
	digits, code := 0, rune(0)
	for ; digits < maxEscapeDigits; digits++ {
		value := hexValue(s.peek(0))
		if value < 0 {
			break
		}
		code = code<<4 | value
		s.at++
	}
	if digits == 0 {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		s.at += size
		return r
	}
	switch c := s.peek(0); {
	case c == '\r' && s.peek(1) == '\n':
		s.at += 2
	case isSpace(c):
		s.at++
	}
	if code == 0 || !utf8.ValidRune(code) {
		return utf8.RuneError
	}
	return code
}

// hexValue returns the value of a hexadecimal digit, -1 for other characters.
func hexValue(c byte) rune {
	switch {
	case isDigit(c):
		return rune(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= utf8.RuneSelf
}
