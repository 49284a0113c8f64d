package bookmarks_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"waymark/internal/bookmarks"
)

// formats write one bookmark with a title, in the formats whose files need not declare a character set.
var formats = []struct{ name, head, bookmark, tail string }{
	{"CSV", "url,title\n", "https://example.com/%d,%s\n", ""},
	{"JSON", "[", "{\"url\":\"https://example.com/%d\",\"title\":\"%s\"},\n", "{\"url\":\"https://example.com/\"}]"},
	{"OPML", "<opml><body>", "<outline url=\"https://example.com/%d\" title=\"%s\"/>\n", "</body></opml>"},
	{"HTML", "<DL>", "<DT><A HREF=\"https://example.com/%d\">%s</A>\n", "</DL>"},
	{"text", "", "https://example.com/%d %s\n", ""},
}

func TestCharacterSetIsGuessed(t *testing.T) {
	japaneseTitles := []string{"Vim スクリプトリファレンス", "安全なウェブサイトの作り方", "お気楽 OCaml プログラミング入門", "Python 基礎文法最速マスター", "ソ表能\\"}
	russian := []string{"Golang Москва", "Язык Си в примерах", "Учебник ReactJS", "Программирование в Linux с нуля"}
	western := []string{"Baïkal", "Einführung in R", "It’s “Android” – Módulo 2", "Go", "Ponto é €"}
	polish := []string{"Inżynieria wsteczna dla początkujących", "Wgłąb języka C", "Ponořme se do HTML5", "PHP dla początkujących - cały kurs", "Katedrála a tržiště"}
	for name, test := range map[string]struct {
		encoding encoding.Encoding
		titles   []string
	}{
		"Shift_JIS":           {japanese.ShiftJIS, japaneseTitles},
		"EUC-JP":              {japanese.EUCJP, japaneseTitles},
		"ISO-2022-JP":         {japanese.ISO2022JP, japaneseTitles[:4]},
		"EUC-KR":              {korean.EUCKR, []string{"아마존 웹 서비스를 다루는 기술", "왕초보를 위한 Python 2.7", "C언어 코딩도장", "Java 입문수업"}},
		"GB18030":             {simplifiedchinese.GB18030, []string{"沉浸式学 Git", "Mac 开发配置手册", "编码规范", "简单易懂的C魔法"}},
		"Big5":                {traditionalchinese.Big5, []string{"Markdown 語法說明", "初學者的生成式 AI .NET 課程", "Linux 核心設計", "大家來學 LaTeX"}},
		"Windows-1251":        {charmap.Windows1251, russian},
		"KOI8-R":              {charmap.KOI8R, russian},
		"Greek":               {charmap.Windows1253, []string{"Διαδικαστικός προγραμματισμός", "Εισαγωγή στη C++", "Δομές δεδομένων"}},
		"Hebrew":              {charmap.Windows1255, []string{"מערכות הפעלה", "רשתות מחשבים", "תכנות בשפת פייתון"}},
		"Arabic":              {charmap.Windows1256, []string{"احترف الأردوينو", "دليل البرمجيات الحرة مفتوحة"}},
		"Polish, many titles": {charmap.Windows1250, append(polish, append(polish, append(polish, polish...)...)...)},
		"Windows-1252":        {charmap.Windows1252, western},
		"one Western title":   {charmap.Windows1252, []string{"Café"}},
		"UTF-8":               {encoding.Nop, append(japaneseTitles, russian...)},
	} {
		for i, format := range formats {
			if i > 0 && name != "Shift_JIS" { // the guess is the same in all formats
				break
			}
			// The first 64 KiB, from which the format is recognised, can be ASCII.
			for _, ascii := range []int{0, 2000 * i} {
				text := format.head + strings.Repeat(fmt.Sprintf(format.bookmark, 0, "ASCII"), ascii)
				var want []string
				for i, title := range test.titles {
					if format.name == "JSON" {
						title = strings.ReplaceAll(title, "\\", "")
					}
					want = append(want, title)
					text += fmt.Sprintf(format.bookmark, i, title)
				}
				encoded, err := test.encoding.NewEncoder().String(text + format.tail)
				check(t, err)
				if got := titlesOf(t, encoded)[ascii:]; strings.Join(got[:len(want)], "\n") != strings.Join(want, "\n") {
					t.Errorf("%s in %s after %d others: got %q, want %q", name, format.name, ascii, got, want)
				}
			}
		}
	}
}

