package waymark

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s in which texts are compared, searched and ordered:
// Unicode case folding, then NFC. Ä equals ä, ẞ equals ss, and a letter equals
// its composed form. Folding a folded text changes nothing.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(strings.Map(capitalCherokee, cases.Fold().String(norm.NFC.String(s))))
}

// capitalCherokee makes up for x/text, which folds the letters of this one script
// to and fro: capitals to small ones, and small ones to capitals.
func capitalCherokee(r rune) rune {
	switch {
	case r >= 'ꭰ' && r <= 'ꮿ':
		return r - 'ꭰ' + 'Ꭰ'
	case r >= 'ᏸ' && r <= 'ᏽ':
		return r - 'ᏸ' + 'Ᏸ'
	}
	return r
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// NormalizeName returns a name as it is kept: without commas, which separate names
// where clients send several as one text, and without space around it.
func NormalizeName(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(s, ",", ""))
}

// truncate returns the first n characters of s.
func truncate(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// validateText notes a text that is longer than limit characters, or that holds
// U+0000, which PostgreSQL cannot keep.
func (e *ValidationError) validateText(field, text string, limit int) {
	if utf8.RuneCountInString(text) > limit {
		e.Add(field, "The %s must not be greater than %d characters.", spoken(field), limit)
	}
	if strings.IndexByte(text, 0) >= 0 {
		e.Add(field, "The %s must not contain the character U+0000.", spoken(field))
	}
}

func (e *ValidationError) validateName(name string) {
	if e.validateRequired("name", name) {
		e.validateText("name", name, MaxName)
	}
}

// validateRequired notes a text that is missing. It returns whether there is one to
// look at: a field that could not be read has its problem already.
func (e *ValidationError) validateRequired(field, text string) bool {
	if text == "" && !e.Has(field) {
		e.Add(field, "The %s field is required.", spoken(field))
	}
	return !e.Has(field)
}

// spoken returns the name of a field as a sentence says it.
func spoken(field string) string { return strings.ReplaceAll(field, "_", " ") }

func hasSpaceOrControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}
