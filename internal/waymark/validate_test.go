package waymark

import "testing"

func TestNormalizeNameNeedsSomethingVisible(t *testing.T) {
	for name, want := range map[string]string{
		"":                           "",
		" , ,":                       "",
		"\u200b":                     "",
		"\u200b \ufeff\u2060":        "",
		"\u00ad,\u034f":              "",
		"\u3164":                     "", // a Hangul filler, which is a letter
		"\u2800\u2800":               "",
		"\ufe0f":                     "",
		"\x07\x1b\u0085":             "",
		"\u202e":                     "",
		"\U000e0041":                 "",
		" a,\u200b ":                 "a\u200b",
		"\u200bb":                    "\u200bb",
		"Re, ad":                     "Re ad",
		"👩\u200d👧":                   "👩\u200d👧",
		"\u0301":                     "\u0301",
		"\ue000":                     "\ue000", // private use, such as the shape of an icon font
		".":                          ".",
		"می\u200cخواهم":              "می\u200cخواهم",
		"\u00a0caf\u00e9\u2003au ,,": "café\u2003au",
	} {
		if got := NormalizeName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestUserNamesHaveOnlyVisibleCharacters(t *testing.T) {
	for _, name := range []string{"ada", "Ädä", "王芳", "آدا", "ada@example.org", "ada-2", "Анна", "Юлия", "Νίκη", "王ann"} {
		if err := ValidateUserName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "a da", "ada\u200b", "a\u202eda", "\ufffe", "\u3164", "ada\x00", "ada\xff", "a\u00adda", ".", "..",
		"аnn", "αnn", "ａｎｎ", "𝐚nn", "ann①", "сора", "ΑΝΝΑ", "🦊"} { // they look like others
		if err := ValidateUserName(name); err == nil {
			t.Errorf("%q is allowed", name)
		}
	}
}
