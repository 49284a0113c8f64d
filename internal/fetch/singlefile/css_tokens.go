package singlefile

import (
	"strconv"
	"strings"
	"unicode/utf8"

	csstext "github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// tokenKind is the kind of a token of CSS.
type tokenKind int

const (
	otherToken     tokenKind = iota // white space, a name, a number, a bracket and so on
	functionToken                   // with its "("
	atKeywordToken                  // with its "@"
	stringToken
	urlToken // url(…), with or without quotation marks
)

type cssToken struct {
	kind tokenKind
	raw  string // the token as written
	// value is the name of a function or an at-keyword in lower case, or the content of a string or a URL. It is
	// "" for an invalid URL.
	value string
}

// cssLexer divides CSS into tokens. The concatenated raw texts of the tokens are the CSS, as valid
// UTF-8: after an invalid byte, the lexer would see other tokens than browsers.
type cssLexer struct {
	input *csstext.Input
	lexer *css.Lexer
}

func newCSSLexer(text string) *cssLexer {
	input := csstext.NewInputString(strings.ToValidUTF8(text, "\uFFFD"))
	return &cssLexer{input, css.NewLexer(input)}
}

// next returns the next token. It returns false at the end.
func (l *cssLexer) next() (t cssToken, ok bool) {
	kind, text := l.lexer.Next()
	t.raw = string(text)
	switch kind {
	case css.ErrorToken:
		return t, false
	case css.AtKeywordToken:
		t.kind, t.value = atKeywordToken, lowerName(t.raw[1:])
	case css.FunctionToken:
		t.kind, t.value = functionToken, lowerName(strings.TrimSuffix(t.raw, "("))
		if t.value == "url" { // with escapes in its name, which the lexer does not recognise
			t.kind, t.raw = urlToken, t.raw+restOfURL(l.input)
			t.value = urlContent(t.raw)
		}
	case css.StringToken:
		t.kind, t.value = stringToken, unquote(t.raw)
	case css.URLToken:
		t.kind, t.value = urlToken, urlContent(t.raw)
	case css.BadURLToken:
		t.kind = urlToken
	}
	return t, true
}

// restOfURL reads up to the ")" of a URL.
func restOfURL(input *csstext.Input) string {
	for {
		c := input.Peek(0)
		if c == 0 && input.Err() != nil {
			break
		}
		input.Move(1)
		if c == ')' {
			break
		}
		if c == '\\' && (input.Peek(0) != 0 || input.Err() == nil) {
			input.Move(1)
		}
	}
	return string(input.Shift())
}

func urlContent(raw string) string {
	_, content, _ := strings.Cut(raw, "(")
	content = strings.Trim(strings.TrimSuffix(content, ")"), " \t\r\n\f")
	if content != "" && (content[0] == '"' || content[0] == '\'') {
		return unquote(content)
	}
	return unescape(content)
}

// unquote returns the content of a string, whose end can be missing.
func unquote(raw string) string {
	if len(raw) > 1 && raw[len(raw)-1] == raw[0] {
		raw = raw[:len(raw)-1]
	}
	return unescape(raw[1:])
}

func lowerName(raw string) string { return strings.ToLower(unescape(raw)) }

// maxEscapeDigits is the maximum number of hexadecimal digits of an escape.
const maxEscapeDigits = 6

// unescape replaces the escapes of https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found || after == "" {
			return b.String()
		}
		n := 0
		for n < min(len(after), maxEscapeDigits) && strings.IndexByte("0123456789abcdefABCDEF", after[n]) >= 0 {
			n++
		}
		switch {
		case n > 0:
			code, _ := strconv.ParseUint(after[:n], 16, 32) // only digits
			if r := rune(code); code == 0 || !utf8.ValidRune(r) {
				b.WriteRune(utf8.RuneError)
			} else {
				b.WriteRune(r)
			}
			if s = after[n:]; s != "" && strings.IndexByte(" \t\r\n\f", s[0]) >= 0 {
				s = s[1:]
			}
		case after[0] == '\n' || after[0] == '\r' || after[0] == '\f':
			s = after[1:] // the string goes on in the next line
		default:
			_, size := utf8.DecodeRuneInString(after)
			b.WriteString(after[:size])
			s = after[size:]
		}
	}
}
