package linkindex

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// model is the plain version of an index: it tests every link and sorts the result.
type model struct {
	links  map[int64]Link
	labels [2]map[int64]Label // lists and tags
}

func (m *model) find(q Query) Result {
	var all []Link
	groups := slices.Clone(q.Groups)
	if q.Order.Desc {
		slices.Reverse(groups)
	}
	for _, scopes := range groups {
		var group []Link
		for _, link := range m.links {
			if slices.Contains(scopes, link.Scope) && m.matches(&link, &q) {
				group = append(group, link)
			}
		}
		slices.SortFunc(group, func(a, b Link) int {
			c := cmp.Or(compareLinks(&a, &b, q.Order.By), cmp.Compare(a.ID, b.ID))
			if q.Order.Desc {
				return -c
			}
			return c
		})
		all = append(all, group...)
	}
	r := Result{Total: len(all)}
	from := min(q.Pagination.Offset, len(all))
	to := len(all)
	if q.Pagination.Limit != waymark.NoLimit {
		to = min(to, from+q.Pagination.Limit)
	}
	for _, link := range all[from:to] {
		r.IDs = append(r.IDs, link.ID)
	}
	return r
}

func (m *model) matches(l *Link, q *Query) bool {
	for _, t := range q.Texts {
		contains := strings.Contains(waymark.Fold(l.URL), t.Text) ||
			t.InTitle && strings.Contains(waymark.Fold(l.Title), t.Text) ||
			t.InDescription && strings.Contains(waymark.Fold(l.Description), t.Text)
		if contains == t.Not {
			return false
		}
	}
	return (q.Owner == 0 || l.Owner == q.Owner) && (q.CreatedFrom == 0 || l.CreatedAt >= q.CreatedFrom) && (q.CreatedBefore == 0 || l.CreatedAt < q.CreatedBefore) &&
		(!q.BrokenOnly || l.Status != waymark.StatusOK) && (q.CheckResult == 0 || l.CheckResult == q.CheckResult) && flagsMatch(l, q.Flags) &&
		m.labelsMatch(l.Lists, q.Lists, m.labels[List]) && m.labelsMatch(l.Tags, q.Tags, m.labels[Tag])
}

func flagsMatch(l *Link, f FlagFilter) bool {
	for flag, bit := range map[waymark.LinkFlag]uint16{waymark.FlagUnread: 0x100, waymark.FlagArchived: 0x200, waymark.FlagFavorite: 0x400} {
		if f.compared&bit != 0 && l.Has(flag) != (f.wanted&bit != 0) {
			return false
		}
	}
	return true
}

func (m *model) labelsMatch(ids []int64, f LabelFilter, labels map[int64]Label) bool {
	in := func(wanted []int64) func(int64) bool {
		return func(id int64) bool { return slices.Contains(wanted, id) }
	}
	if len(f.Any) > 0 && !slices.ContainsFunc(ids, in(f.Any)) || slices.ContainsFunc(ids, in(f.None)) {
		return false
	}
	for _, id := range f.All {
		if !slices.Contains(ids, id) {
			return false
		}
	}
	return !f.NoneVisible || !slices.ContainsFunc(ids, func(id int64) bool {
		label, ok := labels[id]
		return ok && slices.Contains(f.VisibleScopes, label.Scope)
	})
}

func (m *model) labelsByLinks(q LabelQuery) (total int, page []LabelCount) {
	var all []LabelCount
	for id, label := range m.labels[q.Kind] {
		if !slices.Contains(q.Scopes, label.Scope) || q.Owner != 0 && q.Owner != label.Owner || q.Among != nil && !slices.Contains(q.Among, id) {
			continue
		}
		n := 0
		for _, link := range m.links {
			if ids := [2][]int64{List: link.Lists, Tag: link.Tags}[q.Kind]; slices.Contains(q.Scopes, link.Scope) && slices.Contains(ids, id) {
				n++
			}
		}
		all = append(all, LabelCount{id, n})
	}
	slices.SortFunc(all, func(a, b LabelCount) int {
		if q.Desc {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.Links, b.Links), cmp.Compare(a.ID, b.ID))
	})
	from := min(q.Pagination.Offset, len(all))
	to := len(all)
	if q.Pagination.Limit != waymark.NoLimit {
		to = min(to, from+q.Pagination.Limit)
	}
	return len(all), all[from:to]
}

