package article_test

import (
	"testing"

	"waymark/internal/fetch/article"
)

func TestBlocksAreNumberedInOrder(t *testing.T) {
	cleaned, text := article.Sanitize(`<h2>A</h2><div lang=de><p>b <b>c</b><br>d</p></div><ul><li>e &lt;p></ul><pre>
<span class=picture>f</span></pre>`)
	want := `<h2 id="p-1">A</h2><div lang="de" id="p-2"><p id="p-3">b <b>c</b><br/>d</p></div><ul id="p-4"><li id="p-5">e &lt;p&gt;</li></ul><pre id="p-6">` +
		`<span class="picture">f</span></pre>`
	if got := article.Number(cleaned); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if again, got := article.Sanitize(article.Number(cleaned)); again != cleaned || got != text {
		t.Errorf("sanitized again: got %s, want %s", again, cleaned)
	}
}
