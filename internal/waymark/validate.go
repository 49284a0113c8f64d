package waymark

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The maximum lengths of texts, in characters; MaxURL and MaxListDescription are in bytes.
const (
	MaxName            = 255
	MaxTitle           = 1000
	MaxDescription     = 100_000 // of a link
	MaxListDescription = 4000    // responses repeat it with every link of the list
	MaxNote            = 100_000
	MaxURL             = 8000
)

// MaxControl is the maximum number of control characters and line separators in a text,
// except for tabs and line breaks. JSON needs six bytes for each of them, so responses would be much
// larger than a text that has many.
const MaxControl = 100

// NormalizeName returns the name of a list or tag in the form in which it is stored: without commas,
// which separate names where clients send several of them in one string, and as trimName returns it.
func NormalizeName(s string) string { return trimName(strings.ReplaceAll(s, ",", "")) }

// trimName returns a name without surrounding space. A name without a visible character becomes "": it
// could not be found or selected on a page.
func trimName(s string) string {
	if !hasVisible(s) {
		return ""
	}
	return strings.TrimSpace(s)
}

// hasVisible reports whether s has a visible character.
func hasVisible(s string) bool { return strings.ContainsFunc(s, isVisible) }

// TrimInvisible removes spaces and what cannot be seen from both ends of a text, such as the space of zero width that
// copying from a page may add.
func TrimInvisible(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return !isVisible(r) })
}

// isVisible reports whether r is more than a space, a control character, a character of
// zero width, or another one without a shape.
func isVisible(r rune) bool {
	const brailleBlank = '\u2800' // a symbol for Unicode, but without dots
	return !unicode.IsSpace(r) && !unicode.IsControl(r) && r != brailleBlank &&
		!unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// validateRequired adds a problem if text is empty. It reports whether text is set.
func (e *ValidationError) validateRequired(field Field, text string) bool {
	if text == "" {
		e.add(field, RuleRequired)
	}
	return text != ""
}

// validateVersion adds a problem if an entity was changed since version, unless that is "".
func (e *ValidationError) validateVersion(field Field, version string, updatedAt Time) {
	if version != "" && version != updatedAt.String() {
		e.Problems = append(e.Problems, Problem{Field: field, Rule: RuleUnchanged, UpdatedAt: updatedAt})
	}
}

// validateText adds a problem if text has more than limit characters, and the problems of
// validateCharacters.
func (e *ValidationError) validateText(field Field, text string, limit int) {
	if utf8.RuneCountInString(text) > limit {
		e.addLimit(field, RuleMaxLength, limit)
	}
	e.validateCharacters(field, text)
}

// validateBytes adds a problem if text has more than limit bytes, and the problems of
// validateCharacters.
func (e *ValidationError) validateBytes(field Field, text string, limit int) {
	if len(text) > limit {
		e.addLimit(field, RuleMaxBytes, limit)
	}
	e.validateCharacters(field, text)
}

// validateCharacters adds a problem if text has too many control characters, and one if it
// contains U+0000, which PostgreSQL cannot store.
func (e *ValidationError) validateCharacters(field Field, text string) {
	count := 0
	for _, r := range text {
		if isControl(r) {
			count++
		}
	}
	if count > MaxControl {
		e.addLimit(field, RuleMaxControl, MaxControl)
	}
	if strings.IndexByte(text, 0) >= 0 {
		e.add(field, RuleNoNUL)
	}
}

// isControl reports whether r is one of the characters that MaxControl limits.
func isControl(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case '\u2028', '\u2029': // the line and the paragraph separator
		return true
	}
	return unicode.IsControl(r)
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
		if slices.ContainsFunc(e.Problems, func(p Problem) bool { return p.Field == field }) {
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
		e.addLimit(FieldURL, RuleMaxBytes, MaxURL)
		return
	}
	scheme, rest, ok := SplitScheme(url)
	switch {
	case !ok, rest == "", hasSpaceOrControl(url), !utf8.ValidString(url):
	case scheme == "javascript", scheme == "data", scheme == "vbscript":
	case (scheme == "http" || scheme == "https") && host(rest) == "":
	default:
		return
	}
	e.add(FieldURL, RuleFormat)
}

// ValidURL reports whether url can be the URL of a link.
func ValidURL(url string) bool {
	var problems ValidationError
	problems.validateURL(url)
	return problems.Err() == nil
}

func hasSpaceOrControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}
