package web

import (
	"html/template"
	"regexp"
	"strings"
)

// constant matches a call of a function of the templates whose result is always the same in
// one language.
var constant = regexp.MustCompile(`\{\{(t|url|asset|icon) "([^"]*)"\}\}`)

// address matches a call that puts an address together from texts and fields.
var address = regexp.MustCompile(`\{\{url \(print((?: "[^"]*"| [$\w]*\.[\w.]+)+)\)\}\}`)

// operand matches a text or a field in such a call.
var operand = regexp.MustCompile(`"([^"]*)"|[$\w]*\.[\w.]+`)

// sentence matches a call that puts texts, but no numbers, into a sentence.
var sentence = regexp.MustCompile(`\{\{t "([^"]*)"((?: "(?:name|title|time)" [$\w]*\.[\w.]*)+)\}\}`)

// inSentence matches a name and its value in such a call.
var inSentence = regexp.MustCompile(`"([^"]*)" (\S+)`)

// replaceConstants replaces these calls in the source of a template by their results, or by
// the constant parts of their results. Calls cost most of the time of a page: a link has
// about twenty.
func (s *Site) replaceConstants(source string, l *locale) string {
	source = address.ReplaceAllStringFunc(source, func(call string) string {
		parts := operand.ReplaceAllStringFunc(address.FindStringSubmatch(call)[1], func(part string) string {
			if text, ok := strings.CutPrefix(part, `"`); ok {
				return literal(strings.TrimSuffix(text, `"`))
			}
			return "{{" + part + "}}"
		})
		return literal(s.url("/")) + strings.TrimPrefix(strings.ReplaceAll(parts, " ", ""), "/")
	})
	source = sentence.ReplaceAllStringFunc(source, func(call string) string {
		parts := sentence.FindStringSubmatch(call)
		var replace []string
		for _, pair := range inSentence.FindAllStringSubmatch(parts[2], -1) {
			replace = append(replace, "{"+pair[1]+"}", "{{"+pair[2]+"}}")
		}
		return strings.NewReplacer(replace...).Replace(literal(l.get(parts[1])))
	})
	return constant.ReplaceAllStringFunc(source, func(call string) string {
		parts := constant.FindStringSubmatch(call)
		switch name := parts[2]; parts[1] {
		case "t":
			return literal(l.get(name))
		case "url":
			return literal(s.url(name))
		case "asset":
			return literal(s.assets.url(name))
		default:
			return string(icon(name))
		}
	})
}

// literal returns a text in the source of a template, as content of an element or as a value
// of an attribute.
func literal(text string) string {
	return strings.ReplaceAll(template.HTMLEscapeString(text), "{{", "&#123;{")
}
