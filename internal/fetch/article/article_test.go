package article_test

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"waymark/internal/fetch/article"
	pages "waymark/internal/fetch/page"
)

const pageURL = "https://site.example/blog/post.html?id=1"

// sentence is a text of a paragraph that is long enough to be found.
const sentence = "A loaf needs flour, water, salt and time, and most of all it needs the time that a cold kitchen takes from it, in the night before it is baked. "

func read(t testing.TB, content, contentType string) (article.Article, error) {
	t.Helper()
	u, err := url.Parse(pageURL)
	if err != nil {
		t.Fatal(err)
	}
	return article.Read(strings.NewReader(content), contentType, u)
}

// page returns a page around the HTML of an article.
func page(content string) string {
	return `<!doctype html><html lang="en-GB"><head><title>Bread | Kitchen</title><meta name="author" content="Ada Baker">
<base href="/recipes/"><style>p{color:red}</style><script>track()</script></head><body>
<nav><ul><li><a href="/">Home</a><li><a href="/about">About</a></ul></nav>
<article><h1>Bread</h1><p>` + strings.Repeat(sentence, 3) + `</p>` + content + `<p>` + strings.Repeat(sentence, 4) + `</p></article>
<aside class="sidebar"><h3>Related</h3><a href="/cake">Cake</a></aside><footer class="footer">Imprint</footer></body></html>`
}

