// Package query reads and prints the query language: what people type into the field of a search, and
// clients send as q. docs/search.md describes it. The result is a waymark.Condition; the package looks
// up no names.
package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// Limits of a query. Parts beyond them are left out.
const (
	MaxTexts      = waymark.MaxWords // words and phrases
	MaxConditions = 64               // all parts that are no operators
	MaxDepth      = 16               // groups in groups
)

// Problem is a part of a query that Parse has read as text, or has left out.
type Problem struct {
	Position int    // of the part in the query, in characters
	Part     string // as it was typed
	Reason   Reason
}

// Reason is the reason of a Problem.
type Reason int

// The reasons.
const (
	Unclosed       Reason = iota + 1 // a parenthesis, which is text, or a quotation mark, which ends at the end
	EmptyGroup                       // parentheses without a condition, which are text
	MissingOperand                   // AND, OR or NOT without a condition beside it, which is text
	UnknownValue                     // of is:, has:, in: or a date, which is text with its field
	TooMany                          // conditions or texts: this one and all after it are left out
	TooDeep                          // a group in MaxDepth others, whose parenthesis is text
)

// Error says what is wrong with the part.
func (p Problem) Error() string {
	part := p.Part
	if characters := []rune(part); len(characters) > maxPart {
		part = string(characters[:maxPart]) + "…"
	}
	return fmt.Sprintf("%q at character %d %s", part, p.Position+1, map[Reason]string{
		Unclosed:       "is not closed",
		EmptyGroup:     "has no condition",
		MissingOperand: "needs a condition before and after it",
		UnknownValue:   "has no meaning",
		TooMany:        fmt.Sprintf("is more than %d words and phrases, or %d conditions", MaxTexts, MaxConditions),
		TooDeep:        fmt.Sprintf("is in more than %d groups", MaxDepth),
	}[p.Reason])
}

// maxPart is the length to which the part is cut in the text of a problem, in characters.
const maxPart = 40

// Parse reads a query. It accepts every text: what it cannot read is text that is searched for, as
// problems says. The condition has the names of lists, tags and users as they were typed. It is an
// empty waymark.And if the query has no condition.
func Parse(text string) (condition waymark.Condition, problems []Problem) {
	p := parser{text: text, words: waymark.InTexts | waymark.InNames}
	return p.parse()
}

// parser reads the tokens of a text.
type parser struct {
	text  string
	words waymark.TextFields // where words are searched for

	tokens   []token
	at       int
	problems []Problem

	conditions, texts int                // so far
	full              bool               // a limit is reached
	also              waymark.TextFields // where in: says that words are searched for, too
}

func (p *parser) parse() (waymark.Condition, []Problem) {
	p.lex()
	condition := p.or()
	if p.also != 0 {
		condition = Also(condition, p.also)
	}
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return cmp.Compare(a.Position, b.Position) })
	return condition, p.problems
}

// isWord reports whether a condition is that of a word or phrase without a field.
func isWord(c waymark.Contains) bool { return c.In&waymark.InTexts == waymark.InTexts }

// IsWord reports whether a condition is that of a word or phrase without a field.
func IsWord(c waymark.Condition) bool {
	word, ok := c.(waymark.Contains)
	return ok && isWord(word)
}

// Also returns a condition whose words are searched for in some other texts, too, as after in:.
func Also(c waymark.Condition, in waymark.TextFields) waymark.Condition {
	return mapWords(c, func(places waymark.TextFields) waymark.TextFields { return places | in })
}

// NotAlso returns a condition whose words are not searched for in some texts.
func NotAlso(c waymark.Condition, in waymark.TextFields) waymark.Condition {
	return mapWords(c, func(places waymark.TextFields) waymark.TextFields { return places &^ in })
}

func mapWords(c waymark.Condition, places func(waymark.TextFields) waymark.TextFields) waymark.Condition {
	return waymark.MapLeaves(c, func(c waymark.Condition) waymark.Condition {
		if word, ok := c.(waymark.Contains); ok && isWord(word) {
			word.In = places(word.In)
			return word
		}
		return c
	})
}

// Word returns the condition of a word or phrase.
func Word(text string) waymark.Condition {
	return waymark.Contains{Text: text, In: waymark.InTexts | waymark.InNames}
}

