package web

import "waymark/internal/waymark"

// offer is another search that a page offers if its own has found nothing.
type offer struct{ Address, Text string }

// otherSearches returns other searches for the words of a query that finds nothing: also in the snapshots of
// pages, without the filters, and in the trash. Only searches that find something are among them.
func otherSearches(v *visit, q linksQuery) ([]offer, error) {
	plain := linksQuery{Text: q.plainText()}
	if plain.Text == "" {
		return nil, nil
	}
	var offers []offer
	try := func(key string, q linksQuery) error {
		s, err := newSelection(v, q)
		if err != nil {
			return err
		}
		found, err := matchingLinks(v, s.filter, newestFirst, waymark.Pagination{Limit: 1}).Page(v.ctx())
		if err == nil && found.Total > 0 {
			offers = append(offers, offer{q.address(), v.t(key, "n", found.Total)})
		}
		return err
	}
	if !q.Content && v.Store.HasSnapshots() {
		snapshots := q
		snapshots.Content = true
		if err := try("links.offer-snapshots", snapshots); err != nil {
			return nil, err
		}
	}
	if all := (linksQuery{Text: q.Text, Content: q.Content}); q.address() != all.address() || q.Text != plain.Text {
		if err := try("links.offer-unfiltered", plain); err != nil {
			return nil, err
		}
		if plain.Content = v.Store.HasSnapshots(); plain.Content && len(offers) == 0 {
			if err := try("links.offer-unfiltered-snapshots", plain); err != nil {
				return nil, err
			}
		}
	}
	trashed, err := trashedLinks(v, plain.Text).LastChanged(waymark.Pagination{Limit: 1}).Page(v.ctx())
	if err == nil && trashed.Total > 0 {
		offers = append(offers, offer{"/trash/links?" + queryOf("words", plain.Text), v.t("links.offer-trash", "n", trashed.Total)})
	}
	return offers, err
}
