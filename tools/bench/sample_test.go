package bench

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// sample counts, for each length in textLengths, how many links of a sample contain
// each text of that length. The texts to search for are chosen from it.
type sample map[int]map[string]int

// textLengths are the lengths of the texts that are searched for, in characters.
var textLengths = []int{1, 2, 3, 6, 12}

// typed are texts that people type into a search, one per line: names, beginnings of words
// and of URLs, words in several scripts. Unlike texts that are chosen at random, most
// of them are in many links. The last one is in none.
//
//go:embed typed_words.txt
var typed string

func typedWords() []string { return strings.Split(strings.TrimSpace(typed), "\n") }

// sample reads pages from all parts of the collection. It leaves out the beginning
// that nearly all URLs share, which BenchmarkSearch measures by itself.
func (s *testServer) sample(b *testing.B) sample {
	b.Helper()
	s.sampleOnce.Do(func() {
		s.sampled = sample{}
		client := s.dial(b, s.address)
		const size, pages = 100, 30
		last := getPage(b, client, fmt.Sprintf("/api/v2/links?per_page=%d", size)).LastPage
		for i := range pages {
			p := getPage(b, client, fmt.Sprintf("/api/v2/links?per_page=%d&page=%d", size, 1+i*last/pages))
			for _, link := range p.Data {
				_, rest, _ := strings.Cut(link.URL, "://")
				s.sampled.add(strings.TrimPrefix(rest, "www."), link.Title, link.Description)
			}
		}
	})
	return s.sampled
}

// add counts the texts that one link contains.
func (s sample) add(fields ...string) {
	for _, n := range textLengths {
		contained := map[string]bool{}
		for _, field := range fields {
			runes := []rune(waymark.Fold(field))
			for i := 0; i+n <= len(runes); i++ {
				text := string(runes[i : i+n])
				if strings.TrimSpace(text) == text && utf8.ValidString(text) {
					contained[text] = true
				}
			}
		}
		if s[n] == nil {
			s[n] = map[string]int{}
		}
		for text := range contained {
			s[n][text]++
		}
	}
}

// random returns texts of n characters, each as likely as it is in links.
func (s sample) random(n int) []string {
	random := rand.New(rand.NewPCG(5, uint64(n)))
	sorted, total := s.sorted(n), 0
	for _, text := range sorted {
		total += s[n][text]
	}
	var texts []string
	for range 40 {
		at := random.IntN(total)
		i := 0
		for at -= s[n][sorted[i]]; at >= 0; at -= s[n][sorted[i]] {
			i++
		}
		texts = append(texts, sorted[i])
	}
	return texts
}

// common returns the texts of n characters that most links contain.
func (s sample) common(n int) []string {
	sorted := s.sorted(n)
	return sorted[:min(5, len(sorted))]
}

// rare returns texts of n characters that few links contain, from all parts of the
// alphabet.
func (s sample) rare(n int) []string {
	sorted := s.sorted(n)
	sorted = sorted[len(sorted)*3/4:]
	slices.Sort(sorted)
	var texts []string
	for i := range 20 {
		texts = append(texts, sorted[i*len(sorted)/20])
	}
	return texts
}

// sorted returns the texts of n characters, the most common one first.
func (s sample) sorted(n int) []string {
	var texts []string
	for text := range s[n] {
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int {
		if s[n][a] != s[n][b] {
			return s[n][b] - s[n][a]
		}
		return strings.Compare(a, b)
	})
	return texts
}
