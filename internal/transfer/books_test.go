package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waymark/internal/fetch/article"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// addText adds a link with a text snapshot.
func (f *fixture) addText(t *testing.T, owner waymark.User, url string, a article.Article) waymark.Link {
	t.Helper()
	link, err := f.addLink(t.Context(), owner, waymark.LinkInput{URL: url, Title: &a.Title})
	check(t, err)
	f.setText(t, owner, link, a)
	return link
}

func (f *fixture) setText(t *testing.T, owner waymark.User, link waymark.Link, a article.Article) {
	t.Helper()
	_, err := f.s.Snapshots.AddText(t.Context(), owner.ID, link.ID, waymark.TextSnapshot{
		URL: link.URL, Title: a.Title, Byline: a.Byline, Language: a.Language, Direction: a.Direction, FetchedAt: 1_700_000_000_000_000 + waymark.Time(link.ID),
	}, a.HTML, waymark.ReadingPosition{}, 1<<30)
	check(t, err)
}

// hostileTexts are texts whose elements stand where they may not.
var hostileTexts = []string{
	`<span>a<p>b</p><div>c<table><tr><td>d</td></tr></table></div></span>`,
	`<ul>text<p>x</p><ul><li>y</li></ul><li>z</li></ul><ol></ol><ul> </ul>`,
	`<dl></dl><dl><dd>x</dd></dl><dl><dt>x</dt></dl><dl><p>a</p><dt>b<h2>c</h2></dt><div><dt>d</dt><dd>e</dd></div></dl>`,
	`<table></table><table><caption>a</caption><caption>b</caption><tfoot><tr><td>f</td></tr></tfoot><thead><tr><th>h<p>x</p></th></tr></thead><tr></tr></table>`,
	`<figure><p>a</p><figcaption>b</figcaption><p>c</p></figure><figure><figcaption>b</figcaption><figcaption>c</figcaption></figure>`,
	`<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby><ruby></ruby><ruby><rt>x</rt><rt>y</rt></ruby><ruby>x</ruby><rt>out</rt><rp>(</rp>`,
	`<a href="https://e.example/a b?x=[1]|{2}%zz&y=&amp;é#f r">x</a><a href="mailto:a b@c.example">m</a><a href="https://bücher.example/ü">ü</a>`,
	`<time>yesterday</time><bdo>x</bdo><bdo dir="rtl">x</bdo><abbr title="t">x</abbr><p lang="xx-toolongforatag">x</p><p dir="auto">x</p>`,
	`<q>x<blockquote>y</blockquote></q><pre>x<p>y</p></pre><h2>a<div>b</div></h2><small><hr></small><td>cell</td><li>item</li><caption>x</caption>`,
	`<a href="http://e.example"><p>x</p><table><tr><td><a href="http://f.example">y</a></td></tr></table></a><dfn>a<dfn>b</dfn></dfn>`,
	"x\x00\x01\ufffe\uffff <p>&#1; &#xfffe;</p> \xff",
}

