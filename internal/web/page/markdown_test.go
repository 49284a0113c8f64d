package page

import (
	"strings"
	"testing"
	"time"
)

func TestMarkdownIsRendered(t *testing.T) {
	for source, want := range map[string]string{
		"Read *this*\n\n- a\n- b":              "<p>Read <em>this</em></p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n",
		"one\ntwo":                             "<p>one<br>\ntwo</p>\n",
		"# One\n### Two":                       "<h3>One</h3>\n<h3>Two</h3>\n",
		"[a](https://example.org/?b&c \"d\")":  `<p><a href="https://example.org/?b&amp;c" title="d" rel="noreferrer nofollow">a</a></p>` + "\n",
		"https://example.org/a, <https://b.c>": `<p><a href="https://example.org/a" rel="noreferrer nofollow">https://example.org/a</a>, <a href="https://b.c" rel="noreferrer nofollow">https://b.c</a></p>` + "\n",
		"![a *b*](https://example.org/c.png)":  `<p><a href="https://example.org/c.png" rel="noreferrer nofollow">a <em>b</em></a></p>` + "\n",
	} {
		if got := string(Markdown(source, 3)); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", source, got, want)
		}
	}
}

func TestHostileMarkdownIsText(t *testing.T) {
	for source, want := range map[string]string{
		"<script>alert(1)</script>":           "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n",
		"<div onclick=\"a()\">\n\nb":          "<p>&lt;div onclick=&quot;a()&quot;&gt;</p>\n<p>b</p>\n",
		"<!-- a --> & &lt;b&gt;":              "<p>&lt;!-- a --&gt; &amp; &lt;b&gt;</p>\n",
		"[a *b*](javascript:alert(1)) c":      "<p>a <em>b</em> c</p>\n",
		"[a][b]\n\n[b]: data:text/html,c":     "<p>a</p>\n",
		"![a](data:image/png;base64,AAAA)":    "<p>a</p>\n",
		"<javascript:alert(1)>":               "<p>javascript:alert(1)</p>\n",
		"[a](/signout) [b](//example.org/)":   "<p>a b</p>\n",
		"[a](https://b.c \"\\\" onclick=d\")": `<p><a href="https://b.c" title="&quot; onclick=d" rel="noreferrer nofollow">a</a></p>` + "\n",
		"```\"><script>\na\n```":              `<pre><code class="language-&quot;&gt;&lt;script&gt;">a` + "\n</code></pre>\n",
	} {
		if got := string(Markdown(source, 2)); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", source, got, want)
		}
	}
}

func TestTextsThatWouldTakeLongAreShownAsTheyAre(t *testing.T) {
	start := time.Now()
	for _, unit := range []string{">", "- ", "1) ", "[", "![", "[a](", "[[]](", "[a](<b", "*a_ ", "a_", "~~a", "`", "`a``b```c", "<a", "&#1;", "www.a", "[a]: b\n\n", "> a\n>> b\n", "1. a\n   "} {
		for _, length := range []int{maxMarkdown, 500_000} {
			source := strings.Repeat(unit, length/len(unit))
			if got := string(Markdown(source, 2)); len(got) < length/4 || strings.Contains(got, "<script") {
				t.Errorf("%q: got %d bytes", unit, len(got))
			}
		}
	}
	// Without the limits one of the texts takes longer.
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

func TestMarkdownInRowsIsPlainText(t *testing.T) {
	for source, want := range map[string]string{
		"Read **this**, [a `list`](https://example.org) of *x*\n\n- a\n- [ ] b": "Read this, a list of x a ☐ b",
		"# One\nTwo <b>&amp; three</b>\\*":                                      "One Two <b>& three</b>*",
		"2024. A year":                                                          "2024. A year",
		"snake_case and 2 * 3 * 4 ~ <c>":                                        "snake_case and 2 * 3 * 4 ~ <c>",
		"```go\nx := 1\n```\n> quote":                                           "x := 1 quote",
		"![an image](https://a.b/c.png) https://a.b/_c_":                        "an image https://a.b/_c_",
		"": "",
	} {
		if got := PlainText(source); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
	if got := PlainText(strings.Repeat("ä*b* ", 1000)); len(got) < 500 || len(got) > maxPlainText {
		t.Errorf("of a long text: got %d bytes", len(got))
	}
}

func TestTablesAndTasksAreRenderedWithoutStylesAndFields(t *testing.T) {
	got := string(Markdown("|a|b|\n|:-:|--|\n|1|*2*|\n\n- [x] done\n- [ ] to do", 2))
	for _, want := range []string{"<td>1</td>\n<td><em>2</em></td>", "<li>☑ done</li>", "<li>☐ to do</li>"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
	if strings.Contains(got, "style=") || strings.Contains(got, "<input") {
		t.Errorf("got %s", got)
	}
}
