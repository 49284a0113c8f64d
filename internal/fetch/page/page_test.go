package page_test

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"waymark/internal/fetch/page"
)

const pageURL = "https://site.example/blog/post.html?id=1"

func read(t testing.TB, content, contentType string) page.Metadata {
	t.Helper()
	found, err := page.Read(strings.NewReader(content), contentType, parse(t, pageURL))
	check(t, err)
	return found
}

func parse(t testing.TB, rawURL string) *url.URL {
	t.Helper()
	u, err := url.Parse(rawURL)
	check(t, err)
	return u
}

func TestHeadOfAPage(t *testing.T) {
	for _, test := range []struct {
		name, html string
		want       page.Metadata
	}{
		{"title and description", `<!doctype html><title>Bread</title><meta name=description content="How to bake it">`,
			page.Metadata{Title: "Bread", Description: "How to bake it"}},
		{"entities and white space", "<title>\n  Salt &amp; Pepper\t&ndash;&nbsp; 100&#37;\r\n</title><meta name='Description' content='a  &quot;b&quot;\n c'>",
			page.Metadata{Title: "Salt & Pepper – 100%", Description: `a "b" c`}},
		{"OpenGraph", `<meta property="og:title" content="Open"><meta property="og:description" content="Graph"><meta property="og:image" content="/a.png">`,
			page.Metadata{Title: "Open", Description: "Graph", Image: "https://site.example/a.png"}},
		{"Twitter", `<meta name="twitter:title" content="Tw"><meta name="twitter:description" content="itter"><meta name="twitter:image" content="a.png">`,
			page.Metadata{Title: "Tw", Description: "itter", Image: "https://site.example/blog/a.png"}},
		{"the title of the page comes first, the description for others", `<title>Own</title><meta property="og:title" content="Open"><meta name="description" content="Own text"><meta property="og:description" content="Open text">`,
			page.Metadata{Title: "Own", Description: "Open text"}},
		{"base", `<base href="https://cdn.example/x/"><meta property="og:image" content="a.png">`, page.Metadata{Image: "https://cdn.example/x/a.png"}},
		{"Dublin Core", `<meta name="DC.title" content="In a library"><meta name="DC.Description" content="Of books">`, page.Metadata{Title: "In a library", Description: "Of books"}},
		{"image_src", `<link rel="image_src" href="//cdn.example/a.png">`, page.Metadata{Image: "https://cdn.example/a.png"}},
		{"an image that is not http", `<meta property="og:image" content="data:image/png;base64,AAAA"><meta name="twitter:image" content="/b.png">`,
			page.Metadata{Image: "https://site.example/b.png"}},
		{"JSON-LD", `<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"Organization","name":"Firm"},{"@type":"NewsArticle","headline":"News","description":"Today","image":[{"url":"/n.jpg"}]}]}</script>`,
			page.Metadata{Title: "News", Description: "Today", Image: "https://site.example/n.jpg"}},
		{"invalid JSON-LD", `<script type="application/ld+json">{"headline":</script><title>Page</title>`, page.Metadata{Title: "Page"}},
		{"the body is not read after a head that says enough", `<title>Yes</title><meta name=description content=Yes><body><meta name=twitter:image content=/no.png>`, page.Metadata{Title: "Yes", Description: "Yes"}},
		{"a title in a picture is not that of the page", `<svg><title>Logo</title></svg>`, page.Metadata{}},
		{"a comment", `<!-- <title>No</title> --><title>Yes</title>`, page.Metadata{Title: "Yes"}},
		{"control characters and marks that change the direction", "<title>a\x00b\x1bc\u202ed\u200be</title>", page.Metadata{Title: "a\uFFFDb cde"}},
		{"nothing", ``, page.Metadata{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, read(t, test.html, "text/html; charset=utf-8")); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestIconOfAPage(t *testing.T) {
	for _, test := range []struct{ name, head, want string }{
		{"none", ``, ""},
		{"the first of the same size", `<link rel=icon href=/a.png><link rel="shortcut icon" href=/b.png>`, "https://site.example/a.png"},
		{"the smallest with at least 64 pixels", `<link rel=icon sizes=512x512 href=/512.png><link rel=icon sizes=96x96 href=/96.png><link rel=icon sizes=32x32 href=/32.png>`, "https://site.example/96.png"},
		{"the largest of those that are smaller", `<link rel=icon sizes=16x16 href=/16.png><link rel=icon sizes="32X32 48x48" href=/48.ico><link rel=icon href=/plain.png>`, "https://site.example/48.ico"},
		{"that of Apple, which has 180 pixels", `<link rel=icon href=/plain.ico><link rel=apple-touch-icon href=/apple.png>`, "https://site.example/apple.png"},
		{"no SVG, no data", `<link rel=icon href=/a.svg?v=2><link rel=icon type=image/svg+xml href=/b><link rel=icon href=data:image/png;base64,AA==><link rel=icon href=/c.png>`, "https://site.example/c.png"},
	} {
		if got := read(t, "<head>"+test.head+"</head>", "text/html").Icon; got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestTextsAreTruncated(t *testing.T) {
	found := read(t, "<title>"+strings.Repeat("ä", 5000)+"</title><meta name=description content='"+strings.Repeat("b ", 50000)+"'>", "text/html")
	if got := utf8.RuneCountInString(found.Title); got != 1000 {
		t.Errorf("got a title of %d characters, want 1000", got)
	}
	if got := utf8.RuneCountInString(found.Description); got != 3999 { // without the last space
		t.Errorf("got a description of %d characters, want 3999", got)
	}
}

// texts are long enough for the character set to be guessed.
var (
	russian  = "Новости науки и техники: открытия учёных, исследования космоса и истории великих путешественников"
	japan    = "東京の天気予報と最新のニュースをお届けします。今日の天気は晴れ、明日は曇りのち雨になるでしょう。"
	korea    = "오늘의 뉴스와 날씨를 전해 드립니다. 서울은 맑고 부산은 흐린 날씨가 이어지겠습니다"
	chinese  = "今天的新闻和天气预报：北京晴转多云，上海有小雨，请大家出门带伞，注意交通安全。"
	taiwan   = "今天的新聞和天氣預報：臺北晴時多雲，高雄有小雨，請大家出門帶傘，注意交通安全。"
	german   = "Äpfel, Übungen und Straßen: große Bücher über schöne Gärten für fröhliche Menschen"
	charsets = []struct {
		name, text string
		encoding   encoding.Encoding
	}{
		{"windows-1251", russian, charmap.Windows1251},
		{"shift_jis", japan, japanese.ShiftJIS},
		{"euc-jp", japan, japanese.EUCJP},
		{"euc-kr", korea, korean.EUCKR},
		{"gb18030", chinese, simplifiedchinese.GB18030},
		{"big5", taiwan, traditionalchinese.Big5},
		{"iso-8859-1", german, charmap.ISO8859_1},
		{"utf-8", japan, unicode.UTF8},
	}
)

func encode(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	encoded, err := e.NewEncoder().String(text)
	check(t, err)
	return encoded
}

func TestCharacterSets(t *testing.T) {
	for _, c := range charsets {
		html := encode(t, c.encoding, "<title>"+c.text+"</title><meta name=description content='"+c.text+"'>")
		for how, page := range map[string]struct{ contentType, html string }{
			"header":     {"text/html; charset=" + c.name, html},
			"meta":       {"text/html", "<meta charset=" + c.name + ">" + html},
			"XML":        {"application/xhtml+xml", "<?xml version='1.0' encoding='" + c.name + "'?>" + html},
			"http-equiv": {"text/html", "<META http-equiv='Content-Type' content='text/html; charset=" + strings.ToUpper(c.name) + "'>" + html},
			"guessed":    {"text/html", "<!-- " + strings.Repeat("ascii ", 300) + "-->" + html},
			"wrong":      {"text/html; charset=utf-8", html},
		} {
			if found := read(t, page.html, page.contentType); found.Title != c.text || found.Description != c.text {
				t.Errorf("%s, %s: got %q and %q, want %q", c.name, how, found.Title, found.Description, c.text)
			}
		}
	}
}

func TestByteOrderMarks(t *testing.T) {
	html := "<title>" + russian + "</title>"
	for name, content := range map[string]string{"utf-8": "\ufeff" + html, "utf-16le": encode(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), html)} {
		if got := read(t, content, "text/html; charset=windows-1252").Title; got != russian {
			t.Errorf("%s: got %q, want %q", name, got, russian)
		}
	}
	content := "<title>Caf\xe9 " + japan + "</title>"
	if got, want := read(t, content, "text/html; charset=utf-8").Title, "Caf\uFFFD "+japan; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFeedsSayTheirTitle(t *testing.T) {
	for name, test := range map[string]struct {
		contentType, xml string
		want             page.Metadata
	}{
		"RSS": {"application/rss+xml", `<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><link>x</link><description><![CDATA[All of <it>]]></description><image><title>No</title><url>/i.png</url></image><item><title>No</title></item></channel></rss>`,
			page.Metadata{Title: "News & more", Description: "All of <it>", Image: "https://site.example/i.png"}},
		"Atom": {"text/xml", `<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><subtitle>Words</subtitle><entry><title>No</title></entry></feed>`,
			page.Metadata{Title: "Blog", Description: "Words"}},
		"RDF": {"application/xml", `<rdf:RDF xmlns:rdf="x"><channel rdf:about="y"><title>Old</title></channel></rdf:RDF>`, page.Metadata{Title: "Old"}},
		"windows-1251": {"application/xml", `<?xml version="1.0" encoding="windows-1251"?><rss><channel><title>` + encode(t, charmap.Windows1251, russian) + `</title></channel></rss>`,
			page.Metadata{Title: russian}},
		"XHTML":          {"application/xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Page</title></head></html>`, page.Metadata{Title: "Page"}},
		"CDATA and text": {"application/xml", `<rss><channel><title>A &amp; <![CDATA[B]]> C</title></channel></rss>`, page.Metadata{Title: "A & B C"}},
		"a picture":      {"image/svg+xml", `<svg><title>Logo</title></svg>`, page.Metadata{}},
		"broken XML":     {"text/xml", `<rss><channel><title>News</title><a b=<<`, page.Metadata{Title: "News"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, read(t, test.xml, test.contentType)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestTitleOfAPDFFileIsItsName(t *testing.T) {
	found, err := page.Read(strings.NewReader("%PDF-1.4\n<< /Title (A chapter) >>"), "application/pdf", parse(t, "https://site.example/a/Annual%20Report%202026.pdf"))
	if want := (page.Metadata{Title: "Annual Report 2026"}); err != nil || found != want {
		t.Errorf("got %+v, %v, want %+v", found, err, want)
	}
}

func TestOtherFilesSayNothing(t *testing.T) {
	for _, contentType := range []string{"image/png", "application/json", "", "text/plain", "text/html2", "video/mp4"} {
		if found := read(t, "\x89PNG\r\n\x1a\n<title>No</title>", contentType); found != (page.Metadata{}) {
			t.Errorf("%s: got %+v, want nothing", contentType, found)
		}
	}
	if found := read(t, "<!DOCTYPE html><title>Yes</title>", ""); found.Title != "Yes" {
		t.Errorf("no Content-Type: got %q, want the title of the page", found.Title)
	}
}

func TestWhatWasReadBeforeAnErrorIsKept(t *testing.T) {
	failure := errors.New("failure")
	for _, content := range []string{"<title>Page</title><meta name=a>", "<rss><channel><title>Page</title><link>"} {
		contentType := "text/html"
		if strings.HasPrefix(content, "<rss") {
			contentType = "text/xml"
		}
		found, err := page.Read(io.MultiReader(strings.NewReader(content), iotest.ErrReader(failure)), contentType, parse(t, pageURL))
		if !errors.Is(err, failure) || found.Title != "Page" {
			t.Errorf("%s: got %q, %v, want the title and the error", contentType, found.Title, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`<title>Bread</title><meta name=description content="x"><base href="/a"><meta property=og:image content=b.png>`,
		`<script type="application/ld+json">{"@graph":[{"headline":"a","image":{"url":"b"}}]}</script>`,
		`<rss><channel><title>a</title></channel></rss>`,
	} {
		for _, contentType := range []string{"text/html", "text/html; charset=shift_jis", "text/xml", "application/pdf", ""} {
			f.Add([]byte(seed), contentType)
		}
	}
	base, err := url.Parse(pageURL)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte, contentType string) {
		found, err := page.Read(bytes.NewReader(content), contentType, base)
		if err != nil {
			t.Errorf("got error %v of a reader without errors", err)
		}
		for name, text := range map[string]string{"title": found.Title, "description": found.Description} {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) || text != strings.TrimSpace(text) {
				t.Errorf("got %s %q, want one line of UTF-8", name, text)
			}
		}
		if u, err := url.Parse(found.Image); err != nil || found.Image != "" && u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("got image %q, want an http URL", found.Image)
		}
	})
}

// TestCharacterSetAgainstTheHeader tests pages whose header names another character set than their own,
// or whose <meta> element is far from the beginning.
func TestCharacterSetAgainstTheHeader(t *testing.T) {
	far := "<head><script>" + strings.Repeat("x", 5000) + "</script>"
	encoded := func(e encoding.Encoding, s string) string { return encode(t, e, s) }
	for _, test := range []struct{ content, contentType, want string }{
		{far + `<meta http-equiv="Content-Type" content="text/html; charset=euc-kr"><title>` + encoded(korean.EUCKR, "한글") + "</title>", "text/html", "한글"},
		{far + `<meta charset=windows-1250><title>` + encoded(charmap.Windows1250, "Žluťoučký") + "</title>", "text/html", "Žluťoučký"},
		{"<title>Crème brûlée</title>", "text/html; charset=windows-1252", "Crème brûlée"},
		{"<title>Ελληνικά</title>", "text/html; charset=iso-8859-15", "Ελληνικά"},
		{"<!doctype html><title>Ελληνικά</title>", "html", "Ελληνικά"},
		{"<!doctype html><title>Ελληνικά</title>", "*/*", "Ελληνικά"},
		{"<!doctype html><title>Ελληνικά</title>", "unknown/unknown", "Ελληνικά"},
		{"<title>" + encoded(charmap.Windows1252, "Crème brûlée") + "</title>", "text/html; charset=iso-8859-1", "Crème brûlée"},
		{"<title>" + encoded(charmap.Windows1251, "Привет") + "</title>", "text/html; charset=windows-1251", "Привет"},
	} {
		if got := read(t, test.content, test.contentType).Title; got != test.want {
			t.Errorf("%s: got %q, want %q", test.contentType, got, test.want)
		}
	}
}

func TestBestTitle(t *testing.T) {
	for content, want := range map[string]string{
		"<head></head><body><p>x</p><svg><title>Icon</title></svg><title>Late</title>":                                                    "Late",
		"<template><title>No</title></template><noscript><title>No</title></noscript><title>Yes</title>":                                  "Yes",
		"<title>Acme</title><meta property=og:site_name content=ACME><meta property=og:title content='A report'>":                         "A report",
		"<title>Redirecting…</title><meta name=twitter:title content='A report'>":                                                         "A report",
		"<title>&nbsp;\u3164</title><meta property=og:title content=''><meta property=og:title content=Second>":                           "Second",
		"<title>-</title><meta name=title content='Named'>":                                                                               "Named",
		"<title></title><body><h2>Menu</h2><h1>The <em>first</em> one</h1><h1>The second</h1>":                                            "The first one",
		"<title>Site</title><meta property=og:site_name content=Site>":                                                                    "Site",
		"<title>Site</title><meta property=og:site_name content=Site><body><h1>Site</h1><h2>News</h2>":                                    "Site",
		"<title>Site</title><meta property=og:site_name content=Site><body><h1>A report</h1>":                                             "A report",
		"<title>Acme</title><meta property=og:site_name content=Acme><h1><svg><title>Star</title></svg>A <script>x()</script>report</h1>": "A report",
		"<title>site.example</title><meta property=og:title content='A report'>":                                                          "A report",
		"<title>" + pageURL + "</title><meta property=og:title content='A report'>":                                                       "A report",
		"<title><![CDATA[Bits & pieces]]></title>":                                                                                        "Bits & pieces",
		"<title>undefined</title><meta name=twitter:title content='A report'>":                                                            "A report",
		"<title>- YouTube</title><meta property=og:title content='A film'>":                                                               "A film",
		"<title>X</title><meta property=og:title content='Ann on X: hello'>":                                                              "Ann on X: hello",
		"<title>Instagram</title><meta property=og:title content='Ann on Instagram: hello'>":                                              "Ann on Instagram: hello",
		"<title>Pages</title><meta property=og:title content='A report | Pages'>":                                                         "A report | Pages",
		"<title>Site - Make Your Day</title><meta property=og:title content='Ann bakes bread'>":                                           "Ann bakes bread",
		"<title>Site - A report on bread</title><meta property=og:title content='Report: bread'>":                                         "Site - A report on bread",
		"<title>Site | Bread</title><meta property=og:title content='The best loaf'>":                                                     "Site | Bread",
		"<title>Log in</title><meta property=og:title content='A report'>":                                                                "A report",
		"<title>Untitled</title><meta property='dc:title' content='In a library'>":                                                        "In a library",
		"<title>No title</title><meta name='DCTERMS.title' content='In a library'>":                                                       "In a library",
		"<title>React App</title><meta property=og:title content='A report'>":                                                             "A report",
		"<title>Nuxt App</title><meta property=og:title content='A report'>":                                                              "A report",
		"<title>JavaScript is not available.</title><meta property=og:title content='A report'>":                                          "A report",
		"<title>Home</title><body><h1>A report</h1>":                                                                                      "A report",
		"<title>{{ page.title }}</title><meta itemprop=headline content='A report'>":                                                      "A report",
		"<title>[object Object]</title><body><h1><a><img src=/logo.png></a></h1><h1>A report</h1>":                                        "A report",
		"<title> </title><title>Second</title>":                                                                                           "Second",
		"<title>Document</title>":                                                                                                         "Document",
		"<title>- YouTube</title>":                                                                                                        "- YouTube",
		"<meta name=DC.title content='In a library'>":                                                                                     "In a library",
		"<title>Bread</title><meta property=og:title content='Bread | Recipes'>":                                                          "Bread",
		"<title>Just a moment...</title>":                                                                                                 "",
		"<title>Loading bays in Rotterdam</title><meta property=og:title content=Other>":                                                  "Loading bays in Rotterdam",
	} {
		if got := read(t, content, "text/html").Title; got != want {
			t.Errorf("%s: got %q, want %q", content, got, want)
		}
	}
}

func TestRefresh(t *testing.T) {
	base := parse(t, pageURL)
	for value, want := range map[string]string{
		"0; url=/new":               "https://site.example/new",
		"3;URL='../other.html'":     "https://site.example/other.html",
		"0.5, https://b.example/x":  "https://b.example/x",
		"300; url=/news":            "",
		"0":                         "",
		"0; url=" + pageURL:         "",
		"0; url=javascript:alert()": "",
	} {
		if got := page.Refresh(base, value); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
