package waymark

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s that is used to compare, search and sort texts: Unicode case
// folding, then NFC. Ä equals ä, ẞ equals ss, and a letter equals its decomposed form.
// Fold is idempotent.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(strings.Map(capitalCherokee, cases.Fold().String(norm.NFC.String(s))))
}

// capitalCherokee maps small Cherokee letters to capitals. It corrects cases.Fold, which
// swaps the case of Cherokee letters: it maps capitals to small letters and small letters
// to capitals.
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
