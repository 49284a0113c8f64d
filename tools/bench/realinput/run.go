package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"waymark/internal/waymark"
	"waymark/tools/bench"
)

// trial is what was sent, and what the server must therefore have.
type trial struct {
	*visitor
	examples []bench.Example
	batch    int
	before   int    // how many links there were
	links    []link // those that were created, as the server answered
	some     []int64
}

// aThousand is how many links are trashed, restored and edited.
const aThousand = 1000

func (t *trial) timed(step string, do func() (int, error)) error {
	since := time.Now()
	n, err := do()
	spent := time.Since(since)
	if err == nil {
		fmt.Printf("%-32s %6d in %8s\n", step, n, spent.Round(time.Millisecond))
	}
	return err
}

// expect compares a total with what it must be.
func (t *trial) expect(path string, want int) error {
	got, err := t.total(path)
	if err == nil && got != want {
		err = fmt.Errorf("%s has a total of %d, want %d", path, got, want)
	}
	return err
}

// create sends all links in batches. Each has its list by name, in an array since
// names have commas, and its source as a tag.
func (t *trial) create() (int, error) {
	type model struct {
		URL         string   `json:"url"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Lists       []string `json:"lists"`
		Tags        []string `json:"tags"`
	}
	for batch := range slices.Chunk(t.examples, t.batch) {
		models := make([]model, len(batch))
		for i, e := range batch {
			models[i] = model{e.URL, e.Title, e.Description, []string{e.List}, []string{e.Source}}
		}
		var created []link
		if err := t.do("POST", "/bulk/links", map[string]any{"models": models}, &created); err != nil {
			return 0, err
		}
		if len(created) != len(batch) {
			return 0, fmt.Errorf("%d links were sent and %d came back", len(batch), len(created))
		}
		for i, l := range created {
			if err := same(l, batch[i]); err != nil {
				return 0, err
			}
		}
		t.links = append(t.links, created...)
	}
	return len(t.links), t.expect("/links", t.before+len(t.links))
}

// same compares a link with what was sent.
func same(l link, e bench.Example) error {
	title := strings.TrimSpace(e.Title)
	if title == "" {
		title = waymark.DefaultTitle(l.URL)
	}
	switch list := waymark.NormalizeName(e.List); {
	case l.URL != strings.TrimSpace(e.URL), l.Title != title, l.Description != strings.TrimSpace(e.Description):
		return fmt.Errorf("sent %+v, got %+v", e, l)
	case list == "" && len(l.Lists) != 0, list != "" && (len(l.Lists) != 1 || waymark.Fold(l.Lists[0].Name) != waymark.Fold(list)):
		return fmt.Errorf("sent list %q, got %v", e.List, l.Lists)
	case len(l.Tags) != 1 || l.Tags[0].Name != e.Source:
		return fmt.Errorf("sent tag %q, got %v", e.Source, l.Tags)
	}
	return nil
}

// pageThrough follows next_page_url to the end and must meet each link once.
func (t *trial) pageThrough() (int, error) {
	met := map[int64]bool{}
	next := "/links"
	for next != "" {
		var p page
		if err := t.do("GET", next, nil, &p); err != nil {
			return 0, err
		}
		if p.Total != t.before+len(t.links) {
			return 0, fmt.Errorf("%s has a total of %d, want %d", next, p.Total, t.before+len(t.links))
		}
		for _, l := range p.Data {
			if met[l.ID] {
				return 0, fmt.Errorf("link %d was met twice", l.ID)
			}
			met[l.ID] = true
		}
		if next = ""; p.Next != nil {
			next = *p.Next
		}
	}
	return len(met), t.haveMet(met)
}

func (t *trial) haveMet(met map[int64]bool) error {
	if len(met) != t.before+len(t.links) {
		return fmt.Errorf("met %d links, want %d", len(met), t.before+len(t.links))
	}
	for _, l := range t.links {
		if !met[l.ID] {
			return fmt.Errorf("link %d, %s, was not met", l.ID, l.URL)
		}
	}
	return nil
}

// everything asks for all links on one page.
func (t *trial) everything() (int, error) {
	var p page
	if err := t.do("GET", "/links?per_page=-1", nil, &p); err != nil {
		return 0, err
	}
	met := map[int64]bool{}
	for _, l := range p.Data {
		met[l.ID] = true
	}
	if len(p.Data) != p.Total {
		return 0, fmt.Errorf("a page of all has %d links and a total of %d", len(p.Data), p.Total)
	}
	return len(met), t.haveMet(met)
}

// search looks for parts of what was sent, of several lengths and in every script,
// and compares the totals with its own count.
func (t *trial) search() (int, error) {
	if t.before > 0 {
		return 0, errors.New("the server had links before, which would be found too")
	}
	type folded struct{ url, title, description string }
	texts := make([]folded, len(t.links))
	for i, l := range t.links {
		texts[i] = folded{waymark.Fold(l.URL), waymark.Fold(l.Title), waymark.Fold(l.Description)}
	}
	random := rand.New(rand.NewPCG(3, 4))
	asked := 0
	for _, size := range []int{1, 2, 3, 4, 6, 12} {
		for range 40 {
			l := t.links[random.IntN(len(t.links))]
			text := part(random, []string{l.URL, l.Title, l.Description}[random.IntN(3)], size)
			if text == "" {
				continue
			}
			inTitle, inDescription := random.IntN(4) > 0, random.IntN(4) > 0
			want := 0
			key := waymark.Fold(text)
			for _, f := range texts {
				if strings.Contains(f.url, key) || inTitle && strings.Contains(f.title, key) || inDescription && strings.Contains(f.description, key) {
					want++
				}
			}
			path := fmt.Sprintf("/search/links?query=%s&search_title=%t&search_description=%t", url.QueryEscape(text), inTitle, inDescription)
			if err := t.expect(path, want); err != nil {
				return asked, err
			}
			asked++
		}
	}
	return asked, nil
}

// part returns so many letters of a text, from anywhere in it, "" where it is shorter.
func part(random *rand.Rand, text string, size int) string {
	runes := []rune(text)
	if len(runes) < size {
		return ""
	}
	from := random.IntN(len(runes) - size + 1)
	some := string(runes[from : from+size])
	if strings.TrimSpace(some) != some {
		return ""
	}
	return some
}

// trash moves every so manieth link into the trash, until it has a thousand.
func (t *trial) trash() (int, error) {
	for i := 0; i < len(t.links) && len(t.some) < aThousand; i += max(len(t.links)/aThousand, 1) {
		t.some = append(t.some, t.links[i].ID)
	}
	var done map[string]bool
	if err := t.do("DELETE", "/bulk/delete", map[string]any{"type": "links", "models": t.some}, &done); err != nil {
		return 0, err
	}
	for id, ok := range done {
		if !ok {
			return 0, fmt.Errorf("link %s could not be trashed", id)
		}
	}
	if len(done) != len(t.some) {
		return 0, fmt.Errorf("%d links were named and %d answered for", len(t.some), len(done))
	}
	var trashed []link
	if err := t.do("GET", "/trash/links", nil, &trashed); err != nil {
		return 0, err
	}
	if len(trashed) != len(t.some) {
		return 0, fmt.Errorf("the trash has %d links, want %d", len(trashed), len(t.some))
	}
	return len(t.some), t.expect("/links", t.before+len(t.links)-len(t.some))
}

// restore takes them out again.
func (t *trial) restore() (int, error) {
	for _, id := range t.some {
		if err := t.do("PATCH", "/trash/restore", map[string]any{"model": "link", "id": id}, &struct{}{}); err != nil {
			return 0, err
		}
	}
	var trashed []link
	if err := t.do("GET", "/trash/links", nil, &trashed); err != nil {
		return 0, err
	}
	if len(trashed) != 0 {
		return 0, fmt.Errorf("the trash has %d links after all were restored", len(trashed))
	}
	return len(t.some), t.expect("/links", t.before+len(t.links))
}

// edit shares the thousand, and gives them a tag and a list more.
func (t *trial) edit() (int, error) {
	change := map[string]any{
		"models": t.some, "visibility": 2,
		"tags": []string{"one of a thousand"}, "tags_mode": "append",
		"lists": []string{"The thousand"}, "lists_mode": "append",
	}
	var edited []*link
	if err := t.do("PATCH", "/bulk/links", change, &edited); err != nil {
		return 0, err
	}
	if len(edited) != len(t.some) {
		return 0, fmt.Errorf("%d links were named and %d came back", len(t.some), len(edited))
	}
	for i, l := range edited {
		if l == nil || l.ID != t.some[i] || l.Visibility != 2 || len(l.Tags) != 2 {
			return 0, fmt.Errorf("link %d came back as %+v", t.some[i], l)
		}
	}
	tag := slices.IndexFunc(edited[0].Tags, func(n name) bool { return n.Name == "one of a thousand" })
	list := slices.IndexFunc(edited[0].Lists, func(n name) bool { return n.Name == "The thousand" })
	if tag < 0 || list < 0 {
		return 0, fmt.Errorf("link %d lacks its new tag or list: %+v", t.some[0], edited[0])
	}
	return len(t.some), errors.Join(
		t.expect("/links", t.before+len(t.links)),
		t.expect(fmt.Sprintf("/tags/%d/links", edited[0].Tags[tag].ID), len(t.some)),
		t.expect(fmt.Sprintf("/lists/%d/links", edited[0].Lists[list].ID), len(t.some)),
		t.expect("/search/links?only_tags=one+of+a+thousand", len(t.some)),
		t.expect("/search/links?only_tags=one+of+a+thousand&visibility=2", len(t.some)),
		t.expect("/search/links?only_lists=The+thousand&visibility=3", 0),
	)
}
