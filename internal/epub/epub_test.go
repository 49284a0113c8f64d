package epub_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"waymark/internal/epub"
)

// write returns a book with one chapter, and its chapter.
func write(t *testing.T, c epub.Chapter) (book []byte, chapter string) {
	t.Helper()
	var b bytes.Buffer
	w, err := epub.NewWriter(&b, epub.Book{ID: "https://links.example/links/1#2026", Title: "A & B", Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	check(t, err)
	check(t, w.Add(c))
	check(t, w.Close())
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	check(t, err)
	for _, f := range z.File {
		content := read(t, f)
		if f.Name == "chapter-1.xhtml" {
			chapter = content
		}
		if strings.HasSuffix(f.Name, "ml") || strings.HasSuffix(f.Name, ".opf") {
			wantXML(t, content)
		}
	}
	return b.Bytes(), chapter
}

func read(t *testing.T, f *zip.File) string {
	t.Helper()
	r, err := f.Open()
	check(t, err)
	content, err := io.ReadAll(r)
	check(t, err)
	return string(content)
}

func wantXML(t *testing.T, content string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(content))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, content)
		}
	}
}

func TestABookBeginsWithItsType(t *testing.T) {
	book, _ := write(t, epub.Chapter{Title: "T", HTML: "<p>x</p>"})
	if want := "mimetypeapplication/epub+zip"; string(book[30:30+len(want)]) != want {
		t.Errorf("got %q at byte 30, want %q", book[30:60], want)
	}
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	check(t, err)
	if f := z.File[0]; f.Method != zip.Store || len(f.Extra) != 0 || f.CRC32 != 0x2cab616f {
		t.Errorf("got %+v, want a stored file without more", f.FileHeader)
	}
}

func TestEqualContentsAreEqualBytes(t *testing.T) {
	c := epub.Chapter{Title: "T", URL: "https://a.example/", HTML: "<p>x</p>"}
	a, _ := write(t, c)
	b, _ := write(t, c)
	if !bytes.Equal(a, b) {
		t.Error("got two books")
	}
}

func TestElementsStandWhereTheyMay(t *testing.T) {
	for given, want := range map[string]string{
		`<span>a<p>b</p></span>`:                       `<span>a<br/><span>b</span></span>`,
		`<ul>x<ul><li>y</ul></ul>`:                     `<ul><li>x</li><li><ul><li>y</li></ul></li></ul>`,
		`<dl><dt>x<dd>y</dl>`:                          `<div><div>x</div><blockquote>y</blockquote></div>`,
		`<table><caption>c</caption></table>`:          `<div><div>c</div></div>`,
		`<li>x</li><td>y</td>`:                         `<div>x</div>y`,
		`<time>now</time><bdo>x</bdo>`:                 `<span>now</span><div>x</div>`,
		`<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字`:     `<ruby>漢<rt>kan</rt>字<rt></rt></ruby>`,
		`<a href="javascript:x">y</a>`:                 `y`,
		`<a href="https://bücher.example/ü?[1]">x</a>`: `<a href="https://xn--bcher-kva.example/%C3%BC?%5B1%5D">x</a>`,
		"<p lang=e>a\x01b\ufffe</p>":                   `<p>ab</p>`,
		`<p lang=pt-br dir=rtl onclick=x>a</p>`:        `<p lang="pt-BR" xml:lang="pt-BR" dir="rtl">a</p>`,
		`<script>alert(1)</script>`:                    `<div>alert(1)</div>`,
	} {
		_, chapter := write(t, epub.Chapter{Title: "T", HTML: given})
		body, _, _ := strings.Cut(chapter, "\n</body>")
		_, body, _ = strings.Cut(body, "</p>\n")
		if body != want {
			t.Errorf("%s: got %s, want %s", given, body, want)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