// Parts returns the conditions that a link must all satisfy.
func Parts(c waymark.Condition) []waymark.Condition {
	if and, ok := c.(waymark.And); ok {
		return and
	}
	return []waymark.Condition{c}
}

// report adds a problem with the part of the text between two offsets.
func (p *parser) report(begin, end int, reason Reason) {
	p.problems = append(p.problems, Problem{utf8.RuneCountInString(p.text[:begin]), p.text[begin:end], reason})
}

// or reads conditions between OR.
func (p *parser) or() waymark.Condition {
	any := []waymark.Condition{p.and()}
	for p.at < len(p.tokens) && p.tokens[p.at].kind == orToken {
		p.at++
		any = append(any, p.and())
	}
	return orOf(any)
}

// orOf is waymark.OrOf without those conditions that are empty because they were left out.
func orOf(conditions []waymark.Condition) waymark.Condition {
	var left []waymark.Condition
	for _, c := range conditions {
		if and, ok := c.(waymark.And); !ok || len(and) > 0 {
			left = append(left, c)
		}
	}
	if len(left) == 0 {
		return waymark.And(nil)
	}
	return waymark.OrOf(left...)
}

// and reads conditions next to each other, up to an OR that has a condition on each side.
func (p *parser) and() waymark.Condition {
	all := []waymark.Condition{p.not()}
	for p.at < len(p.tokens) {
		switch t := p.tokens[p.at]; {
		case t.kind == closeToken, t.kind == orToken && p.operandAt(p.at+1):
			return waymark.AndOf(all...)
		case t.kind == andToken && p.operandAt(p.at+1):
			p.at++
		}
		all = append(all, p.not())
	}
	return waymark.AndOf(all...)
}

// operandAt reports whether a token can be that of a condition.
func (p *parser) operandAt(at int) bool {
	return at < len(p.tokens) && p.tokens[at].kind != closeToken
}

// not reads a condition, which may be negated. It returns nil if it is left out.
func (p *parser) not() waymark.Condition {
	negated := false
	for p.operandAt(p.at+1) && p.tokens[p.at].kind == notToken {
		negated = !negated
		p.at++
	}
	if p.at == len(p.tokens) {
		return nil
	}
	t := p.tokens[p.at]
	p.at++
	var c waymark.Condition
	if t.kind == openToken {
		c = p.or()
		p.at++ // the parenthesis that closes it
	} else {
		c = p.leaf(t, negated)
	}
	if and, ok := c.(waymark.And); c == nil || ok && len(and) == 0 {
		return nil
	}
	if negated {
		return waymark.NotOf(c)
	}
	return c
}

// leaf returns the condition of a token, or nil if it has none.
func (p *parser) leaf(t token, negated bool) waymark.Condition {
	var c waymark.Condition
	switch t.kind {
	case andToken, orToken, notToken:
		p.report(t.begin, t.end, MissingOperand)
		c = waymark.Contains{Text: strings.TrimFunc(p.text[t.begin:t.end], isSpace), In: p.words}
	case wordToken:
		if t.value == "" {
			return nil
		}
		c = waymark.Contains{Text: t.value, In: p.words}
	case fieldToken:
		if in := placeOf(t); in != 0 && !negated {
			p.also |= in
			return nil
		}
		if c = fields[t.field](t); c == nil {
			p.report(t.begin, t.end, UnknownValue)
			c = waymark.Contains{Text: strings.TrimFunc(p.text[t.begin:t.end], isSpace), In: p.words}
		}
	}
	_, isText := c.(waymark.Contains)
	if p.full || p.conditions == MaxConditions || isText && p.texts == MaxTexts {
		if !p.full {
			p.full = true
			p.report(t.begin, t.end, TooMany)
		}
		return nil
	}
	p.conditions++
	if isText {
		p.texts++
	}
	return c
}

// placeOf returns where words are searched for, too, if a token says so.
func placeOf(t token) waymark.TextFields {
	if t.field == "in" {
		switch strings.ToLower(t.value) {
		case "snapshot", "copy":
			return waymark.InSnapshot
		case "notes":
			return waymark.InNotes
		}
	}
	return 0
}