func randomLabelQuery(r *rand.Rand) LabelQuery {
	q := LabelQuery{
		Kind:       Kind(r.IntN(2)),
		Scopes:     [][]int64{{0, -1, 1}, {0}, {0, -1, 2}, {0, 7}}[r.IntN(4)],
		Owner:      int64(r.IntN(3)),
		Desc:       r.IntN(2) == 0,
		Pagination: waymark.Pagination{Offset: r.IntN(3), Limit: r.IntN(4)},
	}
	if r.IntN(3) == 0 {
		q.Among = []int64{1, 3, 5, 9}
	}
	return q
}

func compareLinks(a, b *Link, by waymark.SortField) int {
	text := func(a, b string) int {
		return cmp.Or(strings.Compare(waymark.Fold(a), waymark.Fold(b)), strings.Compare(a, b))
	}
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	switch by {
	case waymark.SortByURL:
		return text(a.URL, b.URL)
	case waymark.SortByTitle:
		return text(a.Title, b.Title)
	case waymark.SortByDescription:
		return text(a.Description, b.Description)
	case waymark.SortByStatus:
		return cmp.Compare(a.Status, b.Status)
	case waymark.SortByCheckDisabled:
		return cmp.Compare(number(a.CheckDisabled), number(b.CheckDisabled))
	case waymark.SortByCreatedAt:
		return cmp.Compare(a.CreatedAt, b.CreatedAt)
	case waymark.SortByUpdatedAt:
		return cmp.Compare(a.UpdatedAt, b.UpdatedAt)
	}
	return 0
}

var words = []string{
	"Go", "go", "GO", "github", "GitHub", "Straße", "STRASSE", "Äpfel", "äpfel", "Москва", "москва", "东京", "教程", "ﬁnance",
	"İstanbul", "naïve", "nai\u0308ve", "C++", "100%", "a", "ab", "abc", "", " ", "🌍", "ǅ", "ᏸ", "ſ", "K",
}

func randomText(r *rand.Rand) string {
	var parts []string
	for range r.IntN(4) {
		parts = append(parts, words[r.IntN(len(words))])
	}
	return strings.Join(parts, "")
}

func randomLink(r *rand.Rand, id int64) Link {
	l := Link{
		ID:            id,
		Owner:         int64(1 + r.IntN(3)),
		Scope:         int64(r.IntN(4) - 1),
		Status:        waymark.Status(1 + r.IntN(3)),
		CheckResult:   waymark.CheckResult(r.IntN(6)),
		CheckDisabled: r.IntN(3) == 0,
		LinkFlags:     waymark.LinkFlags{Unread: r.IntN(2) == 0, Archived: r.IntN(3) == 0, Favorite: r.IntN(4) == 0},
		CreatedAt:     waymark.Time(r.IntN(50) - 10),
		UpdatedAt:     waymark.Time(r.IntN(1000)),
		URL:           "https://" + randomText(r),
		Title:         randomText(r),
		Description:   randomText(r),
	}
	for id := range int64(5) {
		if r.IntN(6) == 0 {
			l.Lists = append(l.Lists, id+1)
		}
		if r.IntN(6) == 0 {
			l.Tags = append(l.Tags, id+1)
		}
	}
	return l
}

