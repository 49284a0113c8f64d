package linkindex

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"waymark/internal/waymark"
)

// BenchmarkFind measures pages of 50 links of one user, in memory only.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{18_070, 100_000, 1_000_000} {
		x := benchmarkLinks(n)
		b.Run(fmt.Sprintf("links=%d/bytes", n), func(b *testing.B) {
			for b.Loop() {
				_ = x.Bytes()
			}
			b.ReportMetric(float64(x.Bytes())/float64(n), "B/link")
		})
		word := func(n uint64) waymark.Condition {
			return waymark.Contains{Text: benchmarkWord(n), In: waymark.InTexts | waymark.InNames}
		}
		for _, where := range []struct {
			name string
			waymark.Condition
		}{
			{"all", nil},
			{"frequent", word(1)},
			{"rare", word(1000)},
			{"two", waymark.And{word(10), word(20)}},
			{"either", waymark.Or{word(10), word(20)}},
			{"site", waymark.OnSite(benchmarkWord(10) + ".example")},
			{"tag", waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{ID: 3}}}},
		} {
			for _, by := range []waymark.SortField{waymark.SortByRelevance, waymark.SortByCreatedAt, waymark.SortByTitle, waymark.SortByURL} {
				q := Query{Viewer: 1, As: 1, Now: now, Where: where.Condition, Order: waymark.Order{By: by, Desc: true}, Pagination: waymark.Pagination{Limit: 50}}
				for _, text := range waymark.Wanted(where.Condition) {
					q.Words = append(q.Words, Word{Text: text.Text, Folded: text.Text})
				}
				b.Run(fmt.Sprintf("links=%d/%s/found=%d/%s", n, where.name, x.Find(q).Total, strings.ReplaceAll(by.String(), " ", "")), func(b *testing.B) {
					measure(b, func() { x.Find(q) })
				})
			}
		}
		b.Run(fmt.Sprintf("links=%d/facets", n), func(b *testing.B) {
			q := FacetQuery{Query: Query{Viewer: 1, As: 1, Now: now, Where: word(1)}, Limit: 6, Saved: make([]waymark.Time, 12)}
			measure(b, func() { x.Facets(q) })
		})
		b.Run(fmt.Sprintf("links=%d/middle", n), func(b *testing.B) {
			q := Query{Viewer: 1, As: 1, Order: waymark.Order{By: waymark.SortByTitle}, Pagination: waymark.Pagination{Offset: n / 2, Limit: 50}}
			measure(b, func() { x.Find(q) })
		})
		b.Run(fmt.Sprintf("links=%d/middleAfterChange", n), func(b *testing.B) {
			q := Query{Viewer: 1, As: 1, Order: waymark.Order{By: waymark.SortByURL}, Pagination: waymark.Pagination{Offset: n / 2, Limit: 50}}
			measure(b, func() {
				clear(x.orders)
				x.Find(q)
			})
		})
	}
}

// benchmarkWord returns the word with a number: its letters look like those of any text.
func benchmarkWord(n uint64) string { return strconv.FormatUint(n*7919+20_000, 36) }

// benchmarkLinks returns links whose texts consist of words. Word n is n times as rare as the first one, as words of
// languages are.
func benchmarkLinks(n int) *Links {
	r := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(r, 1.1, 2, 20_000)
	text := func(least, most int) string {
		var b strings.Builder
		for range least + r.IntN(most-least+1) {
			b.WriteString(benchmarkWord(words.Uint64()) + " ")
		}
		return b.String()
	}
	x := NewLinks()
	labels := map[int64]Label{}
	for id := range int64(1000) {
		labels[id] = Label{Owner: 1, Scope: 1, Name: fmt.Sprintf("label %d", id)}
	}
	x.SetLabels(List, labels)
	x.SetLabels(Tag, labels)
	var batch []Link
	for id := range n {
		batch = append(batch, Link{
			ID: int64(id), Owner: 1, Scope: 1, CreatedAt: waymark.Time(id) * 1e6, Lists: []int64{int64(id) % 100}, Tags: []int64{int64(id) % 1000, int64(id) % 13},
			URL: fmt.Sprintf("https://%s.example/%d/%s", benchmarkWord(words.Uint64()), id, strings.TrimSpace(text(1, 1))), Title: "A" + text(1, 8), Description: "B" + text(0, 16),
		})
		if len(batch) == indexedBatch || id == n-1 {
			x.Update(nil, batch)
			batch = batch[:0]
		}
	}
	return x
}

// measure runs what is measured, and also reports the time of all processors: it hardly depends on what else runs.
func measure(b *testing.B, run func()) {
	cpu := func() int64 {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			b.Fatal(err)
		}
		return usage.Utime.Nano() + usage.Stime.Nano()
	}
	began := cpu()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(cpu()-began)/float64(b.N), "cpu-ns/op")
}
