package store

import (
	"context"
	"slices"
	"strings"
	"time"

	language "waymark/internal/query"
	"waymark/internal/store/linkindex"
	"waymark/internal/waymark"
)

const (
	// FewLinks is the number of links from which on no other search is offered.
	FewLinks = 5
	// insteadTime is how long Instead looks for other searches among very many links.
	insteadTime = 50 * time.Millisecond
)

// Instead is a search that finds more than one that finds few links: without some of its parts, with other texts in
// some, or also in snapshots.
type Instead struct {
	Without   []int          // positions of parts
	Texts     map[int]string // by position of the part
	Snapshots bool
	Total     int
}

// Apply returns the condition of the search, from the parts of the one that finds few.
func (in Instead) Apply(parts []waymark.Condition) waymark.Condition {
	var all []waymark.Condition
	for i, part := range parts {
		text, ok := in.Texts[i]
		switch c := part.(type) {
		case waymark.Contains:
			if ok {
				for word := range strings.FieldsSeq(text) {
					all = append(all, waymark.Contains{Text: word, In: c.In})
				}
				continue
			}
		case waymark.Labeled:
			if ok {
				c.Refs = []waymark.Ref{{Name: text}}
				part = c
			}
		}
		if !slices.Contains(in.Without, i) {
			all = append(all, part)
		}
	}
	where := waymark.AndOf(all...)
	if in.Snapshots {
		where = language.Also(where, waymark.InSnapshot)
	}
	return where
}

// Instead returns at most three searches that find more than the one whose links satisfy the filter and all parts, and
// that finds total links: the best first, none from FewLinks on. Each finds something that viewer sees. Under load, and
// after some time, there are fewer.
func (s *Store) Instead(ctx context.Context, viewer waymark.UserID, filter waymark.LinkFilter, parts []waymark.Condition, total int) ([]Instead, error) {
	if total >= FewLinks || len(parts) == 0 || len(parts) > linkindex.MaxParts {
		return nil, nil
	}
	deadline := time.Now().Add(insteadTime)
	q := s.db.Querier()
	filters := []waymark.LinkFilter{filter}
	for _, part := range parts {
		filters = append(filters, waymark.LinkFilter{Where: part})
	}
	iq, conditions, err := s.indexQuery(ctx, q, viewer, filters...)
	if err != nil {
		return nil, err
	}
	for i := range conditions {
		if conditions[i], err = s.addOutside(ctx, q, iq.As, conditions[i]); err != nil {
			return nil, err
		}
	}
	searched := make([]linkindex.Part, len(parts))
	words := 0
	for i, part := range parts {
		searched[i] = linkindex.Part{Where: conditions[i+1], Word: language.IsWord(part)}
		if searched[i].Word {
			words++
		}
		switch c := conditions[i+1].(type) {
		case waymark.Contains:
			if searched[i].Word && !strings.ContainsAny(c.Text, " ") {
				searched[i].Text = c.Text
			}
		case waymark.Or:
			if labeled, ok := part.(waymark.Labeled); ok && len(c) == 0 && !labeled.Prefix && len(labeled.Refs) == 1 && labeled.Refs[0].Name != "" {
				searched[i].Text = waymark.Plain(labeled.Refs[0].Name)
				labeled.Refs = []waymark.Ref{{Name: searched[i].Text}}
				searched[i].Where = labeled
			}
		}
	}
	var found []Instead
	s.index.Read(func(x *linkindex.Links) {
		for _, in := range x.Instead(iq, conditions[0], searched, total, deadline) {
			found = append(found, Instead{Without: in.Without, Texts: in.Texts, Total: in.Total})
		}
	})
	if words == 0 || viewer == waymark.Guest || len(found) == 3 || !s.Snapshots.Any() || time.Now().After(deadline) {
		return found, nil
	}
	inSnapshots := Instead{Snapshots: true}
	filter.Where = waymark.AndOf(filter.Where, inSnapshots.Apply(parts))
	counts, err := s.countMatches(ctx, q, viewer, maxTested, []waymark.LinkFilter{filter})
	if err == nil && counts[0] > total {
		inSnapshots.Total = counts[0]
		found = append(found, inSnapshots)
	}
	return found, err
}
