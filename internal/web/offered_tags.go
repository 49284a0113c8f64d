package web

import (
	"cmp"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

const (
	maxOfferedTags = 5
	similarLinks   = 50  // whose tags are counted
	minShare       = 0.2 // of them that have a tag
	maxTitleWords  = 40
)

// offeredTags returns up to five of the user's own tags for a link, but those that it has: tags of their links on the same
// host, above all of those below the same directory, and tags that the title or the URL names. Rare ones come first.
func offeredTags(r *page.Request, rawURL, title string, has []string) ([]string, error) {
	u, err := url.Parse(rawURL)
	host := page.ShortHost(waymark.Host(rawURL))
	if err != nil || host == "" {
		return nil, nil //nolint:nilerr // there is nothing to go by
	}
	points := map[string]float64{} // by the folded name
	for _, name := range namesIn(title + " " + host + " " + u.Path) {
		points[name] = 1
	}
	similar := []waymark.Condition{waymark.OnSite(host)}
	if directory, _, ok := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); ok && directory != "" {
		similar = append(similar, waymark.Contains{Text: host + "/" + directory + "/", In: waymark.InURL})
	}
	for _, where := range similar {
		filter := waymark.LinkFilter{Where: waymark.And{waymark.IsMine, waymark.NotOf(waymark.IsUntagged), where}}
		found, err := r.Store.SearchLinks(r.User.ID, filter, newestFirst, waymark.Pagination{Limit: similarLinks}).Page(r.Context())
		if err != nil {
			return nil, err
		}
		shares := map[string]float64{}
		for _, link := range found.Entities {
			for _, tag := range link.Tags {
				shares[waymark.Fold(tag.Name)] += 1 / float64(len(found.Entities))
			}
		}
		for name, share := range shares {
			if share >= minShare {
				points[name] += share
			}
		}
	}
	for _, name := range has {
		delete(points, waymark.Fold(name))
	}
	named := waymark.Map(slices.Collect(maps.Keys(points)), func(name string) waymark.Ref { return waymark.Ref{Name: name} })
	known, err := r.Store.FindTags(r.Context(), r.User.ID, named)
	var own []waymark.Tag
	for _, tag := range known {
		if tag.Owner == r.User.ID {
			own = append(own, tag)
		}
	}
	worth := func(tag waymark.Tag) float64 {
		return points[waymark.Fold(tag.Name)] / math.Log2(2+float64(tag.LinkCount))
	}
	slices.SortFunc(own, func(a, b waymark.Tag) int {
		return cmp.Or(cmp.Compare(worth(b), worth(a)), cmp.Compare(a.Name, b.Name))
	})
	return waymark.Map(own[:min(len(own), maxOfferedTags)], func(tag waymark.Tag) string { return tag.Name }), err
}

// namesIn returns what may be the name of a tag in a text, folded: one to three words, joined as in names.
func namesIn(text string) (names []string) {
	words := strings.FieldsFunc(waymark.Fold(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '+' && r != '#'
	})
	words = words[:min(len(words), maxTitleWords)]
	for i, word := range words {
		names = append(names, word)
		for n := 2; n <= 3 && i+n <= len(words); n++ {
			for _, between := range []string{" ", "-", "."} {
				names = append(names, strings.Join(words[i:i+n], between))
			}
		}
	}
	return names
}
