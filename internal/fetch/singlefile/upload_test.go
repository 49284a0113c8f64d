package singlefile_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"waymark/internal/fetch/singlefile"
)

// pictureOf returns the base64 of an image of about n bytes.
func pictureOf(n int) string {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	copy(data, "\x89PNG\r\n\x1a\n")
	return base64.StdEncoding.EncodeToString(data)
}

// upload cleans a page that a browser has saved.
func upload(t *testing.T, file, contentType string) (html, cleaned string, err error) {
	t.Helper()
	parts, err := os.CreateTemp(t.TempDir(), "")
	check(t, err)
	defer parts.Close()
	u, err := singlefile.ReadUpload(strings.NewReader(file), contentType, parts)
	if err != nil {
		return "", "", err
	}
	var to bytes.Buffer
	err = u.Clean(&to)
	return u.HTML, to.String(), err
}

func TestAnUploadedPageKeepsItsImagesAndFonts(t *testing.T) {
	small, large, font := pictureOf(100), pictureOf(100_001), base64.StdEncoding.EncodeToString([]byte("wOF2"+strings.Repeat("f", 50_000)))
	file := `<!DOCTYPE html> <html><!-- Page saved with SingleFile --><head><meta charset=utf-8>
<style>@font-face{font-family:a;src:url(data:font/woff2;base64,` + font + `)}:root{--sf-img-1: url("data:image/png;base64,` + large + `")}</style>
</head><body><img src="data:image/png;base64,` + small + `"><p>Gr` + "\u00fc" + `n</p><img alt=x src=data:image/png;base64,` + large + `>
<div style="background:url(data:image/png;base64,` + large + `)">a</div></body></html>`
	html, cleaned, err := upload(t, file, "text/html")
	check(t, err)
	if len(html) > 60_000 {
		t.Errorf("got %d bytes of HTML, want only the beginnings of images", len(html))
	}
	for part, want := range map[string]int{small: 1, large: 3, font: 1, "<p>Gr\u00fcn</p>": 1, "SingleFile": 0} {
		if got := strings.Count(cleaned, part); got != want {
			t.Errorf("%.40q: got it %d times, want %d", part, got, want)
		}
	}
	if again, err := singlefile.Clean(cleaned, singlefile.MaxBytes); err != nil || again != cleaned {
		t.Errorf("the page is not clean (error %v)", err)
	}
}

func TestAnUploadedPageIsCleaned(t *testing.T) {
	padding := strings.Repeat("a", 20_000)
	sheet := base64.StdEncoding.EncodeToString([]byte(padding + "{} b{background:url(https://spy.example/)}"))
	disguised := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00" + padding + "{} b{background:url(https://spy.example/)}"))
	svg := base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg"><text>` + padding + `</text></svg>`))
	image := pictureOf(30_000)
	_, cleaned, err := upload(t, `<html><head><script>steal()</script><style>@import "data:text/css;base64,`+sheet+`";</style>
<style>@import "data:text/css;base64,`+disguised+`";</style></head>
<body onload="steal()"><iframe src="https://spy.example/"></iframe><img src="https://spy.example/a.png"><form action="https://spy.example/"></form>
<img src="data:image/svg+xml;base64,`+svg+`"><script src="data:text/javascript;base64,`+image+`"></script><a href="javascript:steal()">x</a>
<img src="data:image/png;base64,`+image+`" onerror="steal()"></body></html>`, "text/html")
	check(t, err)
	encoded := base64.StdEncoding.EncodeToString([]byte("https://spy.example/"))[:24]
	for _, part := range []string{"steal", "spy.example", encoded, "<script", "<iframe", "onload", disguised[20_000:]} {
		if strings.Contains(cleaned, part) {
			t.Errorf("the page contains %q", part)
		}
	}
	for part, want := range map[string]int{image: 1, svg: 1} {
		if got := strings.Count(cleaned, part); got != want {
			t.Errorf("%.40q: got it %d times, want %d", part, got, want)
		}
	}
}

func TestWhatIsNoPageOrTooLargeIsRefused(t *testing.T) {
	for _, test := range []struct {
		name, file, contentType string
		want                    error
	}{
		{"an image", "\x89PNG\r\n\x1a\n", "text/html", singlefile.ErrNoPage},
		{"a ZIP file", "PK\x03\x04", "text/html", singlefile.ErrNoPage},
		{"a PDF file", "%PDF-1.7", "application/pdf", singlefile.ErrNoPage},
		{"a plain text", "a text", "text/plain", singlefile.ErrNoPage},
		{"a plain text that is said to be HTML", "a text", "text/html; charset=utf-8", nil},
		{"HTML of an unknown type", "<!DOCTYPE html><p>a", "application/octet-stream", nil},
		{"too much text", "<html>" + strings.Repeat("a", 9<<20), "text/html", singlefile.ErrTooLarge},
		{"a style sheet that is too large", "<html><style>@import 'data:text/css;base64," + strings.Repeat("YWFh", 3<<20) + "'", "text/html", singlefile.ErrTooLarge},
		{"too many elements", "<html>" + strings.Repeat("<b>", 200_000), "text/html", singlefile.ErrTooLarge},
	} {
		if _, _, err := upload(t, test.file, test.contentType); !errors.Is(err, test.want) {
			t.Errorf("%s: got error %v, want %v", test.name, err, test.want)
		}
	}
}
