package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// ParseLinkding reads a query of a linkding client. The language has words, phrases in either kind of
// quotation marks, #tag, !unread, !untagged, and, or, not and parentheses. As in linkding, an unknown
// word after ! is left out, and a query that cannot be read finds nothing. Parts beyond the limits
// are left out.
func ParseLinkding(text string) waymark.Condition {
	p := parser{text: text, words: waymark.InTexts | waymark.InNotes}
	if !p.lexLinkding() {
		return waymark.Or{}
	}
	condition := p.or()
	for _, problem := range p.problems {
		if problem.Reason != TooMany {
			return waymark.Or{}
		}
	}
	return condition
}

// lexLinkding splits the text into tokens. It returns false if the parentheses are not in pairs, if there
// is nothing between two of them, or if there are more than MaxDepth in each other.
func (p *parser) lexLinkding() bool {
	depth := 0
	for at := 0; at < len(p.text); {
		r, size := utf8.DecodeRuneInString(p.text[at:])
		t := token{kind: wordToken, begin: at, end: at + size}
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case r == '(':
			t.kind = openToken
			depth++
		case r == ')':
			if depth == 0 || p.tokens[len(p.tokens)-1].kind == openToken {
				return false
			}
			t.kind = closeToken
			depth--
		case r == '"' || r == '\'':
			t.value, t.end = p.linkdingPhrase(at)
			t.quoted = true
		default:
			t = p.linkdingWord(at)
		}
		at = t.end
		if t.kind != fieldToken || t.value != "" {
			p.tokens = append(p.tokens, t)
		}
		if depth > MaxDepth {
			return false
		}
	}
	return depth == 0
}

// linkdingWord reads an operator, a word, a tag or a word after !. A tag without a name is a fieldToken
// without a value, and an unknown word after ! a wordToken without one.
func (p *parser) linkdingWord(at int) token {
	first, ends := p.text[at], `()"'`
	if first != '#' && first != '!' {
		ends += "#!"
	}
	end := len(p.text)
	if i := strings.IndexFunc(p.text[at+1:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(ends, r) }); i >= 0 {
		end = at + 1 + i
	}
	t := token{kind: wordToken, begin: at, end: end, value: p.text[at:end]}
	switch operator, ok := operators[strings.ToUpper(t.value)]; {
	case ok:
		t.kind = operator
	case first == '#':
		t.kind, t.field, t.value = fieldToken, "tag", t.value[1:]
	case first == '!':
		t.field, t.value = "is", strings.ToLower(t.value[1:])
		known := t.value == string(waymark.IsUnread) || t.value == string(waymark.IsUntagged)
		if known || t.value == "" {
			t.kind = fieldToken
		} else {
			t.value = ""
		}
	}
	return t
}

// linkdingPhrase reads a text in quotation marks, in which a backslash is before a character that means
// itself, and returns where it ends.
func (p *parser) linkdingPhrase(at int) (value string, end int) {
	mark := p.text[at]
	var b strings.Builder
	for i := at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\' && i+1 < len(p.text):
			i++
			b.WriteString(strings.NewReplacer("n", "\n", "r", "\r", "t", "\t").Replace(p.text[i : i+1]))
		case c == mark:
			return strings.TrimFunc(b.String(), isSpace), i + 1
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimFunc(b.String(), isSpace), len(p.text)
}
