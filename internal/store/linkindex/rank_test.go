package linkindex

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// rankedLinks are the links of the tests, from the oldest to the newest.
var rankedLinks = []struct{ url, title, description string }{
	{"https://www.docker.com/", "Docker", "Build and run containers"},
	{"https://github.com/example/docker-compose-ui", "docker-compose-ui", "Web interface for Docker Compose"},
	{"https://hub.docker.com/", "Docker Hub", "Registry of images"},
	{"https://blog.example.org/2024/05/moving-away", "Moving away from containers", "Why we left Docker"},
	{"https://podman.io/", "Podman", "Manage pods and containers without a daemon, like Docker"},
	{"https://go.dev/", "The Go Programming Language", "Documentation and downloads"},
	{"https://www.djangoproject.com/", "Django", "Web framework for Python"},
	{"https://www.mongodb.com/docs/", "MongoDB manual", "Documents, not tables; drivers for Go and Python"},
	{"https://gobyexample.com/", "Go by Example", "Annotated example programs"},
	{"https://github.com/example/go-cache", "go-cache", "A cache in memory"},
	{"https://www.sqlite.org/index.html", "SQLite Home Page", "Small, fast, reliable"},
	{"https://www.sqlite.org/fts5.html", "SQLite FTS5 Extension", "Full-text search"},
	{"https://litestream.io/", "Litestream", "Streaming replication for SQLite"},
	{"https://notes.example.net/sqlite", "Write-ahead logging", "How a database survives a crash"},
	{"https://www.postgresql.org/docs/current/", "PostgreSQL: Documentation", ""},
	{"https://use-the-index-luke.com/", "Use The Index, Luke", "A guide to database performance, also for PostgreSQL"},
	{"https://museum.example.org/works/weather", "Weather in paintings", "Clouds, storms and light"},
	{"https://weather.example.com/", "Forecast for today", "Rain, wind and temperature"},
	{"https://radio.example.com/shows?day=weather", "All shows", ""},
	{"https://example.jp/weather", "天気予報", "今日の天気"},
	{"https://example.jp/weather/tokyo", "東京の天気", ""},
	{"https://kochen.example.de/brot", "Brot backen", "Sauerteig für Anfänger"},
	{"https://kochen.example.de/messer", "Messer schärfen", "Auch für Brotmesser"},
	{"https://learn.example.edu/courses/machine-learning", "Machine Learning", "Lectures with exercises"},
	{"https://videos.example.edu/learning", "Learning to build a machine for bread", ""},
	{"https://learn.example.edu/courses/python", "Introduction to Python", "Lectures with exercises"},
	{"https://github.com/example/notes", "notes", "Markdown notes on the command line"},
	{"https://www.c-faq.example/", "C: questions and answers", ""},
	{"https://cpp.example.org/", "C++ reference", ""},
	{"https://zoo.example.org/animals/penguins/2", "Penguin", "Twelve of them"},
	{"https://zoo.example.org/", "Penguin", "Twelve of them"},
	{"https://zoo.example.org/animals/penguins", "Penguin", "Twelve of them"},
	{"https://films.example.org/1", "OpenMovieCatalog", ""},
	{"https://films.example.org/2", "Movies this week", "Catalogue of cinemas"},
	{"https://garden.example.org/1", "Pruning apple trees", "In late winter"},
	{"https://garden.example.org/2", "Pruning apple trees", "In late winter"},
	{"https://films.example.org/3", "CinemaClub", ""},
	{"https://films.example.org/4", "Clubs and theatres of the city", ""},
	{"https://birds.example.org/1", "Pigeon", "Server that keeps each email of a company for ten years, as the law demands"},
	{"https://birds.example.org/2", "Owl", "Letters, parcels and email"},
	{"https://birds.example.org/3", "Raven", "Email server that keeps the letters of a company for ten years, as the law demands"},
}

func rankedIndex() *Links {
	x := NewLinks()
	links := make([]Link, len(rankedLinks))
	for i, l := range rankedLinks {
		links[i] = Link{ID: int64(i), Owner: 1, Scope: 1, CreatedAt: waymark.Time(i), URL: l.url, Title: l.title, Description: l.description}
	}
	links[12].Tags = []int64{7} // replication
	links[9].Tags = []int64{8}  // bread, although nothing says so
	x.SetLabels(Tag, map[int64]Label{7: {Owner: 1, Scope: 1}, 8: {Owner: 1, Scope: 1}})
	x.Update(nil, links)
	return x
}

func bestMatchQuery(text string, tags map[string][]int64) Query {
	q := Query{Viewer: 1, Order: waymark.BestMatch}
	var where waymark.And
	for _, word := range strings.Fields(waymark.Plain(text)) {
		where = append(where, waymark.Contains{Text: word, In: waymark.InTexts})
		q.Words = append(q.Words, Word{Text: word, Folded: word, Tags: tags[word]})
	}
	q.Where = where
	return q
}