func TestArticleOfAPage(t *testing.T) {
	got, err := read(t, page(`<p>See <a href="rye.html" onclick="steal()" style="color:red">rye <b>bread</b></a>.</p>
<figure><img src="https://tracker.example/x.gif" alt="A loaf on a board"><figcaption>Day two</figcaption></figure>
<pre>flour  500 g
water  350 g</pre><iframe src="https://ads.example/"></iframe><form action="/buy"><input name=q><button>Buy</button></form>`), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	if got.Byline != "Ada Baker" || got.Language != "en-GB" || !strings.HasPrefix(got.Title, "Bread") {
		t.Errorf("got the title %q, the byline %q, the language %q", got.Title, got.Byline, got.Language)
	}
	for _, want := range []string{
		`<a href="https://site.example/recipes/rye.html" rel="nofollow noreferrer">rye <b>bread</b></a>`,
		`<span class="picture">A loaf on a board</span>`, `<figcaption>Day two</figcaption>`, "<pre>flour  500 g\nwater  350 g</pre>",
	} {
		if !strings.Contains(got.HTML, want) {
			t.Errorf("%s is missing in %s", want, got.HTML)
		}
	}
	for _, unwanted := range []string{"tracker", "steal", "style", "ads.example", "Buy", "<form", "<input", "<img", "Imprint", "Home", "track()"} {
		if strings.Contains(got.HTML, unwanted) || strings.Contains(got.Text, unwanted) {
			t.Errorf("%s is in %s", unwanted, got.HTML)
		}
	}
	if !strings.Contains(got.Text, "See rye bread.\n\nA loaf on a board") || strings.Contains(got.Text, "<") {
		t.Errorf("got the text %q", got.Text)
	}
}

func TestTitleOfAPageKeepsItsWords(t *testing.T) {
	for title, want := range map[string]string{
		"Self-hosting – what I learned in five years": "Self-hosting – what I learned in five years",
		"Kitchen – how to bake bread at home":         "how to bake bread at home",
		"How to bake bread at home | Kitchen":         "How to bake bread at home",
	} {
		got, err := read(t, strings.Replace(page(""), "Bread | Kitchen", title, 1), "text/html")
		if err != nil || got.Title != want {
			t.Errorf("%q: got %q, %v, want %q", title, got.Title, err, want)
		}
	}
}

func TestPageInItsOwnCharacterSetAndDirection(t *testing.T) {
	text := strings.Repeat("\xd5\xeb\xe5\xe1 \xef\xe5\xea\xf3\xf2 \xe8\xe7 \xec\xf3\xea\xe8, \xe2\xee\xe4\xfb \xe8 \xf1\xee\xeb\xe8, \xe8 \xee\xed \xef\xee\xe4\xed\xe8\xec\xe0\xe5\xf2\xf1\xff \xed\xee\xf7\xfc\xfe. ", 20)
	got, err := read(t, `<html dir="RTL"><meta charset="windows-1251"><title>x</title><article><p>`+text+`</p></article>`, "text/html")
	if err != nil || !strings.Contains(got.Text, "Хлеб пекут из муки") || got.Direction != "rtl" {
		t.Errorf("got %.100q, direction %q, %v", got.Text, got.Direction, err)
	}
}

func TestPlainTextIsKeptAsItIs(t *testing.T) {
	got, err := read(t, "\nRFC 1\r\n\r\n  <HOST>   software & more\n", "text/plain; charset=utf-8")
	want := article.Article{HTML: "<pre>\n\nRFC 1\n\n  &lt;HOST&gt;   software &amp; more\n</pre>", Text: "RFC 1\n\n  <HOST>   software & more"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, want (-), got (+):\n%s", err, diff)
	}
}

func TestPagesWithoutText(t *testing.T) {
	for name, test := range map[string]struct {
		content, contentType string
		want                 error
	}{
		"nothing":           {"", "text/html", article.ErrNoText},
		"a picture":         {"\x89PNG\r\n\x1a\n0000", "image/png", article.ErrNoText},
		"a PDF":             {"%PDF-1.4", "application/pdf", article.ErrNoText},
		"only a script":     {"<html><body><div id=app></div><noscript>Please enable JavaScript</noscript><script src=a.js></script>", "text/html", article.ErrNoText},
		"too many elements": {strings.Repeat("<p>a", 100_000), "text/html", pages.ErrTooLarge},
		"too deep":          {strings.Repeat("<div>", 5000) + sentence, "text/html", pages.ErrTooLarge},
	} {
		if got, err := read(t, test.content, test.contentType); !errors.Is(err, test.want) {
			t.Errorf("%s: got %+v, error %v, want %v", name, got, err, test.want)
		}
	}
	broken := errors.New("reset")
	u, _ := url.Parse(pageURL)
	if _, err := article.Read(io.MultiReader(strings.NewReader(page("")), iotest.ErrReader(broken)), "text/html", u); !errors.Is(err, broken) {
		t.Errorf("a body that breaks off: got %v", err)
	}
}

func TestSanitizedHTML(t *testing.T) {
	for _, test := range []struct{ name, html, want, text string }{
		{"text", "a  b\n c", "a b c", "a b c"},
		{"scripts", `<p onmouseover=x>a<script>b</script><style>c</style></p>`, "<p>a</p>", "a"},
		{"URLs", `<a href="javascript:x">a</a><a href="/b">b</a><a href=" HTTP://c.example/ ">c</a><a href="data:text/html,x">d</a><a href="https://u:p@e.example/">e</a><a href="mailto:f@g.example">f</a>`,
			`ab<a href="http://c.example/" rel="nofollow noreferrer">c</a>de<a href="mailto:f@g.example" rel="nofollow noreferrer">f</a>`, "abcdef"},
		{"other elements", `<marquee>a <blink>b</blink></marquee><font face=x>c</font>`, "a bc", "a bc"},
		{"headings and parts", `<section><h1 id=x class=y>a</h1><p>b</p></section>`, "<div><h2>a</h2><p>b</p></div>", "a\n\nb"},
		{"pictures", `<p><img src=x alt=" a  b " onerror=y><img src=z></p><svg><text>c</text></svg>`, `<p><span class="picture">a b</span></p>`, "a b"},
		{"formulas", `<p><math alttext="x^2"><mi>x</mi></math></p>`, `<p><code>x^2</code></p>`, "x^2"},
		{"tables", `<table><tr><th colspan=2 onclick=x>a<td rowspan=1e9>b</table>`, `<table><tbody><tr><th colspan="2">a</th><td>b</td></tr></tbody></table>`, "a b"},
		{"lists", `<ol start=3><li>a<li>b</ol>`, `<ol start="3"><li>a</li><li>b</li></ol>`, "a\nb"},
		{"language and direction", `<p lang=he dir=RTL>א</p><p lang='"x' dir=up>b</p>`, `<p lang="he" dir="RTL">א</p><p>b</p>`, "א\n\nb"},
		{"comments and foreign elements", `<!--a--><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`, "", ""},
		{"classes", `<span class=picture>a</span><span class="b">c</span>`, `<span class="picture">a</span><span>c</span>`, "ac"},
		{"marks of direction", "a\u202eb\u200fc", "ab\u200fc", "ab\u200fc"},
	} {
		got, text := article.Sanitize(test.html)
		if got != test.want || text != test.text {
			t.Errorf("%s: got %q, text %q, want %q, text %q", test.name, got, text, test.want, test.text)
		}
	}
}

// hostile are pages that took other programs long, or that they let through.
func hostile() map[string]string {
	nested := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	return map[string]string{
		"divs":           nested("<div>", sentence, "</div>", 400),
		"links in links": nested("<a href=//a.example/>", sentence, "", 200),
		"formatting":     strings.Repeat("<b><i><u><p>", 300) + sentence,
		"attributes":     "<p " + strings.Repeat("a=b ", 100_000) + ">" + sentence,
		"wide table":     "<table><tr>" + strings.Repeat("<td>a", 20_000),
		"linked data":    `<script type="application/ld+json">` + nested("[", "", "]", 50_000) + "</script><p>" + sentence,
		"siblings":       "<div>" + strings.Repeat("<div>"+sentence+"</div>", 14_000) + "</div>",
	}
}

func TestHostilePagesAreReadInBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("some take a second")
	}
	for name, content := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := read(t, content, "text/html; charset=utf-8")
			if err != nil && !errors.Is(err, article.ErrNoText) && !errors.Is(err, pages.ErrTooLarge) {
				t.Fatal(err)
			}
			checkSafe(t, got.HTML)
		})
	}
}

