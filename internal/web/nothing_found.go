package web

import (
	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// offer is another search that a page offers if its own has found nothing.
type offer struct{ Path, Text string }

// otherSearches returns other searches for the words of a search that finds nothing: also in the snapshots of
// pages, without the filters, and in the trash. Only searches that find something are among them.
func otherSearches(r *page.Request, s search) (offers []offer, err error) {
	plain := search{Path: "/links", Where: s.words()}
	if !plain.restricts() {
		return nil, nil
	}
	try := func(key string, s search) error {
		listed, err := matchingLinks(r, s.filter(r), newestFirst, waymark.Pagination{Limit: 1}).Page(r.Context())
		if err == nil && listed.Total > 0 {
			offers = append(offers, offer{s.path(), r.T(key, "n", listed.Total)})
		}
		return err
	}
	inSnapshots := func(s search) search { return s.with(query.Also(s.Where, waymark.InSnapshot)) }
	if wordsIn(s.Where)&waymark.InSnapshot == 0 && r.Store.Snapshots.Any() {
		if err := try("links.offer-snapshots", inSnapshots(s)); err != nil {
			return nil, err
		}
	}
	if query.Print(query.NotAlso(s.Where, waymark.InSnapshot)) != plain.text() {
		if err := try("links.offer-unfiltered", plain); err != nil {
			return nil, err
		}
		if len(offers) == 0 && r.Store.Snapshots.Any() {
			if err := try("links.offer-unfiltered-snapshots", inSnapshots(plain)); err != nil {
				return nil, err
			}
		}
	}
	trashed, err := trashedLinks(r, plain.text()).LastChanged(waymark.Pagination{Limit: 1}).Page(r.Context())
	if err == nil && trashed.Total > 0 {
		offers = append(offers, offer{"/trash/links?" + page.QueryOf("words", plain.text()), r.T("links.offer-trash", "n", trashed.Total)})
	}
	return offers, err
}