// The best matches are those that a person wants who types these words.
func TestBestMatchesComeFirst(t *testing.T) {
	x := rankedIndex()
	for query, want := range map[string][]string{
		"docker":           {"Docker", "Docker Hub", "docker-compose-ui", "Moving away from containers", "Podman"}, // title, then description
		"go":               {"go-cache", "Go by Example", "The Go Programming Language", "MongoDB manual", "Django"},
		"django":           {"Django"},
		"sqlite":           {"SQLite Home Page", "SQLite FTS5 Extension", "Write-ahead logging", "Litestream"},
		"sqlite search":    {"SQLite FTS5 Extension"},
		"post":             {"PostgreSQL: Documentation", "Use The Index, Luke"},            // the beginning of a word
		"weather":          {"Weather in paintings", "Forecast for today", "天気予報", "東京の天気"}, // title, host, path; then a part of a query
		"天気":               {"天気予報", "東京の天気"},
		"brot":             {"Brot backen", "Messer schärfen"},                            // a word, then the beginning of one
		"learning":         {"Learning to build a machine for bread", "Machine Learning"}, // the title begins with the word
		"machine learning": {"Machine Learning", "Learning to build a machine for bread"}, // the words follow each other
		"learn python":     {"Introduction to Python"},
		"notes":            {"notes", "Write-ahead logging"},
		"movie catalog":    {"OpenMovieCatalog", "Movies this week"},         // parts that follow each other
		"club":             {"CinemaClub", "Clubs and theatres of the city"}, // a capital letter begins a word
		"email":            {"Raven", "Owl", "Pigeon"},                       // early in the description
		"go drivers":       {"MongoDB manual"},
		"c++":              {"C++ reference"},
		"pruning apple":    {"Pruning apple trees", "Pruning apple trees"},
	} {
		r := x.Find(bestMatchQuery(query, nil))
		var got []string
		for _, id := range r.IDs[:min(len(r.IDs), len(want))] {
			got = append(got, rankedLinks[id].title)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if got := x.Find(bestMatchQuery("penguin", nil)).IDs; !slices.Equal(got, []int64{30, 31, 29}) {
		t.Errorf("similar links: got %v, want the home page first", got)
	}
	if got := x.Find(bestMatchQuery("pruning", nil)).IDs; !slices.Equal(got, []int64{35, 34}) {
		t.Errorf("equal links: got %v, want the newest first", got)
	}
}

func TestTagsWithTheNameOfAWordCount(t *testing.T) {
	x := rankedIndex()
	q := bestMatchQuery("sqlite", map[string][]int64{"sqlite": {7}})
	if got := x.Find(q).IDs; got[2] != 12 || got[3] != 13 {
		t.Fatalf("got %v", got)
	}
	q = bestMatchQuery("e", map[string][]int64{"e": {8}})
	if got := x.Find(q).IDs[0]; got != 9 {
		t.Errorf("got link %d first, want the one with the tag", got)
	}
}

func TestBestMatchWithoutWordsIsTheNewestFirst(t *testing.T) {
	q := Query{Viewer: 1, Order: waymark.BestMatch, Pagination: waymark.Pagination{Limit: 3}}
	if got := rankedIndex().Find(q).IDs; !slices.Equal(got, []int64{40, 39, 38}) {
		t.Errorf("got %v", got)
	}
}

// Pages of a result follow each other, whatever their size, and are those of the whole result.
func TestPagesOfBestMatchesFollowEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("go docker a sqlite weather machine learning machines goes example")
	text := func(n int) string {
		var chosen []string
		for range n {
			chosen = append(chosen, words[r.IntN(len(words))])
		}
		return strings.Join(chosen, " ")
	}
	x := NewLinks()
	var links []Link
	for id := range int64(3000) {
		links = append(links, Link{
			ID: id, Owner: 1, Scope: query.Scope(1 - id%2), CreatedAt: waymark.Time(r.IntN(500)),
			URL: fmt.Sprintf("https://%s.example/%s", words[r.IntN(len(words))], text(1)), Title: text(1 + r.IntN(4)), Description: text(r.IntN(6)),
		})
	}
	x.Update(nil, links)
	x.Update([]int64{5, 6, 7}, nil)
	for _, query := range []string{"go", "a", "machine learning", "docker go a"} {
		q := bestMatchQuery(query, nil)
		whole := x.Find(q)
		ranked := x.ranking(q.Words)
		if !slices.IsSortedFunc(whole.IDs, func(a, b int64) int {
			at, _ := positionOf(x.links, a)
			before, _ := positionOf(x.links, b)
			l, k := &x.links[at], &x.links[before]
			return cmp.Or(cmp.Compare(ranked.score(k), ranked.score(l)), cmp.Compare(k.created, l.created), cmp.Compare(b, a))
		}) {
			t.Errorf("%s: the result is not sorted by the scores", query)
		}
		for _, limit := range []int{1, 7, 50} {
			for offset := 0; offset < whole.Total; offset += 1 + r.IntN(200) {
				q.Pagination = waymark.Pagination{Offset: offset, Limit: limit}
				if got, want := x.Find(q).IDs, whole.IDs[offset:min(offset+limit, whole.Total)]; !slices.Equal(got, want) {
					t.Fatalf("%s, %d from %d: got %v, want %v", query, limit, offset, got, want)
				}
			}
		}
	}
}

func TestTooManyMatchesAreSortedFromTheNewestOn(t *testing.T) {
	x := NewLinks()
	links := make([]Link, maxRanked+1)
	for i := range links {
		links[i] = Link{ID: int64(i), Owner: 1, Scope: 1, CreatedAt: waymark.Time(i), URL: "go", Title: "-"}
	}
	links[7].Title = "Go"
	x.Update(nil, links)
	q := bestMatchQuery("go", nil)
	q.Pagination.Limit = 2
	if got := x.Find(q); got.Total != len(links) || !slices.Equal(got.IDs, []int64{maxRanked, maxRanked - 1}) {
		t.Errorf("got %d links: %v", got.Total, got.IDs)
	}
	x.Update([]int64{maxRanked}, nil)
	if got := x.Find(q).IDs; !slices.Equal(got, []int64{7, maxRanked - 1}) {
		t.Errorf("of one link less: got %v", got)
	}
}
