package article_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"waymark/internal/fetch/article"
	"waymark/internal/waymark"
)

// markedPages are texts of pages in which passages are marked.
var markedPages = map[string]string{
	"English": `<h1>The loaf</h1><p>A <b>loaf <i>needs</i></b> flour &amp; water, and “time”.</p><p>A loaf needs <a href="https://a.example/">a cold
kitchen</a>.<br>And a loaf &lt;script&gt;alert(1)&lt;/script&gt; needs time.</p><ul><li>one<li>two <code>if a &lt; b</code></ul><table><tr><th>g<td>500<td>g</table><pre>
flour  500 g
water  350 g</pre>`,
	"Hebrew":   `<div dir=rtl lang=he><h2>לחם</h2><p>הלחם צריך <em>קמח, מים ומלח</em> וזמן. הלחם צריך זמן.</p><p>ABC ועוד 12 שעות</p></div>`,
	"Japanese": `<p>パンには<ruby>小麦粉<rp>(</rp><rt>こむぎこ</rt><rp>)</rp></ruby>と水と塩、そして時間が必要です。パンには時間が必要です。</p><p>𠮷野家 🍞👩‍🍳 寒い台所</p>`,
	"nested":   strings.Repeat("<blockquote><div><p>a <b>b <i>a <u>b</u> a</i> b</b> a", 6),
}

var markTag = regexp.MustCompile(`</?mark[^>]*>`)

func withoutSpace(s string) string {
	return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), "")
}

// markedTexts returns what <mark> elements contain, without white space, by the passage whose id they have, and fails
// unless marks nest properly with the other elements.
func markedTexts(t *testing.T, marked string) string {
	t.Helper()
	var text strings.Builder
	open, inMark := 0, 0
	z := html.NewTokenizer(strings.NewReader(marked))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		switch {
		case token.Data == "mark" && kind == html.StartTagToken:
			open++
			inMark = open
		case token.Data == "mark" && kind == html.EndTagToken:
			open--
			inMark = open
		case kind == html.TextToken && inMark > 0:
			text.WriteString(token.Data)
		case kind != html.TextToken && open > 0:
			t.Fatalf("the tag %s is inside a mark in %s", token, marked)
		}
	}
	return withoutSpace(text.String())
}

// Random passages of all pages are found again, and after the text was changed they are found or said to be gone.
func TestPassagesAreFoundAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, page := range markedPages {
		cleaned, text := article.Sanitize(page)
		letters := []rune(text)
		for range 300 {
			begin := random.IntN(len(letters))
			end := begin + 1 + random.IntN(min(60, len(letters)-begin))
			exact := string(letters[begin:end])
			if withoutSpace(exact) == "" {
				continue
			}
			q := waymark.Quote{Exact: exact, Prefix: string(letters[max(0, begin-32):begin]), Suffix: string(letters[end:min(len(letters), end+32)])}
			q.Position = len(withoutSpace(string(letters[:begin])))
			p := waymark.Passage{ID: 7, Quote: q}
			placed := article.Place(cleaned, []waymark.Passage{p})
			if !placed[0].Found || placed[0].Begin != q.Position {
				t.Fatalf("%s: %q: got %+v, want it at %d", name, exact, placed[0], q.Position)
			}
			marked := article.Mark(article.Number(cleaned), placed, nil)
			if got := markedTexts(t, marked); got != withoutSpace(exact) || strings.Count(marked, `id="passage-7"`) != 1 {
				t.Fatalf("%s: %q: got %q in %s", name, exact, got, marked)
			}
			if got := markTag.ReplaceAllString(marked, ""); got != article.Number(cleaned) {
				t.Fatalf("%s: without marks: got %s", name, got)
			}
			if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(exact), " ")) {
				t.Fatal("the test is wrong")
			}

			// The page is changed: a part is deleted, and a text is inserted.
			cut := random.IntN(len(letters))
			changed := string(letters[:cut]) + " new text " + string(letters[min(len(letters), cut+random.IntN(20)):])
			again, changedText := article.Sanitize("<p>" + html.EscapeString(changed) + "</p>")
			placed = article.Place(again, []waymark.Passage{p})
			marked = article.Mark(again, placed, nil)
			has := strings.Contains(withoutSpace(changedText), withoutSpace(exact))
			switch got := markedTexts(t, marked); {
			case placed[0].Found && got != withoutSpace(exact):
				t.Fatalf("%s: %q after a change: got %q", name, exact, got)
			case !placed[0].Found && (got != "" || has && strings.Count(withoutSpace(changedText), withoutSpace(exact)) == 1):
				t.Fatalf("%s: %q was not found in %s", name, exact, again)
			case placed[0].Found && !has:
				t.Fatalf("%s: %q was found in %s", name, exact, again)
			}
		}
	}
}

func TestMarksOfSeveralPassages(t *testing.T) {
	cleaned, _ := article.Sanitize("<p>one two <b>three</b> four</p><p>five two</p>")
	passage := func(id waymark.PassageID, exact, note string, q waymark.Quote) waymark.Passage {
		q.Exact = exact
		return waymark.Passage{ID: id, Note: note, Quote: q}
	}
	placed := article.Place(cleaned, []waymark.Passage{
		passage(1, "six", "", waymark.Quote{}),
		passage(2, "two", "", waymark.Quote{Prefix: "five"}),
		passage(3, "two\nthree", "x", waymark.Quote{}),
		passage(4, "three four", "", waymark.Quote{}),
		passage(5, "two", "", waymark.Quote{Prefix: "a text that is gone", Suffix: "and much more of it"}),
	})
	aside := func(p waymark.Passage) string { return "<aside>" + p.Note + "</aside>" }
	want := `<p>one <mark id="passage-3" class="noted">two</mark> <b><mark id="passage-4">three</mark></b> <mark>four</mark></p><aside>x</aside><p>five <mark id="passage-2">two</mark></p>`
	if got := article.Mark(cleaned, placed, aside); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if placed[3].Found || placed[3].ID != 1 || placed[4].Found || placed[4].ID != 5 {
		t.Errorf("got %+v, want 1 and 5 to be gone", placed[3:])
	}
}

func TestQuotesAreCompleted(t *testing.T) {
	cleaned, _ := article.Sanitize("<p>A loaf needs a cold kitchen and time.</p><p>Salt, too.</p>")
	got, found := article.Complete(cleaned, waymark.Quote{Exact: "time. Salt"})
	want := waymark.Quote{Exact: "time. Salt", Prefix: "A loaf needs a cold kitchen and ", Suffix: ", too.", Position: 25}
	if !found || got != want {
		t.Errorf("got %+v, %t, want %+v", got, found, want)
	}
}