// TestEpubcheckAcceptsTheBookOfAllTestPages writes a book with the texts of the pages on which the extraction of texts is tested,
// and of hostile ones.
func TestEpubcheckAcceptsTheBookOfAllTestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes ten seconds")
	}
	const checker = "/usr/share/java/epubcheck.jar" // of the package epubcheck of Debian
	if _, err := os.Stat(checker); err != nil {
		t.Skip("epubcheck is not installed")
	}
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "codeberg.org/readeck/go-readability/v2").Output()
	check(t, err)
	pages, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "test-pages", "*", "source.html"))
	check(t, err)
	if len(pages) < 100 {
		t.Fatalf("got %d pages in %s", len(pages), dir)
	}
	f := newFixture(storetest.Open(t))
	ann := storetest.User(t, f.s, "ann")
	var links []waymark.Link
	for i, name := range pages {
		page, err := os.Open(name)
		check(t, err)
		u := &url.URL{Scheme: "https", Host: "site.example", Path: fmt.Sprint("/", i)}
		a, err := article.Read(page, "text/html", u)
		page.Close()
		if errors.Is(err, article.ErrNoText) {
			continue
		}
		check(t, err)
		links = append(links, f.addText(t, ann, u.String(), a))
	}
	for i, text := range hostileTexts {
		cleaned, _ := article.Sanitize(text)
		links = append(links, f.addText(t, ann, fmt.Sprint("https://hostile.example/ü?[", i), article.Article{HTML: cleaned, Language: "x y"}))
	}
	for _, link := range links { // as much as a passage may have, across all kinds of elements
		_, html, err := f.s.Snapshots.TextHTML(t.Context(), ann.ID, link.ID)
		check(t, err)
		text := []rune(article.Text(html))
		exact := string(text[len(text)/4 : min(len(text), len(text)/4+waymark.MaxPassage)])
		_, err = f.s.CreatePassage(t.Context(), waymark.Passage{Owner: ann.ID, Link: link.ID, Quote: waymark.Quote{Exact: exact}})
		check(t, err)
	}
	untitled, err := f.addLink(t.Context(), ann, waymark.LinkInput{URL: "https://no-text.example/?<&"})
	check(t, err)
	links = append(links, f.addPictured(t, ann))
	for name, b := range map[string]transfer.Book{
		"pictures.epub": transfer.LinkBook(links[len(links)-1], "https://links.example"),
		"all.epub":      {Title: "All <pages> & more", URL: "https://links.example/links", Links: append(links, untitled), Contents: "Contents", Others: "Others"},
		"one.epub":      transfer.LinkBook(links[0], "https://links.example"),
	} {
		path := filepath.Join(t.TempDir(), name)
		var file bytes.Buffer
		check(t, f.WriteBook(t.Context(), ann.ID, b, &file))
		check(t, os.WriteFile(path, file.Bytes(), 0o600))
		// To optimize its code would take longer than the check.
		if out, err := exec.CommandContext(t.Context(), "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", checker, "--quiet", path).CombinedOutput(); err != nil || bytes.Contains(out, []byte("WARNING(")) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestABookHasChaptersAndThenTheOtherLinks(t *testing.T) {
	var books [][]byte
	eachDatabase(t, func(t *testing.T, f *fixture, s *store.Store) {
		ann, ben := storetest.User(t, s, "ann"), storetest.User(t, s, "ben")
		first := f.addText(t, ann, "https://a.example/", article.Article{Title: "First", Byline: "Ada", HTML: "<p>one</p>"})
		second, err := f.addLink(t.Context(), ann, waymark.LinkInput{URL: "https://b.example/"})
		check(t, err)
		b := transfer.Book{Title: "Both: a/b", URL: "https://links.example/lists/1", Links: []waymark.Link{first, second}, Contents: "Contents", Others: "Others"}
		var file bytes.Buffer
		check(t, f.WriteBook(t.Context(), ann.ID, b, &file))
		books = append(books, file.Bytes())
		z, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		check(t, err)
		var names []string
		for _, part := range z.File {
			names = append(names, part.Name)
		}
		if want := []string{"mimetype", "META-INF/container.xml", "chapter-1.xhtml", "chapter-2.xhtml", "contents.xhtml", "book.opf"}; !slices.Equal(names, want) {
			t.Errorf("got %q, want %q", names, want)
		}
		if got := b.FileName(); got != "Both a b.epub" {
			t.Errorf("got name %q", got)
		}
		for viewer, link := range map[waymark.UserID]waymark.Link{ben.ID: first, waymark.Guest: first, ann.ID: second} {
			file.Reset()
			if err := f.WriteBook(t.Context(), viewer, transfer.LinkBook(link, ""), &file); !errors.Is(err, waymark.ErrNotFound) || file.Len() > 0 {
				t.Errorf("user %d: got %v and %d bytes, want none", viewer, err, file.Len())
			}
		}
	})
	for _, book := range books[1:] {
		if !bytes.Equal(book, books[0]) {
			t.Error("the databases have different books")
		}
	}
}

// addPictured adds a link with a text and a full snapshot, which have three pictures. One of them is no image.
func (f *fixture) addPictured(t *testing.T, owner waymark.User) waymark.Link {
	t.Helper()
	var loaf bytes.Buffer
	check(t, png.Encode(&loaf, image.NewRGBA(image.Rect(0, 0, 2000, 100))))
	const page = `<p>before<img alt="A  loaf &amp; more" src="%s"><img alt=broken src="data:image/png;base64,AAAA"><img alt=missing>`
	cleaned, _ := article.Sanitize(fmt.Sprintf(page, "x.png"))
	link := f.addText(t, owner, "https://pictures.example/", article.Article{HTML: cleaned})
	file := fmt.Sprintf(page, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(loaf.Bytes()))
	_, err := f.s.Snapshots.AddFull(t.Context(), owner.ID, link.ID, waymark.FullSnapshot{URL: link.URL, FetchedAt: 1}, file, 1<<30)
	check(t, err)
	return link
}

func TestABookHasThePicturesOfTheFullSnapshot(t *testing.T) {
	f := newFixture(storetest.Open(t))
	ann := storetest.User(t, f.s, "ann")
	var file bytes.Buffer
	link := f.addPictured(t, ann)
	_, err := f.s.CreatePassage(t.Context(), waymark.Passage{Owner: ann.ID, Link: link.ID, Quote: waymark.Quote{Exact: "before A loaf & mo"}})
	check(t, err)
	check(t, f.WriteBook(t.Context(), ann.ID, transfer.LinkBook(link, "u"), &file))
	z, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	check(t, err)
	chapter, err := fs.ReadFile(z, "chapter-1.xhtml")
	check(t, err)
	const want = `<p><mark>before</mark><img src="picture-1.jpg" alt="A loaf &amp; more"/><span>broken</span><span>missing</span></p>`
	if !bytes.Contains(chapter, []byte(want)) {
		t.Errorf("got %s, want %s", chapter, want)
	}
	picture, err := z.Open("picture-1.jpg")
	check(t, err)
	if size, err := jpeg.DecodeConfig(picture); err != nil || size.Width != 1600 || size.Height != 80 {
		t.Errorf("got %d x %d, %v, want 1600 x 80", size.Width, size.Height, err)
	}
}

func TestABookHasAtMostMaxChapters(t *testing.T) {
	f := newFixture(storetest.Open(t))
	ann := storetest.User(t, f.s, "ann")
	var links []waymark.Link
	for i := range transfer.MaxChapters + 2 {
		links = append(links, f.addText(t, ann, fmt.Sprint("https://a.example/", i), article.Article{HTML: "<p>x</p>"}))
	}
	var file bytes.Buffer
	check(t, f.WriteBook(context.WithoutCancel(t.Context()), ann.ID, transfer.Book{Title: "T", URL: "u", Links: links, Others: "O"}, &file))
	z, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	check(t, err)
	if got := len(z.File) - 4; got != transfer.MaxChapters+1 {
		t.Errorf("got %d chapters, want %d and one with the other links", got, transfer.MaxChapters)
	}
}
