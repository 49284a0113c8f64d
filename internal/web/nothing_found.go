package web

import (
	"waymark/internal/query"
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// offer is another search that a page offers if its own has found few links or none.
type offer struct {
	Path, Text string
	N          int // the links that it finds
	search     search
}

// otherSearches returns searches that find more than one that finds total links, the best first, and the trash if
// there are words and it finds nothing.
func otherSearches(r *page.Request, s search, total int) (offers []offer, err error) {
	if total >= store.FewLinks || !s.restricts() {
		return nil, nil
	}
	parts := s.parts()
	searched := waymark.Map(parts, func(c waymark.Condition) waymark.Condition { return filterOf(r, c).Where })
	found, err := r.Store.Instead(r.Context(), r.User.ID, waymark.LinkFilter{Zone: r.Zone}, searched, total)
	if err != nil {
		return nil, err
	}
	for _, in := range found {
		other := search{Path: "/links", Where: in.Apply(parts)}
		text := other.text()
		switch {
		case in.Snapshots:
			text = r.T("links.offer-snapshots")
		case len(in.Texts) == 0 && len(in.Without) == 1:
			text = r.T("links.offer-without", "text", query.Print(s.labels.withNames(parts[in.Without[0]])))
		}
		offers = append(offers, offer{other.path(), text, in.Total, other})
	}
	words := search{Where: s.words()}
	if total > 0 || !words.restricts() {
		return offers, nil
	}
	trashed, err := trashedLinks(r, words.text()).LastChanged(waymark.Pagination{Limit: 1}).Page(r.Context())
	if err == nil && trashed.Total > 0 {
		offers = append(offers, offer{Path: "/trash/links?" + page.QueryOf("words", words.text()), Text: r.T("links.offer-trash"), N: trashed.Total})
	}
	return offers, err
}