func randomLabels(r *rand.Rand) LabelFilter {
	ids := func() (ids []int64) {
		for range 1 + r.IntN(2) {
			ids = append(ids, int64(1+r.IntN(6)))
		}
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	var f LabelFilter
	switch r.IntN(8) {
	case 0:
		f.Any = ids()
	case 1:
		f.All = ids()
	case 2:
		f.None = ids()
	case 3:
		f.NoneVisible, f.VisibleScopes = true, []int64{0, -1, 1}
	}
	return f
}

func randomQuery(r *rand.Rand) Query {
	q := Query{
		Groups:     [][][]int64{{{0, -1, 1}}, {{0}}, {{0}, {-1}, {2}}, {{0, -1}, {1}}, {{0, 7}}}[r.IntN(5)],
		BrokenOnly: r.IntN(4) == 0,
		Lists:      randomLabels(r),
		Tags:       randomLabels(r),
		Order:      waymark.Order{By: waymark.LinkSortFields[r.IntN(len(waymark.LinkSortFields))], Desc: r.IntN(2) == 0},
	}
	for range max(0, r.IntN(5)-1) {
		if text := waymark.Fold(words[r.IntN(len(words))]); text != "" {
			q.Texts = append(q.Texts, Text{Text: text, InTitle: r.IntN(2) == 0, InDescription: r.IntN(2) == 0, Not: r.IntN(3) == 0})
		}
	}
	if r.IntN(6) == 0 {
		q.Owner = int64(1 + r.IntN(3))
	}
	for _, flag := range []waymark.LinkFlag{waymark.FlagUnread, waymark.FlagArchived, waymark.FlagFavorite} {
		if r.IntN(5) == 0 {
			q.Flags.Add(waymark.FlagValue{Flag: flag, On: r.IntN(2) == 0})
		}
	}
	if r.IntN(5) == 0 {
		q.CheckResult = waymark.CheckResult(1 + r.IntN(5))
	}
	if r.IntN(6) == 0 {
		q.CreatedFrom = waymark.Time(r.IntN(40))
	}
	if r.IntN(6) == 0 {
		q.CreatedBefore = waymark.Time(r.IntN(40))
	}
	if r.IntN(3) > 0 {
		q.Pagination = waymark.Pagination{Offset: r.IntN(300), Limit: r.IntN(40)}
	}
	return q
}

func TestFindReturnsWhatEveryLinkIsTestedFor(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			x, m := New(), model{links: map[int64]Link{}, labels: [2]map[int64]Label{{}, {}}}
			next := int64(1)
			for step := range 60 {
				var removed []int64
				var added []Link
				for range r.IntN(1 << r.IntN(9)) { // often few, sometimes many
					id := next
					if r.IntN(2) == 0 {
						id = 1 + r.Int64N(next+3) // some are unknown
					} else {
						next++
					}
					if slices.Contains(removed, id) {
						continue
					}
					removed = append(removed, id)
					delete(m.links, id)
					if r.IntN(3) > 0 {
						link := randomLink(r, id)
						added = append(added, link)
						m.links[id] = link
					}
				}
				x.Update(removed, added)
				if r.IntN(4) == 0 {
					k, id := Kind(r.IntN(2)), int64(1+r.IntN(5))
					label := Label{Owner: 1 + id%2, Scope: []int64{NoScope, 0, -1, 1, 2}[r.IntN(5)]}
					m.labels[k][id] = label
					x.SetLabels(k, map[int64]Label{id: label})
				}
				if r.IntN(10) == 0 {
					for x.compact(1) {
					}
				}
				if x.Len() != len(m.links) {
					t.Fatalf("step %d: %d links, want %d", step, x.Len(), len(m.links))
				}
				for range 10 {
					q := randomQuery(r)
					got, want := x.Find(q), m.find(q)
					if got.Total != want.Total || !slices.Equal(got.IDs, want.IDs) {
						t.Fatalf("step %d: %+v\n got %+v\nwant %+v", step, q, got, want)
					}
					if n := x.Count(q); n != want.Total {
						t.Fatalf("step %d: %+v: count %d, want %d", step, q, n, want.Total)
					}
					lq := randomLabelQuery(r)
					total, labels := x.LabelsByLinks(lq)
					wantTotal, wantLabels := m.labelsByLinks(lq)
					if total != wantTotal || !slices.Equal(labels, wantLabels) {
						t.Fatalf("step %d: %+v\n got %d %v\nwant %d %v", step, lq, total, labels, wantTotal, wantLabels)
					}
					for _, label := range labels {
						if n := x.CountLinks(lq.Kind, []int64{label.ID}, lq.Scopes)[label.ID]; n != label.Links {
							t.Fatalf("step %d: label %d has %d links, want %d", step, label.ID, n, label.Links)
						}
					}
				}
			}
		})
	}
}

// Waymark generates positive ids, but another program can have changed the database.
func TestLinksCanHaveAnyID(t *testing.T) {
	x := New()
	var links []Link
	var ids []int64
	for _, id := range []int64{math.MinInt64, -locationPageSize - 1, -1, 0, 1, math.MaxInt64} {
		links, ids = append(links, Link{ID: id, Scope: 1, URL: fmt.Sprint("https://example.org/", id)}), append(ids, id)
	}
	x.Update(ids, links)
	query := Query{Groups: [][]int64{{1}}, Texts: []Text{{Text: "no such text", SnapshotQuery: "word", Snapshots: ids}}}
	if got := x.Find(query).IDs; !slices.Equal(got, ids) {
		t.Errorf("got the links %d, want %d", got, ids)
	}
	x.Update(ids, nil)
	if x.Len() != 0 {
		t.Errorf("got %d links after all were removed, want 0", x.Len())
	}
}

