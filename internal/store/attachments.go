package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// attachments are the lists, or the tags, of links that are created.
type attachments struct {
	links []waymark.LinkID
	refs  [][]waymark.Ref // of each link
}

func (a *attachments) add(link waymark.LinkID, refs []waymark.Ref) {
	if len(refs) > 0 {
		a.links = append(a.links, link)
		a.refs = append(a.refs, refs)
	}
}

// attach adds each link to the lists or tags that its refs name. Names that the user
// has no list or tag of are created.
func (s *Store) attach(ctx context.Context, q database.Querier, assoc *association, user waymark.User, of attachments) error {
	refs, err := s.resolveOrCreate(ctx, q, assoc, user, slices.Concat(of.refs...))
	if err != nil {
		return err
	}
	var pairs [][2]int64
	for i, link := range of.links {
		for _, id := range refs.ids(of.refs[i]) {
			pairs = append(pairs, [2]int64{int64(link), id})
		}
	}
	return assoc.insert(ctx, q, pairs)
}

// setAttachments adds several links to the same lists or tags. With replace they leave
// the other ones that the user sees. Lists and tags that are in the trash, or that the
// user does not see, are not changed.
func (s *Store) setAttachments(ctx context.Context, q database.Querier, assoc *association, user waymark.User, links []waymark.LinkID, refs []waymark.Ref, replace bool) error {
	if len(links) == 0 {
		return nil
	}
	if replace {
		a := q.Args()
		if _, err := q.Exec(ctx, `
			DELETE FROM `+assoc.table+`
			WHERE link_id `+database.In(a, links)+` AND `+assoc.column+` IN (
				SELECT e.id
				FROM `+assoc.entities+` AS e
				WHERE e.id = `+assoc.table+`.`+assoc.column+` AND `+visibleTo(a, "e.visible_to", user.ID)+`)`, a.Values...); err != nil {
			return err
		}
	}
	resolved, err := s.resolveOrCreate(ctx, q, assoc, user, refs)
	if err != nil {
		return err
	}
	ids := resolved.ids(refs)
	for batch := range slices.Chunk(links, batchSize) {
		var pairs [][2]int64
		for _, link := range batch {
			for _, id := range ids {
				pairs = append(pairs, [2]int64{int64(link), id})
			}
		}
		if err := assoc.insert(ctx, q, pairs); err != nil {
			return err
		}
	}
	return nil
}
