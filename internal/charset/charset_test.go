package charset_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"waymark/internal/charset"
)

func TestGuess(t *testing.T) {
	gb18030, err := simplifiedchinese.GB18030.NewEncoder().String("沉浸式学 Git, 简单易懂的魔法")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                        "",
		"ASCII":                   "ASCII",
		"Café":                    "Café",
		"東京"[:5]:                  "東\ufffd", // the last character is cut off
		"Café, Żółw and Caf\xe9 ": "Café, Żółw and Caf\ufffd ",
		"\x1b$BEl5~\x1b(B Git":    "東京 Git",
		gb18030:                   "沉浸式学 Git, 简单易懂的魔法",
		"\x93\x8c\x8b\x9e\x83\x5e\x83\x8f\x81\x5b ": "東京タワー ", // short, but not possible in Windows-1252
		"Caf\xe9 ":                        "Café ",
		"Inter\xe9s, a\xf1o y ni\xf1o ":   "Interés, año y niño ",
		strings.Repeat("\xa9 2020 ", 100): strings.Repeat("© 2020 ", 100),
		strings.Repeat("It\x92s \x93here\x94 \x96 don\x92t go ", 100): strings.Repeat("It’s “here” – don’t go ", 100),
	} {
		got, err := charset.Guess([]byte(text)).NewDecoder().String(text)
		if err != nil || got != want {
			t.Errorf("%.100q: got %.100q and error %v, want %.100q", text, got, err, want)
		}
	}
}
