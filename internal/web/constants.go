package web

import (
	"html/template"
	"regexp"
	"strings"
)

// constantCall matches a call of a function of the templates whose result is always the same in
// one language.
var constantCall = regexp.MustCompile(`\{\{(t|url|asset|icon) "([^"]*)"\}\}`)

// addressCall matches a call that puts an address together from texts and fields.
var addressCall = regexp.MustCompile(`\{\{url \(print((?: "[^"]*"| [$\w]*\.[\w.]+)+)\)\}\}`)

// addressPart matches a text or a field in such a call.
var addressPart = regexp.MustCompile(`"([^"]*)"|[$\w]*\.[\w.]+`)

// sentenceCall matches a call that puts texts, but no numbers, into a sentence.
var sentenceCall = regexp.MustCompile(`\{\{t "([^"]*)"((?: "(?:name|title|time)" [$\w]*\.[\w.]*)+)\}\}`)

// sentenceValue matches a name and its value in such a call.
var sentenceValue = regexp.MustCompile(`"([^"]*)" (\S+)`)

// replaceConstants replaces these calls in the source of a template by their results, or by
// the constant parts of their results. Calls cost most of the time of a page: a link has
// about twenty.
func (s *Site) replaceConstants(source string, l *locale) string {
	source = addressCall.ReplaceAllStringFunc(source, func(call string) string {
		parts := addressPart.ReplaceAllStringFunc(addressCall.FindStringSubmatch(call)[1], func(part string) string {
			if text, ok := strings.CutPrefix(part, `"`); ok {
				return literal(strings.TrimSuffix(text, `"`))
			}
			return "{{" + part + "}}"
		})
		return literal(s.url("/")) + strings.TrimPrefix(strings.ReplaceAll(parts, " ", ""), "/")
	})
	source = sentenceCall.ReplaceAllStringFunc(source, func(call string) string {
		parts := sentenceCall.FindStringSubmatch(call)
		var replace []string
		for _, pair := range sentenceValue.FindAllStringSubmatch(parts[2], -1) {
			replace = append(replace, "{"+pair[1]+"}", "{{"+pair[2]+"}}")
		}
		return strings.NewReplacer(replace...).Replace(literal(l.get(parts[1])))
	})
	return constantCall.ReplaceAllStringFunc(source, func(call string) string {
		parts := constantCall.FindStringSubmatch(call)
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