// Requests for copies as plain text call Text.
func TestTextNeedsLittleMemory(t *testing.T) {
	const paragraph = "<p>a</p>"
	content := strings.Repeat(paragraph, article.MaxHTML/len(paragraph))
	if cleaned, _ := article.Sanitize(strings.Repeat("abcdef<svg></svg>", 20_000)); cleaned != strings.Repeat("abcdef", 20_000) {
		t.Errorf("got %d bytes of many parts", len(cleaned))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text := article.Text(content)
	runtime.ReadMemStats(&after)
	if want := strings.Repeat("a\n\n", article.MaxHTML/len(paragraph)); text+"\n\n" != want {
		t.Errorf("got %d bytes, want %d", len(text), len(want)-2)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 10*article.MaxHTML {
		t.Errorf("allocated %d bytes for %d", got, len(content))
	}
}

// checkSafe fails unless HTML has only elements and attributes that cannot run or request anything.
func checkSafe(t *testing.T, content string) {
	t.Helper()
	if len(content) > article.MaxHTML {
		t.Errorf("got %d bytes", len(content))
	}
	harmless := map[string]string{"lang": "", "dir": "", "rel": "a", "href": "a", "class": "span", "title": "abbr", "datetime": "time", "start": "ol", "colspan": "td th", "rowspan": "td th"}
	z := html.NewTokenizer(strings.NewReader(content))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		if strings.Contains(" script style iframe frame object embed form input button select textarea img picture video audio source link meta base svg math template noscript title html head body ", " "+token.Data+" ") {
			t.Errorf("got the element %s", token)
		}
		for _, a := range token.Attr {
			if of, ok := harmless[a.Key]; !ok || of != "" && !strings.Contains(of, token.Data) {
				t.Errorf("got the attribute %s of %s", a.Key, token)
			}
			if a.Key == "href" && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "mailto:") {
				t.Errorf("got a link to %q", a.Val)
			}
		}
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add(`<p>a<b>b<p>c<table>d<a href=x>e<a href=//f.example/>g`)
	f.Add("<pre>\n\n a</pre><math><mtext><style><!--</style><img src=x onerror=y>")
	f.Add("<&#7;\xb4\x1a+0&#")
	f.Add(`<svg><foreignObject><p>a</svg><template><p>b</template><plaintext>c`)
	f.Add(`<h1><h2><li><dd><button><a href="http://a/"><div><a href="http://b/">x</a></div></a>`)
	f.Fuzz(func(t *testing.T, content string) {
		cleaned, _ := article.Sanitize(content)
		checkSafe(t, cleaned)
		again, _ := article.Sanitize(cleaned) // a parser moves some elements each time
		checkSafe(t, again)
	})
}

func FuzzRead(f *testing.F) {
	f.Add(page("<p>a"))
	f.Add(`<html dir=rtl lang=x><base href="//["><title>a` + fmt.Sprint(strings.Repeat("<p>"+sentence, 3)))
	f.Fuzz(func(t *testing.T, content string) {
		got, err := read(t, content, "text/html")
		if (err == nil) != (got.Text != "") {
			t.Errorf("got the text %q and the error %v", got.Text, err)
		}
		checkSafe(t, got.HTML)
	})
}

// TestNestedDeeply tests that a page whose extraction would take many seconds is given up, and that a
// long page is not.
func TestNestedDeeply(t *testing.T) {
	const depth = 480
	paragraphs := strings.Repeat("<p>Some words, for a paragraph", 25_000)
	for name, content := range map[string]string{
		"texts":    strings.Repeat("<div>", depth) + paragraphs,
		"elements": strings.Repeat("<section>", depth) + strings.Repeat("<i>x</i>", 14_000),
	} {
		_, err := article.Read(strings.NewReader(content), "text/html", &url.URL{Scheme: "https", Host: "site.example"})
		if !errors.Is(err, pages.ErrTooLarge) {
			t.Errorf("%s: got %v; want ErrTooLarge", name, err)
		}
	}
	long := "<main><article>" + strings.Repeat("<div><p>Some words, with a comma, for a paragraph of a long page that people read.</p></div>", 5_000) + "</article></main>"
	if _, err := article.Read(strings.NewReader(long), "text/html", &url.URL{Scheme: "https", Host: "site.example"}); err != nil {
		t.Errorf("a long page: %v", err)
	}
}
