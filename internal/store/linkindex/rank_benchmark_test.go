package linkindex

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// BenchmarkBestMatch compares the order by relevance with the newest first: pages of 50 links that
// have a word which so many of all links have in a text.
func BenchmarkBestMatch(b *testing.B) {
	for _, n := range []int{18_070, 1_000_000} {
		b.Run(fmt.Sprintf("links=%d", n), func(b *testing.B) {
			x := benchmarkIndex(n)
			for _, text := range []string{"w1", "w10", "w100", "w1000", "w10 w20", "w"} {
				for _, order := range []waymark.Order{newestFirst, waymark.BestMatch} {
					q := bestMatchQuery(text, nil)
					q.Order, q.Pagination = order, waymark.Pagination{Limit: 50}
					b.Run(fmt.Sprintf("text=%s/found=%d/order=%v", strings.ReplaceAll(text, " ", "+"), x.Find(q).Total, order.By), func(b *testing.B) {
						for b.Loop() {
							x.Find(q)
						}
					})
				}
			}
		})
	}
}

// benchmarkIndex returns an index of links whose texts consist of words w0, w1 and so on. Word n is n times
// as rare as w1, as words of languages are.
func benchmarkIndex(n int) *Index {
	r := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(r, 1.1, 2, 20_000)
	text := func(least, most int) string {
		var b strings.Builder
		for range least + r.IntN(most-least+1) {
			fmt.Fprintf(&b, "w%d ", words.Uint64())
		}
		return b.String()
	}
	x := New()
	var batch []Link
	for id := range n {
		batch = append(batch, Link{
			ID: int64(id), Owner: 1, Scope: 1, CreatedAt: waymark.Time(id) * 1e6,
			URL: fmt.Sprintf("https://host%d.example/%d/%s", words.Uint64(), id, strings.TrimSpace(text(1, 1))), Title: text(1, 8), Description: text(0, 16),
		})
		if len(batch) == 1000 || id == n-1 {
			x.Update(nil, batch)
			batch = batch[:0]
		}
	}
	x.Clip()
	return x
}
