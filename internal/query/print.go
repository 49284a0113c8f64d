package query

import (
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// Print returns a query for which Parse returns the condition again, if Parse has made it.
func Print(c waymark.Condition) string {
	var p printer
	p.print(c, orPrecedence)
	if p.also&waymark.InSnapshot != 0 {
		p.parts = append(p.parts, "in:snapshot")
	}
	if p.also&waymark.InNotes != 0 {
		p.parts = append(p.parts, "in:notes")
	}
	return strings.Join(p.parts, " ")
}

// precedence is how strongly an operator binds. Parts of a stronger one need parentheses.
type precedence int

const (
	orPrecedence precedence = iota
	andPrecedence
	notPrecedence
)

// printer has the parts of a query so far.
type printer struct {
	parts  []string
	before string             // what stands directly before the next part
	also   waymark.TextFields // where words are searched for besides the texts of a link
}

func (p *printer) add(part string) {
	if strings.HasSuffix(p.before, "-") && strings.HasPrefix(part, "-") { // a word such as --flag
		part = quote("", part)
	}
	p.parts = append(p.parts, p.before+part)
	p.before = ""
}

// print adds a condition below an operator.
func (p *printer) print(c waymark.Condition, outer precedence) {
	switch c := c.(type) {
	case nil:
	case waymark.And:
		p.group(outer > andPrecedence, func() {
			for _, c := range c {
				p.print(c, andPrecedence)
			}
		})
	case waymark.Or:
		p.group(outer > orPrecedence, func() {
			for i, c := range c {
				if i > 0 {
					p.add("OR")
				}
				p.print(c, orPrecedence)
			}
		})
	case waymark.Not:
		p.before += "-"
		p.print(c.Condition, notPrecedence)
	case waymark.Labeled:
		if len(c.Refs) == 1 {
			p.add(printLabel(c, c.Refs[0]))
			return
		}
		var any waymark.Or
		for _, ref := range c.Refs {
			any = append(any, waymark.Labeled{Kind: c.Kind, Refs: []waymark.Ref{ref}, Prefix: c.Prefix, Direct: c.Direct})
		}
		p.print(any, outer)
	default:
		p.add(p.leaf(c))
	}
}

// group adds parts in parentheses if they need them.
func (p *printer) group(needed bool, add func()) {
	if needed {
		p.before += "("
	}
	before := len(p.parts)
	add()
	if needed && len(p.parts) > before {
		p.parts[len(p.parts)-1] += ")"
	}
}

// leaf returns the text of a condition that has no parts.
func (p *printer) leaf(c waymark.Condition) string {
	switch c := c.(type) {
	case waymark.Contains:
		if isWord(c) {
			p.also |= c.In & (waymark.InNotes | waymark.InSnapshot)
			return quoted("", c.Text)
		}
		for _, name := range []string{"title", "url", "text", "note", "snapshot", "passage"} {
			if same, ok := fields[name](token{value: c.Text}).(waymark.Contains); ok && same == c {
				return quoted(name+":", c.Text)
			}
		}
		return quoted("", c.Text)
	case waymark.Dated:
		return string(c.Field) + ":" + c.Period
	case waymark.OwnedBy:
		return quoted("by:", c.Name)
	case waymark.OnSite:
		return quoted("site:", string(c))
	case waymark.Is:
		return "is:" + string(c)
	case waymark.Has:
		return "has:" + string(c)
	}
	return ""
}

// printLabel returns the text of a list or tag.
func printLabel(c waymark.Labeled, ref waymark.Ref) string {
	field := "list:"
	switch {
	case c.Kind == waymark.Tags:
		field = "tag:"
	case c.Direct:
		field = "only:"
	}
	switch {
	case ref.ID != 0:
		return field + "#" + strconv.FormatInt(ref.ID, 10)
	case c.Kind == waymark.Tags:
		return Tag(ref.Name, c.Prefix)
	}
	return quoted(field, ref.Name)
}

// List returns the condition that a link is in the list with a name, as a part of a query.
func List(name string) string { return quoted("list:", name) }

// Tag returns the condition that a link has the tag with a name, or one whose name begins with it.
func Tag(name string, prefix bool) string {
	if !prefix {
		return quoted("#", name)
	}
	if t, ok := bareToken("#" + name + "*"); ok && t.star && t.value == name && !strings.HasPrefix(name, "#") {
		return "#" + name + "*"
	}
	return quote("#", name) + "*"
}

// quoted returns a value after a prefix, in quotation marks if it would mean something else.
func quoted(prefix, value string) string {
	t, ok := bareToken(prefix + value)
	isID := strings.HasPrefix(value, "#") && (prefix == "#" || prefix == "list:" || prefix == "only:")
	if ok && t.value == value && !t.star && !isID && (t.kind == fieldToken) == (prefix != "") {
		return prefix + value
	}
	return quote(prefix, value)
}

func quote(prefix, value string) string {
	return prefix + `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
}

// bareToken returns the token of a text. ok is false if the text is not one word or field without
// quotation marks, also in parentheses.
func bareToken(text string) (t token, ok bool) {
	p := parser{text: "(" + text + ")"}
	p.lex()
	if len(p.problems) > 0 || len(p.tokens) != 3 {
		return t, false
	}
	t = p.tokens[1]
	return t, t.kind <= fieldToken && !t.quoted && t.end == len(text)+1
}
