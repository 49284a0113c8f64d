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

// run has the links that were sent, which the server must return.
type run struct {
	*client
	examples []bench.Example
	batch    int
	before   int     // number of links at the start
	links    []link  // as the server returned them
	selected []int64 // for the steps that change links
}

// maxSelected is the number of links that are trashed, restored and edited.
const maxSelected = 1000

func (r *run) timed(step string, do func() (int, error)) error {
	since := time.Now()
	n, err := do()
	elapsed := time.Since(since)
	if err == nil {
		fmt.Printf("%-32s %6d in %8s\n", step, n, elapsed.Round(time.Millisecond))
	}
	return err
}

// expect returns an error if the total of a page differs from the wanted one.
func (r *run) expect(path string, want int) error {
	got, err := r.total(path)
	if err == nil && got != want {
		err = fmt.Errorf("GET %s: total is %d, want %d", path, got, want)
	}
	return err
}

// create creates all links in batches. The list is sent as an array of one name, since
// names may contain commas. The source becomes a tag.
func (r *run) create() (int, error) {
	type model struct {
		URL         string   `json:"url"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Lists       []string `json:"lists"`
		Tags        []string `json:"tags"`
	}
	for batch := range slices.Chunk(r.examples, r.batch) {
		models := make([]model, len(batch))
		for i, e := range batch {
			models[i] = model{e.URL, e.Title, e.Description, []string{e.List}, []string{e.Source}}
		}
		var created []link
		if err := r.do("POST", "/bulk/links", map[string]any{"models": models}, &created); err != nil {
			return 0, err
		}
		if len(created) != len(batch) {
			return 0, fmt.Errorf("%d links were sent, %d returned", len(batch), len(created))
		}
		for i, l := range created {
			if err := matches(l, batch[i]); err != nil {
				return 0, err
			}
		}
		r.links = append(r.links, created...)
	}
	return len(r.links), r.expect("/links", r.before+len(r.links))
}

// matches returns an error if a link differs from the one that was sent.
func matches(l link, e bench.Example) error {
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

// readPages follows next_page_url to the last page. Each link must be on one page.
func (r *run) readPages() (int, error) {
	found := map[int64]bool{}
	next := "/links"
	for next != "" {
		var p page
		if err := r.do("GET", next, nil, &p); err != nil {
			return 0, err
		}
		if p.Total != r.before+len(r.links) {
			return 0, fmt.Errorf("GET %s: total is %d, want %d", next, p.Total, r.before+len(r.links))
		}
		for _, l := range p.Data {
			if found[l.ID] {
				return 0, fmt.Errorf("link %d is on two pages", l.ID)
			}
			found[l.ID] = true
		}
		if next = ""; p.Next != nil {
			next = *p.Next
		}
	}
	return len(found), r.foundAll(found)
}

func (r *run) foundAll(found map[int64]bool) error {
	if len(found) != r.before+len(r.links) {
		return fmt.Errorf("found %d links, want %d", len(found), r.before+len(r.links))
	}
	for _, l := range r.links {
		if !found[l.ID] {
			return fmt.Errorf("link %d, %s, was not found", l.ID, l.URL)
		}
	}
	return nil
}

// readAll reads all links on one page.
func (r *run) readAll() (int, error) {
	var p page
	if err := r.do("GET", "/links?per_page=-1", nil, &p); err != nil {
		return 0, err
	}
	found := map[int64]bool{}
	for _, l := range p.Data {
		found[l.ID] = true
	}
	if len(p.Data) != p.Total {
		return 0, fmt.Errorf("the page of all links has %d links and a total of %d", len(p.Data), p.Total)
	}
	return len(found), r.foundAll(found)
}

// search searches for parts of the links, of several lengths and in all scripts, and
// compares the totals with its own count.
func (r *run) search() (int, error) {
	if r.before > 0 {
		return 0, fmt.Errorf("the server had %d links before, which searches find too: use an empty one", r.before)
	}
	type foldedLink struct{ url, title, description string }
	texts := make([]foldedLink, len(r.links))
	for i, l := range r.links {
		texts[i] = foldedLink{waymark.Fold(l.URL), waymark.Fold(l.Title), waymark.Fold(l.Description)}
	}
	random := rand.New(rand.NewPCG(3, 4))
	queries := 0
	for _, size := range []int{1, 2, 3, 4, 6, 12} {
		for range 40 {
			l := r.links[random.IntN(len(r.links))]
			text := part(random, []string{l.URL, l.Title, l.Description}[random.IntN(3)], size)
			if text == "" {
				continue
			}
			inTitle, inDescription := random.IntN(4) > 0, random.IntN(4) > 0
			want := 0
			folded := waymark.Fold(text)
			for _, f := range texts {
				if strings.Contains(f.url, folded) || inTitle && strings.Contains(f.title, folded) || inDescription && strings.Contains(f.description, folded) {
					want++
				}
			}
			path := fmt.Sprintf("/search/links?query=%s&search_title=%t&search_description=%t", url.QueryEscape(text), inTitle, inDescription)
			if err := r.expect(path, want); err != nil {
				return queries, err
			}
			queries++
		}
	}
	return queries, nil
}

// part returns a random part of a text, of size characters. It returns "" if the text is
// shorter, or if the part begins or ends with a space.
func part(random *rand.Rand, text string, size int) string {
	runes := []rune(text)
	if len(runes) < size {
		return ""
	}
	from := random.IntN(len(runes) - size + 1)
	s := string(runes[from : from+size])
	if strings.TrimSpace(s) != s {
		return ""
	}
	return s
}

// trash moves up to maxSelected links to the trash, at equal distances.
func (r *run) trash() (int, error) {
	for i := 0; i < len(r.links) && len(r.selected) < maxSelected; i += max(len(r.links)/maxSelected, 1) {
		r.selected = append(r.selected, r.links[i].ID)
	}
	var deleted map[string]bool
	if err := r.do("DELETE", "/bulk/delete", map[string]any{"type": "links", "models": r.selected}, &deleted); err != nil {
		return 0, err
	}
	for id, ok := range deleted {
		if !ok {
			return 0, fmt.Errorf("link %s was not moved to the trash", id)
		}
	}
	if len(deleted) != len(r.selected) {
		return 0, fmt.Errorf("%d links were sent, %d are in the response", len(r.selected), len(deleted))
	}
	var trashed []link
	if err := r.do("GET", "/trash/links", nil, &trashed); err != nil {
		return 0, err
	}
	if len(trashed) != len(r.selected) {
		return 0, fmt.Errorf("the trash has %d links, want %d", len(trashed), len(r.selected))
	}
	return len(r.selected), r.expect("/links", r.before+len(r.links)-len(r.selected))
}

// restore restores the links from the trash.
func (r *run) restore() (int, error) {
	for _, id := range r.selected {
		if err := r.do("PATCH", "/trash/restore", map[string]any{"model": "link", "id": id}, &struct{}{}); err != nil {
			return 0, err
		}
	}
	var trashed []link
	if err := r.do("GET", "/trash/links", nil, &trashed); err != nil {
		return 0, err
	}
	if len(trashed) != 0 {
		return 0, fmt.Errorf("the trash has %d links after all were restored, want 0", len(trashed))
	}
	return len(r.selected), r.expect("/links", r.before+len(r.links))
}

// edit makes the selected links internal, and adds a tag and a list to them.
func (r *run) edit() (int, error) {
	change := map[string]any{
		"models": r.selected, "visibility": 2,
		"tags": []string{"selected"}, "tags_mode": "append",
		"lists": []string{"Selected links"}, "lists_mode": "append",
	}
	var edited []*link
	if err := r.do("PATCH", "/bulk/links", change, &edited); err != nil {
		return 0, err
	}
	if len(edited) != len(r.selected) {
		return 0, fmt.Errorf("%d links were sent, %d returned", len(r.selected), len(edited))
	}
	for i, l := range edited {
		if l == nil || l.ID != r.selected[i] || l.Visibility != 2 || len(l.Tags) != 2 {
			return 0, fmt.Errorf("link %d was returned as %+v", r.selected[i], l)
		}
	}
	tag := slices.IndexFunc(edited[0].Tags, func(l label) bool { return l.Name == "selected" })
	list := slices.IndexFunc(edited[0].Lists, func(l label) bool { return l.Name == "Selected links" })
	if tag < 0 || list < 0 {
		return 0, fmt.Errorf("link %d does not have its new tag or list: %+v", r.selected[0], edited[0])
	}
	return len(r.selected), errors.Join(
		r.expect("/links", r.before+len(r.links)),
		r.expect(fmt.Sprintf("/tags/%d/links", edited[0].Tags[tag].ID), len(r.selected)),
		r.expect(fmt.Sprintf("/lists/%d/links", edited[0].Lists[list].ID), len(r.selected)),
		r.expect("/search/links?only_tags=selected", len(r.selected)),
		r.expect("/search/links?only_tags=selected&visibility=2", len(r.selected)),
		r.expect("/search/links?only_lists=Selected+links&visibility=3", 0),
	)
}
