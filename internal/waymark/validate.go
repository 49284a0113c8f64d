package waymark

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The maximum lengths of texts, in characters; MaxURL is in bytes.
const (
	MaxName        = 255
	MaxTitle       = 1000
	MaxDescription = 100_000
	MaxNote        = 100_000
	MaxURL         = 8000
)

// NormalizeName returns a name in the form in which it is stored: without commas, which
// separate names where clients send several of them in one string, and without
// surrounding space.
func NormalizeName(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(s, ",", ""))
}

// validateRequired adds a problem if text is empty. It reports whether text is set.
func (e *ValidationError) validateRequired(field Field, text string) bool {
	if text == "" {
		e.add(field, RuleRequired)
	}
	return text != ""
}

// validateText adds a problem if text has more than limit characters, and one if it
// contains U+0000, which PostgreSQL cannot store.
func (e *ValidationError) validateText(field Field, text string, limit int) {
	if utf8.RuneCountInString(text) > limit {
		e.Problems = append(e.Problems, Problem{Field: field, Rule: RuleMaxLength, Limit: limit})
	}
	if strings.IndexByte(text, 0) >= 0 {
		e.add(field, RuleNoNUL)
	}
}

// validateName adds a problem if a list or a tag cannot have this name.
func (e *ValidationError) validateName(name string) {
	if e.validateRequired(FieldName, name) {
		e.validateText(FieldName, name, MaxName)
	}
}

// validateRefs adds the problems of the first ref whose name a list or a tag cannot have.
func (e *ValidationError) validateRefs(field Field, refs []Ref) {
	for _, ref := range refs {
		e.validateText(field, ref.Name, MaxName)
		if e.has(field) {
			return
		}
	}
}

// validateURL adds a problem unless url is an absolute URI with a scheme (RFC 3986,
// section 3.1) and without spaces or control characters. Schemes that run scripts are
// invalid; http and https need a host. The rest of the URL is not checked: its meaning is
// up to the site, so a stray % and letters of any script are valid.
func (e *ValidationError) validateURL(url string) {
	if len(url) > MaxURL {
		e.Problems = append(e.Problems, Problem{Field: FieldURL, Rule: RuleMaxBytes, Limit: MaxURL})
		return
	}
	scheme, rest, ok := splitScheme(url)
	switch {
	case !ok, rest == "", hasSpaceOrControl(url), !utf8.ValidString(url):
	case scheme == "javascript", scheme == "data", scheme == "vbscript":
	case (scheme == "http" || scheme == "https") && host(rest) == "":
	default:
		return
	}
	e.add(FieldURL, RuleFormat)
}

func hasSpaceOrControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}
