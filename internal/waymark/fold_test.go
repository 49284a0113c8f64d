package waymark

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestFoldIgnoresCaseAndComposition(t *testing.T) {
	for _, same := range [][]string{
		{"Straße", "STRASSE", "strasse", "straẞe"},
		{"Ärger", "ärger", "A\u0308RGER"},
		{"ΣΊΣΥΦΟΣ", "σίσυφος", "Σίσυφοσ"},
		{"Kelvin", "\u212aelvin"},
		{"ﬃ", "FFI"},
		{"ᏣᎳᎩ", "ꮳꮃꭹ"},
		{"ǅ", "ǆ", "Ǆ"},
		{"l'été", "l’été", "lʼété", "l′été"},
		{`"a" - b`, "“a” – b", "„a“ — b", "«a»\u00a0−\u202fb", "「a」 ― b"},
		{"wait...", "wait…"},
		{"softhyphen", "soft\u00adhyphen", "soft\u200bhyphen", "\ufeffsofthyphen", "ｓｏｆｔhyphen"},
		{"e-mail", "e‑mail"},
		{"❤", "❤\ufe0f"},
	} {
		for _, other := range same[1:] {
			if Fold(other) != Fold(same[0]) {
				t.Errorf("Fold(%q) = %q and Fold(%q) = %q, want the same", same[0], Fold(same[0]), other, Fold(other))
			}
		}
	}
	for _, different := range [][2]string{{"a", "ä"}, {"I", "ı"}, {"o", "0"}, {"中", "国"}, {"a b", "ab"}, {"カ", "ガ"}, {"x--y", "x-y"}} {
		if Fold(different[0]) == Fold(different[1]) {
			t.Errorf("%q and %q both fold to %q", different[0], different[1], Fold(different[0]))
		}
	}
}

func TestPlainLeavesOutAccents(t *testing.T) {
	for text, want := range map[string]string{
		"Café": "cafe", "A\u0308rger": "arger", "SMØRREBRØD": "smorrebrod", "Ångström": "angstrom", "Señor": "senor", "œuvre Ærø": "oeuvre aero",
		"Łódź": "lodz", "Ёлка": "елка", "λόγος": "λογοσ", "שָׁלוֹם": "שלום", "مُحَمَّد": "محمد", "ガラス": "ガラス", "한국어": "한국어", "हिन्दी": "हिन्दी", "ไทย": "ไทย",
	} {
		if got := Plain(text); got != want {
			t.Errorf("Plain(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestFoldMatchesSimpleFoldForAllRunes(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		folded := Fold(string(r))
		if again := Fold(folded); again != folded {
			t.Errorf("Fold(%q) = %q, which folds to %q", r, folded, again)
		}
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if Fold(string(other)) != folded {
				t.Errorf("Fold(%q) = %q and Fold(%q) = %q, want the same", r, folded, other, Fold(string(other)))
			}
		}
	}
}

func TestLoweredCharactersFoldAsAnyOther(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if _, ok := lower(r); ok {
			s := string(r)
			if Fold(s) != foldAny(s) {
				t.Errorf("Fold(%q) = %q, want %q", s, Fold(s), foldAny(s))
			}
			for _, s := range []string{s, Fold(s)} {
				if p := norm.NFC.PropertiesString(s); !p.BoundaryBefore() || p.CCC() != 0 || !norm.NFC.IsNormalString(s) {
					t.Errorf("%q is another character in NFC, or after other characters", s)
				}
			}
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, text := range []string{"", "Straße", "A\u0308", "\u0345\u0301α", "ᏣᎳᎩ", "\xff\xc3", "İI", "e\u0301\u0323", "ﬃ\u0301"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := Fold(text)
		if folded != foldAny(text) {
			t.Fatalf("Fold(%q) = %q, want %q", text, folded, foldAny(text))
		}
		if again := Fold(folded); again != folded {
			t.Fatalf("Fold(%q) = %q, which folds to %q", text, folded, again)
		}
		if !utf8.ValidString(text) {
			return
		}
		if !utf8.ValidString(folded) || Fold(norm.NFD.String(text)) != folded {
			t.Fatalf("Fold(%q) = %q, but folding its NFD gives %q", text, folded, Fold(norm.NFD.String(text)))
		}
		if Fold(strings.TrimSpace(folded)) != strings.TrimSpace(folded) {
			t.Fatalf("%q is not folded after trimming", folded)
		}
	})
}
