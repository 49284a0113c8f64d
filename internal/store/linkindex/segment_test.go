package linkindex

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waymark/internal/store/query"
)

// Links with so many texts or labels that they do not fit into one segment are all found.
func TestSegmentsAreLimited(t *testing.T) {
	const n = 2000
	tags := make([]int64, 10_000)
	for i := range tags {
		tags[i] = int64(i + 1)
	}
	for name, link := range map[string]Link{
		"long texts":  {URL: "https://example.org/", Description: strings.Repeat("a long text ", 1000)},
		"many labels": {URL: "https://example.org/", Tags: tags},
	} {
		t.Run(name, func(t *testing.T) {
			x := New()
			for id := range int64(n) {
				l := link
				l.ID = id + 1
				l.Description += fmt.Sprint("number ", id)
				x.Update(nil, []Link{l})
			}
			x.Clip()
			if got := len(x.scopes[0].segments); got < 2 {
				t.Fatalf("%d segment, want more", got)
			}
			for _, id := range []int64{1, n / 2, n} {
				q := Query{Groups: [][]int64{{0}}, Where: []query.Predicate{contains(fmt.Sprint("number ", id-1), "description")}}
				if got := x.Find(q); !slices.Contains(got.IDs, id) {
					t.Errorf("search %q: got %d links without link %d", q.Where[0].Text.Text, got.Total, id)
				}
			}
			want := 0
			if len(link.Tags) > 0 {
				want = n
			}
			for _, tag := range []int64{1, 5000, 10_000} {
				if got := x.Find(Query{Groups: [][]int64{{0}}, Where: []query.Predicate{{Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{tag}}}}); got.Total != want || len(got.IDs) != want {
					t.Errorf("tag %d: got %d links and %d ids, want %d", tag, got.Total, len(got.IDs), want)
				}
			}
		})
	}
}

func TestIndexPairIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for length := range 200 {
		for range 50 {
			data := make([]byte, length)
			for i := range data {
				data[i] = "ab\x00\x01\x7f\x80\xfe\xff"[random.IntN(8)]
			}
			pair := []byte{"ab\x00\x80"[random.IntN(4)], "ab\x01\xff"[random.IntN(4)]}
			if got, want := indexPair(data, pair[0], pair[1]), bytes.Index(data, pair); got != want {
				t.Fatalf("%q in %q: got %d, want %d", pair, data, got, want)
			}
		}
	}
}
