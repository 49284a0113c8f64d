package waymark

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s that is used to compare, search and sort texts: Unicode case
// folding, then NFC. Ä equals ä, ẞ equals ss, and a letter equals its decomposed form.
// Fold is idempotent.
func Fold(s string) string {
	var buffer [128]byte
	if folded := AppendFold(buffer[:0], s); string(folded) != s {
		return string(folded)
	}
	return s
}

// AppendFold appends Fold(s) to b.
func AppendFold(b []byte, s string) []byte {
	start := len(b)
	for _, r := range s {
		folded, ok := lower(r)
		if !ok {
			return append(b[:start], foldAny(s)...)
		}
		b = utf8.AppendRune(b, folded)
	}
	return b
}

// foldAny is Fold for all texts. It takes ten times as long as lower for each character.
func foldAny(s string) string {
	return norm.NFC.String(strings.Map(capitalCherokee, cases.Fold().String(norm.NFC.String(s))))
}

// lowered are characters beyond ASCII that unicode.ToLower folds, and that are the same in NFC
// whatever is before and after them: letters of the most common scripts, and punctuation.
var lowered = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00A0, 0x00B4, 1}, {0x00B6, 0x00DE, 1}, {0x00E0, 0x012F, 1}, {0x0131, 0x0148, 1}, {0x014A, 0x017E, 1}, // Latin
		{0x01A0, 0x01A1, 1}, {0x01AF, 0x01B0, 1}, // Vietnamese
		{0x0391, 0x03A1, 1}, {0x03A3, 0x03AF, 1}, {0x03B1, 0x03C1, 1}, {0x03C3, 0x03CE, 1}, // Greek
		{0x0400, 0x0482, 1}, {0x048A, 0x052F, 1}, // Cyrillic
		{0x05D0, 0x05EA, 1}, {0x0620, 0x064A, 1}, {0x0671, 0x06D3, 1}, // Hebrew, Arabic
		{0x1EA0, 0x1EF9, 1},                                                                                     // Vietnamese
		{0x2010, 0x2027, 1}, {0x20A0, 0x20BF, 1}, {0x2122, 0x2122, 1}, {0x2190, 0x22FF, 1}, {0x2600, 0x26FF, 1}, // punctuation and symbols
		{0x3001, 0x3029, 1}, {0x3041, 0x3096, 1}, {0x309D, 0x30FF, 1}, // Japanese
		{0x4E00, 0x9FFF, 1}, {0xAC00, 0xD7A3, 1}, {0xFF01, 0xFF60, 1}, // Han, Hangul, wide forms
	},
	R32:         []unicode.Range32{{0x1F300, 0x1FAFF, 1}}, // emoji
	LatinOffset: 2,
}

// lower folds an ASCII character or one of lowered. ok is false for another one.
func lower(r rune) (folded rune, ok bool) {
	if r < rune(len(lowerOfAlphabets)) {
		folded = rune(lowerOfAlphabets[r])
		return folded, folded != 0 || r == 0
	}
	if !unicode.Is(lowered, r) {
		return 0, false
	}
	return unicode.ToLower(r), true
}

// lowerOfAlphabets is what lower returns for Latin, Greek and Cyrillic letters, 0 if it is not ok.
// It is four times as fast as the tables of package unicode.
var lowerOfAlphabets = func() (table [0x530]uint16) {
	for r := range rune(len(table)) {
		if r < utf8.RuneSelf || unicode.Is(lowered, r) {
			table[r] = uint16(unicode.ToLower(r))
		}
	}
	return table
}()

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