func titlesOf(t *testing.T, file string) []string {
	t.Helper()
	r, err := bookmarks.Open(strings.NewReader(file), bookmarks.Limits{})
	check(t, err)
	var titles []string
	for b, err := range r.All() {
		check(t, err)
		titles = append(titles, b.Title)
	}
	return titles
}

func TestInvalidBytesAreReported(t *testing.T) {
	japaneseTitles, err := japanese.ShiftJIS.NewEncoder().String("Vim スクリプトリファレンス\nhttps://example.com/ 安全なウェブサイトの作り方\nhttps://example.com/ ")
	check(t, err)
	for name, test := range map[string]struct {
		file string
		want string // for each bookmark, whether it has invalid bytes
	}{
		"UTF-8":                       {"\ufeffurl,title\nhttps://example.com/,Caf\xe9\nhttps://example.com/,Café\nhttps://example.com/,\xff\n", "true false true"},
		"JSON in UTF-8":               {"\ufeff{\"bookmarks\":[{\"url\":\"https://example.com/\",\"title\":\"Caf\xe9\"},{\"url\":\"https://example.com/\",\"tags\":[\"\xe9\"]}]}", "true true"},
		"HTML in UTF-8":               {"<meta charset=utf-8><DL><DT><A HREF=\"https://example.com/\">A</A><DD>Caf\xe9<DT><A HREF=\"https://example.com/\">Caf\u00e9</A></DL>", "true false"},
		"Windows-1252":                {"url,title\nhttps://example.com/,Caf\xe9\n", "false"},
		"a text in Shift_JIS, broken": {"https://example.com/ " + japaneseTitles + "\xa0\xff\n", "false false true"},
	} {
		r, err := bookmarks.Open(strings.NewReader(test.file), bookmarks.Limits{})
		check(t, err)
		var got []string
		for b, err := range r.All() {
			if rowErr := new(bookmarks.RowError); err != nil && !errors.As(err, &rowErr) {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(b.HasInvalid))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func TestCharacterSets(t *testing.T) {
	const title = "Café €"
	utf16 := func(text string, order func(uint16) []byte) string {
		var b []byte
		for _, r := range text {
			b = append(b, order(uint16(r))...)
		}
		return string(b)
	}
	little := func(c uint16) []byte { return []byte{byte(c), byte(c >> 8)} }
	big := func(c uint16) []byte { return []byte{byte(c >> 8), byte(c)} }
	file := func(meta, title string) string {
		return meta + `<DL><DT><A HREF="https://example.com/">` + title + "</A></DL>"
	}
	for name, text := range map[string]string{
		"UTF-8 without a declaration":   file("", title),
		"UTF-8 declared":                file(`<meta charset="utf-8">`, title),
		"UTF-8 declared as Western":     file(`<meta charset="iso-8859-1">`, title),
		"UTF-8 declared as UTF-16":      file(`<?xml version="1.0" encoding="utf-16"?>`, title),
		"UTF-8 with a byte order mark":  "\ufeff" + file("", title),
		"Western without a declaration": file("", "Caf\xe9 \x80"),
		"Western declared":              file(`<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1252">`, "Caf\xe9 \x80"),
		"Western with a reference":      file("", "Caf\xe9 &#8364;"),
		"ISO-8859-15":                   file(`<meta charset="iso-8859-15">`, "Caf\xe9 \xa4"),
		"UTF-16 little-endian":          utf16("\ufeff"+file("", title), little),
		"UTF-16 big-endian":             utf16("\ufeff"+file("", title), big),
		"UTF-16 without a mark":         utf16(file("", title), little),
		"UTF-16 big-endian, no mark":    utf16(file("", title), big),
	} {
		if got := read(strings.NewReader(text), bookmarks.Limits{}); got.count != 1 || got.last.Title != title {
			t.Errorf("%s: got %s with title %q, want %q", name, got, got.last.Title, title)
		}
	}
}
