package page

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

// A language is a folder of texts: this adds one that has other plural forms, digits and another direction.
func TestFolderOfTextsIsALanguage(t *testing.T) {
	files := fstest.MapFS{}
	err := fs.WalkDir(textFiles, "texts", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(textFiles, path)
		files[path] = &fstest.MapFile{Data: body}
		if name, ok := strings.CutPrefix(path, "texts/en/"); ok {
			files["texts/ar/"+name] = files[path]
		}
		return err
	})
	check(t, err)
	files["texts/ar/links.json"] = &fstest.MapFile{Data: []byte(`{"found": {"zero": "zero {n}", "one": "one {n}", "two": "two {n}", "few": "few {n}", "many": "many {n}", "other": "other {n}"}}`)}
	files["texts/ar/shell.json"] = &fstest.MapFile{Data: []byte(`{"direction": "rtl"}`)}

	site, err := New(Options{}, nil, nil)
	check(t, err)
	known, err := site.loadLanguages(files)
	check(t, err)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if got := known.find("ar", r).Name; got != "ar" {
		t.Errorf("the setting ar finds %s", got)
	}
	r.Header.Set("Accept-Language", "sv, ar-EG;q=0.9, de;q=0.5")
	arabic := known.find("", r)
	if arabic.Name != "ar" {
		t.Fatalf("a browser with %s gets %s, want ar", r.Header.Get("Accept-Language"), arabic.Name)
	}
	for n, want := range map[int]string{0: "zero 0", 1: "one 1", 2: "two 2", 3: "few 3", 11: "many 11", 100: "other 100", 12345: "many 12,345"} {
		if got := arabic.Get("links.found", "n", n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	var page strings.Builder
	templates, err := arabic.templates()
	check(t, err)
	check(t, templates.ExecuteTemplate(&page, "page-begin", &shell{Language: arabic.Name}))
	if !strings.Contains(page.String(), `<html lang="ar" dir="rtl"`) {
		t.Errorf("got a page with %.60s", page.String())
	}
}

// The form of a language that most of its speakers read is for all of them, but somebody who also reads English and
// writes Chinese in traditional characters gets English.
func TestBrowserGetsTheNearestLanguage(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"en", "de", "es", "fr", "pt-BR", "zh-Hans"} {
		files["texts/"+name+"/shell.json"] = &fstest.MapFile{Data: []byte(`{"direction": "ltr"}`)}
	}
	site, err := New(Options{}, nil, nil)
	check(t, err)
	known, err := site.loadLanguages(files)
	check(t, err)
	for header, want := range map[string]string{
		"es-MX": "es", "es-419,en;q=0.5": "es", "pt": "pt-BR", "pt-PT,en;q=0.8": "pt-BR", "zh": "zh-Hans", "zh-CN,zh;q=0.9,en;q=0.8": "zh-Hans",
		"zh-SG": "zh-Hans", "zh-TW": "zh-Hans", "zh-TW,zh;q=0.9,en;q=0.8": "zh-Hans", "zh-TW,en;q=0.5": "en", "zh-Hant,fr;q=0.2": "fr", "ja": "en", "": "en",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Language", header)
		if got := known.find("", r).Name; got != want {
			t.Errorf("%q: got %s, want %s", header, got, want)
		}
	}
}

func TestLanguageThatNobodyHasReadSaysSo(t *testing.T) {
	files := fstest.MapFS{"texts/es/appearance.json": {Data: []byte(`{"language-name": "Español", "unreviewed": "{name} (sin revisar)"}`)}}
	spanish, err := loadTexts(files, "es")
	check(t, err)
	if got := (&Locale{texts: spanish}).OwnName(); got != "Español (sin revisar)" {
		t.Errorf("got %q", got)
	}
	if got := (&Locale{texts: load(t, "de")}).OwnName(); got != "Deutsch" {
		t.Errorf("got %q", got)
	}
	for n, want := range map[int]string{1234: "1234", -9999: "-9999", 12345: "12.345"} {
		if got := spanish.number(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
