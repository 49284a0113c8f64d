package waymark

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s that is used to compare, search and sort texts: Unicode case folding, then NFKC. It has
// apostrophes, quotation marks, dashes and spaces as keyboards have them, and no characters that are invisible. So Ä
// equals ä, ẞ equals ss, a letter equals its decomposed form, and “a–b…” equals "a-b...". Fold is idempotent.
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
	for {
		folded := cases.Fold().String(strings.Map(keyboard, norm.NFC.String(s)))
		folded = norm.NFKC.String(strings.Map(capitalCherokee, folded))
		if folded == s {
			return s
		}
		s = folded
	}
}

// keyboard returns the character of a keyboard that is typed for a typographic one, -1 for an invisible character, and
// any other character as it is.
func keyboard(r rune) rune {
	switch typed := typographic(r); {
	case typed != r || r < 0x80:
		return typed
	case unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return -1
	}
	return r
}

// typographic returns the character of a keyboard that is typed for an apostrophe, a quotation mark, a dash or a slash.
func typographic(r rune) rune {
	switch r {
	case '´', '‘', '’', '‚', '‛', '′', '‵', '‹', '›', 'ʹ', 'ʻ', 'ʼ', 'ʽ', '՚', '׳':
		return '\''
	case '«', '»', '“', '”', '„', '‟', '″', '‶', '「', '」', '『', '』', '〝', '〞', '〟', '״', 'ʺ':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '⁃', '−', '֊', '⸺', '⸻':
		return '-'
	case '⁄', '∕':
		return '/'
	}
	return r
}

// Plain returns Fold(s) without accents: Café and cafe are both cafe, and Øl is ol. What makes another word of a
// script, such as the vowel signs of Hindi and the voicing marks of Japanese, is no accent.
func Plain(s string) string {
	folded := Fold(s)
	if !strings.ContainsFunc(folded, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return folded
	}
	return norm.NFC.String(unaccented.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(accents, r) {
			return -1
		}
		return r
	}, norm.NFD.String(folded))))
}

// accents are the marks that are left out in Latin, Greek, Cyrillic, Hebrew and Arabic.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{0x0300, 0x036F, 1}, {0x0591, 0x05BD, 1}, {0x05BF, 0x05BF, 1}, {0x05C1, 0x05C2, 1}, {0x05C4, 0x05C5, 1}, {0x05C7, 0x05C7, 1},
	{0x0610, 0x061A, 1}, {0x064B, 0x065F, 1}, {0x0670, 0x0670, 1}, {0x06D6, 0x06DC, 1}, {0x06DF, 0x06E4, 1}, {0x06E7, 0x06E8, 1}, {0x06EA, 0x06ED, 1},
	{0x1AB0, 0x1AFF, 1}, {0x1DC0, 0x1DFF, 1}, {0x20D0, 0x20FF, 1},
}}

// unaccented replaces folded letters with a stroke, and the like, which have no decomposed form.
var unaccented = strings.NewReplacer("ø", "o", "đ", "d", "ð", "d", "ł", "l", "ħ", "h", "ŧ", "t", "ı", "i", "æ", "ae", "œ", "oe", "þ", "th")

// lowered are characters beyond ASCII of which typographic and unicode.ToLower make the folded one, whatever is before
// and after them: letters of the most common scripts, and punctuation.
var lowered = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00A1, 0x00A7, 1}, {0x00A9, 0x00A9, 1}, {0x00AB, 0x00AC, 1}, {0x00AE, 0x00AE, 1}, {0x00B0, 0x00B1, 1}, {0x00B4, 0x00B4, 1}, // punctuation
		{0x00B6, 0x00B7, 1}, {0x00BB, 0x00BB, 1}, {0x00BF, 0x00DE, 1}, {0x00E0, 0x012F, 1}, {0x0131, 0x0131, 1}, {0x0134, 0x013E, 1}, {0x0141, 0x0148, 1}, {0x014A, 0x017E, 1}, // Latin
		{0x01A0, 0x01A1, 1}, {0x01AF, 0x01B0, 1}, // Vietnamese
		{0x0391, 0x03A1, 1}, {0x03A3, 0x03AF, 1}, {0x03B1, 0x03C1, 1}, {0x03C3, 0x03CE, 1}, // Greek
		{0x0400, 0x0482, 1}, {0x048A, 0x052F, 1}, // Cyrillic
		{0x05D0, 0x05EA, 1}, {0x0620, 0x064A, 1}, {0x0671, 0x0674, 1}, {0x0679, 0x06D3, 1}, // Hebrew, Arabic
		{0x1EA0, 0x1EF9, 1},                                                                                                                                                    // Vietnamese
		{0x2010, 0x2015, 1}, {0x2018, 0x2023, 1}, {0x2027, 0x2027, 1}, {0x20A0, 0x20A7, 1}, {0x20A9, 0x20BF, 1}, {0x2190, 0x222B, 1}, {0x2231, 0x22FF, 1}, {0x2600, 0x26FF, 1}, // punctuation and symbols
		{0x3001, 0x3029, 1}, {0x3041, 0x3096, 1}, {0x309D, 0x309E, 1}, {0x30A0, 0x30FE, 1}, // Japanese
		{0x4E00, 0x9FFF, 1}, {0xAC00, 0xD7A3, 1}, // Han, Hangul
	},
	R32:         []unicode.Range32{{0x1F300, 0x1FAFF, 1}}, // emoji
	LatinOffset: 12,
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
	return unicode.ToLower(typographic(r)), true
}

// lowerOfAlphabets is what lower returns for Latin, Greek and Cyrillic letters, 0 if it is not ok.
// It is four times as fast as the tables of package unicode.
var lowerOfAlphabets = func() (table [0x530]uint16) {
	for r := range rune(len(table)) {
		if r < utf8.RuneSelf || unicode.Is(lowered, r) {
			table[r] = uint16(unicode.ToLower(typographic(r)))
		}
	}
	table['\u00a0'] = ' '
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
