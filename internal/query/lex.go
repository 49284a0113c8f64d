package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a part of a query.
type token struct {
	kind       tokenKind
	begin, end int    // of the part in the text
	field      string // of a fieldToken: its name in lower case
	value      string // of a wordToken or fieldToken: without quotation marks and the star
	quoted     bool   // the value is in quotation marks
	star       bool   // the value of a tag ends with *
}

type tokenKind int

const (
	wordToken tokenKind = iota
	fieldToken
	andToken
	orToken
	notToken
	openToken
	closeToken
)

var operators = map[string]tokenKind{"AND": andToken, "OR": orToken, "NOT": notToken}

// lex splits the text into tokens. A parenthesis opens a group only at the beginning of a token and if
// another one closes it. Otherwise it is a part of a word.
func (p *parser) lex() {
	literal := map[int]Reason{} // the parentheses that do not open a group
	for {
		l := lexer{parser: p, literal: literal}
		l.lex()
		if len(l.open) > 0 {
			for _, at := range l.open {
				literal[at] = Unclosed
			}
			continue
		}
		for _, t := range l.tokens {
			if reason := literal[t.begin]; reason != 0 {
				p.report(t.begin, t.end, reason)
			}
		}
		if l.unclosed > 0 {
			p.report(l.unclosed-1, len(p.text), Unclosed)
		}
		p.tokens = l.tokens
		return
	}
}

// lexer is one pass over the text.
type lexer struct {
	*parser
	literal  map[int]Reason
	tokens   []token
	open     []int // the parentheses that are not closed yet
	unclosed int   // the offset of a quotation mark that is not closed, plus one
}

func (l *lexer) lex() {
	for at := l.space(0); at < len(l.text); at = l.space(at) {
		at = l.token(at)
	}
}

// space returns the offset after white space.
func (l *lexer) space(at int) int {
	return len(l.text) - len(strings.TrimLeftFunc(l.text[at:], isSpace))
}

func isSpace(r rune) bool { return unicode.IsSpace(r) }

// token appends the token at an offset, and returns where it ends.
func (l *lexer) token(at int) (end int) {
	switch c := l.text[at]; {
	case c == '(' && l.opens(at):
		l.open = append(l.open, at)
		l.tokens = append(l.tokens, token{kind: openToken, begin: at, end: at + 1})
		return at + 1
	case c == ')' && len(l.open) > 0:
		l.open = l.open[:len(l.open)-1]
		l.tokens = append(l.tokens, token{kind: closeToken, begin: at, end: at + 1})
		return at + 1
	case c == '-' && l.negates(at):
		l.tokens = append(l.tokens, token{kind: notToken, begin: at, end: at + 1})
		return at + 1
	}
	t := l.word(at)
	l.tokens = append(l.tokens, t)
	return t.end
}

// opens reports whether a parenthesis opens a group.
func (l *lexer) opens(at int) bool {
	if l.literal[at] != 0 {
		return false
	}
	if next := l.space(at + 1); next < len(l.text) && l.text[next] == ')' {
		l.literal[at] = EmptyGroup
		return false
	}
	if len(l.open) == MaxDepth {
		l.literal[at] = TooDeep
		return false
	}
	return true
}

// negates reports whether a - negates what follows it. It does not in "a - b" or "--flag".
func (l *lexer) negates(at int) bool {
	next, size := utf8.DecodeRuneInString(l.text[at+1:])
	return size > 0 && !isSpace(next) && next != '-' && (next != ')' || len(l.open) == 0)
}

// word reads a word, a phrase, an operator or a field with its value.
func (l *lexer) word(at int) token {
	if l.quotes(at) {
		t := token{kind: wordToken, begin: at, quoted: true}
		t.value, t.end = l.phrase(at)
		return t
	}
	t := token{kind: wordToken, begin: at, end: l.wordEnd(at)}
	word := l.text[at:t.end]
	t.value = word
	if operator, ok := operators[word]; ok {
		t.kind = operator
		return t
	}
	field, value := l.field(at, t.end)
	if field == "" {
		return t
	}
	if l.quotes(value) {
		text, end := l.phrase(value)
		if text == "" {
			t.end = max(t.end, end)
			t.value = strings.TrimFunc(l.text[at:t.end], isSpace)
			return t
		}
		t.kind, t.field, t.value, t.end, t.quoted = fieldToken, field, text, end, true
		if field == "tag" && strings.HasPrefix(l.text[end:], "*") {
			t.star = true
			t.end++
		}
		return t
	}
	text := l.text[value:t.end]
	if text == "" {
		return t
	}
	t.kind, t.field, t.value = fieldToken, field, text
	if field == "tag" {
		t.value, t.star = strings.CutSuffix(text, "*")
	}
	return t
}

// field returns the field of a word, "" for none, and where its value begins.
func (l *lexer) field(at, end int) (field string, value int) {
	word := l.text[at:end]
	if strings.HasPrefix(word, "#") {
		return "tag", at + 1
	}
	name, _, ok := strings.Cut(word, ":")
	if name = strings.ToLower(name); ok && fields[name] != nil {
		return name, at + len(name) + 1
	}
	return "", at
}

// wordEnd returns the end of a word: at white space, or at the parenthesis that closes a group. A
// parenthesis in the word closes the one before it in the word.
func (l *lexer) wordEnd(at int) int {
	depth := 0
	for i, r := range l.text[at:] {
		switch {
		case isSpace(r):
			return at + i
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case r == ')' && len(l.open) > 0:
			return at + i
		}
	}
	return len(l.text)
}

// closing are the quotation marks that end a phrase, by the one that begins it, as the languages have them.
var closing = map[rune]string{
	'"': `"`, '“': `”“"`, '”': `”“"`, '„': `“”"`, '‟': `”"`, '«': `»"`, '»': `«»"`, '‹': `›`, '›': `‹›`,
	'「': `」`, '『': `』`, '〝': `〞〟`, '＂': `＂"`,
}

// quotes reports whether a quotation mark that begins a phrase is at an offset.
func (l *lexer) quotes(at int) bool {
	mark, _ := utf8.DecodeRuneInString(l.text[at:])
	return closing[mark] != ""
}

// phrase reads a text in quotation marks, and returns its end. Two plain quotation marks in a text between plain ones
// mean one.
func (l *lexer) phrase(at int) (value string, end int) {
	mark, size := utf8.DecodeRuneInString(l.text[at:])
	var b strings.Builder
	for i := at + size; i < len(l.text); i += size {
		var c rune
		c, size = utf8.DecodeRuneInString(l.text[i:])
		switch {
		case !strings.ContainsRune(closing[mark], c):
			b.WriteString(l.text[i : i+size])
		case mark == '"' && strings.HasPrefix(l.text[i+1:], `"`):
			i++
			b.WriteByte('"')
		default:
			return strings.TrimFunc(b.String(), isSpace), i + size
		}
	}
	l.unclosed = at + 1
	return strings.TrimFunc(b.String(), isSpace), len(l.text)
}