// Links are in segments of 65,536 links: a scope with several of them is
// filled, thinned out and compacted.
func TestSeveralSegments(t *testing.T) {
	x := New()
	const n = 3*segmentSize/2 + 100
	var links []Link
	for id := range int64(n) {
		links = append(links, Link{ID: id + 1, URL: fmt.Sprintf("https://example.org/%d", id+1), Title: fmt.Sprint(id % 7), Status: waymark.StatusOK})
	}
	x.Update(nil, links)
	x.Prepare(waymark.SortByTitle)
	x.Prepare(waymark.SortByCreatedAt)
	var removed []int64
	for id := range int64(n) {
		if id%3 != 0 {
			removed = append(removed, id+1)
		}
	}
	before := x.Bytes()
	x.Update(removed, nil)
	for x.Compact() {
	}
	if after := x.Bytes(); after > before/2 {
		t.Errorf("%d bytes after two thirds of the links were removed, %d before", after, before)
	}
	got := x.Find(Query{Groups: [][]int64{{0}}, Texts: []Text{{Text: "/9"}}, Order: waymark.Order{By: waymark.SortByID}})
	want := 0
	for id := int64(1); id <= n; id += 3 {
		if strings.HasPrefix(fmt.Sprint(id), "9") {
			if want < len(got.IDs) && got.IDs[want] != id {
				t.Fatalf("link %d is %d, want %d", want, got.IDs[want], id)
			}
			want++
		}
	}
	if got.Total != want || len(got.IDs) != want {
		t.Errorf("%d links, %d ids, want %d", got.Total, len(got.IDs), want)
	}
	x.Update(nil, links[:0])
	for id := range int64(segmentSize) { // more links than fit into the segment that is being filled
		links[id] = Link{ID: n + id + 1, URL: "https://example.org/new"}
	}
	x.Update(nil, links[:segmentSize])
	if got := x.Find(Query{Groups: [][]int64{{0}}, Texts: []Text{{Text: "new"}}}); got.Total != segmentSize {
		t.Errorf("%d new links, want %d", got.Total, segmentSize)
	}
}

// A page of many matches reads the order, which is made once: sorting the matches for
// every page would take much longer.
func TestPageOfManyMatchesMakesTheOrder(t *testing.T) {
	x := New()
	var links []Link
	for id := range int64(1000) {
		links = append(links, Link{ID: id + 1, URL: "https://example.org/", Title: fmt.Sprint(id)})
	}
	x.Update(nil, links)
	for _, test := range []struct {
		text string
		want bool
	}{{"777", false}, {"example", true}} {
		x.Find(Query{Groups: [][]int64{{0}}, Texts: []Text{{Text: test.text, InTitle: true}}, Order: waymark.Order{By: waymark.SortByTitle}, Pagination: waymark.Pagination{Limit: 24}})
		if _, got := x.scopes[0].orders.byField[waymark.SortByTitle]; got != test.want {
			t.Errorf("search %q: order made: %t, want %t", test.text, got, test.want)
		}
	}
}

func FuzzOriginalText(f *testing.F) {
	for _, word := range words {
		f.Add(word)
		f.Add(word + "x" + strings.ToUpper(word))
	}
	f.Fuzz(func(t *testing.T, original string) {
		original = strings.ReplaceAll(strings.ToValidUTF8(original, "?"), "\x00", "0")
		var stored texts
		stored.append(original)
		record := stored.record(0)
		if got := string(originalOf(record)); got != original {
			t.Errorf("original %q, want %q", got, original)
		}
		text, rest, _ := bytes.Cut(record, []byte{textEnd})
		if got := string(text); got != waymark.Fold(original) {
			t.Errorf("folded %q, want %q", got, waymark.Fold(original))
		}
		for _, b := range rest {
			if b < 0x80 || b > 0xBF {
				t.Errorf("the difference of %q has the byte %#x", original, b)
			}
		}
	})
}
