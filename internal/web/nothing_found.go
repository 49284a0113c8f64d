package web

import (
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// offer is another search that a page offers if its own has found nothing.
type offer struct{ Path, Text string }

// otherSearches returns other searches for the words of a query that finds nothing: also in the snapshots of
// pages, without the filters, and in the trash. Only searches that find something are among them.
func otherSearches(r *page.Request, q linksQuery) ([]offer, error) {
	plain := linksQuery{Text: q.plainText()}
	if plain.Text == "" {
		return nil, nil
	}
	var offers []offer
	try := func(key string, q linksQuery) error {
		s, err := newSelection(r, q)
		if err != nil {
			return err
		}
		found, err := matchingLinks(r, s.filter, newestFirst, waymark.Pagination{Limit: 1}).Page(r.Context())
		if err == nil && found.Total > 0 {
			offers = append(offers, offer{q.path(), r.T(key, "n", found.Total)})
		}
		return err
	}
	if !q.Content && r.Store.Snapshots.Any() {
		snapshots := q
		snapshots.Content = true
		if err := try("links.offer-snapshots", snapshots); err != nil {
			return nil, err
		}
	}
	if all := (linksQuery{Text: q.Text, Content: q.Content}); q.path() != all.path() || q.Text != plain.Text {
		if err := try("links.offer-unfiltered", plain); err != nil {
			return nil, err
		}
		if plain.Content = r.Store.Snapshots.Any(); plain.Content && len(offers) == 0 {
			if err := try("links.offer-unfiltered-snapshots", plain); err != nil {
				return nil, err
			}
		}
	}
	trashed, err := trashedLinks(r, plain.Text).LastChanged(waymark.Pagination{Limit: 1}).Page(r.Context())
	if err == nil && trashed.Total > 0 {
		offers = append(offers, offer{"/trash/links?" + page.QueryOf("words", plain.Text), r.T("links.offer-trash", "n", trashed.Total)})
	}
	return offers, err
}
