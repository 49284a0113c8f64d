package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// attachments are the lists, or the tags, of links that are created.
type attachments struct {
	indexes []int // of the links in the change
	links   []waymark.LinkID
	refs    [][]waymark.Ref // of each link
}

func (a *attachments) add(index int, link waymark.LinkID, refs []waymark.Ref) {
	if len(refs) > 0 {
		a.indexes = append(a.indexes, index)
		a.links = append(a.links, link)
		a.refs = append(a.refs, refs)
	}
}

// attach adds each link to the lists or tags that its refs name. It creates a list or
// tag for each name that none of the user's has.
func (s *Store) attach(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.User, of attachments) error {
	refs, err := s.resolveOrCreate(ctx, q, assoc, user, slices.Concat(of.refs...), func(r resolvedRefs) error {
		var errs []error
		for i, refs := range of.refs {
			errs = append(errs, checkRefs(assoc, r, refs, of.indexes[i], 0))
		}
		return waymark.JoinInvalid(errs...)
	})
	if err != nil {
		return err
	}
	var pairs [][2]int64
	for i, link := range of.links {
		for _, id := range refs.ids(of.refs[i]) {
			pairs = append(pairs, [2]int64{int64(link), id})
		}
	}
	return insertAssociations(ctx, q, assoc, pairs)
}

// setAttachments adds links to lists or tags, or removes them, the same for all links. With
// waymark.ReplaceRefs it removes the links from all others that the user sees, and from all in the
// trash: a list or tag that is restored must not return to a link whose lists or tags were replaced
// since. It then returns a waymark.ValidationError if there are refs but none can be used, even
// without links. Without links it changes nothing.
func (s *Store) setAttachments(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.User, links []int64, refs []waymark.Ref, mode waymark.RefsMode) error {
	if mode == waymark.RemoveRefs {
		return s.removeAttachments(ctx, q, assoc, user.ID, links, refs)
	}
	replace := mode == waymark.ReplaceRefs
	resolved, err := resolve(ctx, q, assoc, user.ID, refs)
	if err != nil {
		return err
	}
	if replace && len(refs) > 0 && !resolved.anyUsable(refs) {
		return waymark.Invalid(inputField(assoc), waymark.RuleExists)
	}
	if len(links) == 0 {
		return nil
	}
	var before map[int64]int
	if len(refs) > 0 {
		if before, err = aboveLimit(ctx, q, assoc, links); err != nil {
			return err
		}
	}
	if err := checkRefs(assoc, resolved, refs, 0, slices.Max(append(slices.Collect(maps.Values(before)), 0))); err != nil {
		return err
	}
	if err := s.createMissing(ctx, q, assoc, user, refs, resolved); err != nil {
		return err
	}
	var detached [][2]int64
	if replace {
		a := q.Args()
		if detached, err = s.changePairs(ctx, q, assoc, `
			DELETE FROM `+assoc.Table+`
			WHERE link_id `+database.In(a, links)+` AND `+assoc.Column+` IN (
				SELECT e.id
				FROM `+assoc.Entities+` AS e
				WHERE e.id = `+assoc.Table+`.`+assoc.Column+` AND (e.visible_to IS NULL OR `+query.VisibleTo(a, "e.visible_to", user.ID)+`))`, a.Values...); err != nil {
			return err
		}
	}
	var attached [][2]int64
	if ids := resolved.ids(refs); len(ids) > 0 {
		var pairs [][2]int64
		for _, link := range links {
			for _, id := range ids {
				pairs = append(pairs, [2]int64{link, id})
			}
		}
		a := q.Args()
		if attached, err = s.changePairs(ctx, q, assoc, insertAssociationsSQL(a, assoc, pairs), a.Values...); err != nil {
			return err
		}
		if err := checkLinks(ctx, q, assoc, links, before); err != nil {
			return err
		}
	}
	return s.recordPairs(assoc, attached, detached)
}

// removeAttachments removes links from lists or tags that the user sees. A name means all with that
// name: a link can be in several, also of other users.
func (s *Store) removeAttachments(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.UserID, links []int64, refs []waymark.Ref) error {
	if len(links) == 0 || len(refs) == 0 {
		return nil
	}
	var ids []int64
	var names []string
	for _, ref := range refs {
		ids = append(ids, ref.ID) // 0 is the id of none
		if table.StorableText(ref.Name) {
			names = append(names, waymark.Fold(ref.Name))
		}
	}
	a := q.Args()
	detached, err := s.changePairs(ctx, q, assoc, `
		DELETE FROM `+assoc.Table+`
		WHERE link_id `+database.In(a, links)+` AND `+assoc.Column+` IN (
			SELECT e.id
			FROM `+assoc.Entities+` AS e
			WHERE e.id = `+assoc.Table+`.`+assoc.Column+` AND `+query.VisibleTo(a, "e.visible_to", user)+`
				AND (e.id `+database.In(a, ids)+` OR e.name_folded `+database.In(a, names)+`))`, a.Values...)
	if err != nil {
		return err
	}
	return s.recordPairs(assoc, nil, detached)
}

// changePairs runs a statement that changes associations. If the store records changes, it
// returns the pairs of a link and a list or tag that the statement has changed.
func (s *Store) changePairs(ctx context.Context, q database.Querier, assoc *query.Association, text string, args ...any) (pairs [][2]int64, err error) {
	if s.recording == nil {
		_, err := q.Exec(ctx, text, args...)
		return nil, err
	}
	return returnPairs(ctx, q, assoc, text, args...)
}

// returnPairs runs a statement on associations, and returns the pairs that it has changed.
func returnPairs(ctx context.Context, q database.Querier, assoc *query.Association, text string, args ...any) ([][2]int64, error) {
	return database.QueryAll(ctx, q, scanPair, text+`
		RETURNING link_id, `+assoc.Column, args...)
}

func scanPair(rows *sql.Rows, pair *[2]int64) error { return rows.Scan(&pair[0], &pair[1]) }

// UsableLists reports whether user can put a link into at least one of refs: it is a name, or the id
// of an active list that user sees.
func (s *Store) UsableLists(ctx context.Context, user waymark.UserID, refs []waymark.Ref) (bool, error) {
	r, err := resolve(ctx, s.db.Querier(), &query.LinkLists, user, refs)
	return r.anyUsable(refs), err
}

// UsableTags is UsableLists for tags.
func (s *Store) UsableTags(ctx context.Context, user waymark.UserID, refs []waymark.Ref) (bool, error) {
	r, err := resolve(ctx, s.db.Querier(), &query.LinkTags, user, refs)
	return r.anyUsable(refs), err
}

// insertAssociations inserts pairs of a link and a list or tag. Existing ones are kept.
func insertAssociations(ctx context.Context, q database.Querier, assoc *query.Association, pairs [][2]int64) error {
	if len(pairs) == 0 {
		return nil
	}
	a := q.Args()
	_, err := q.Exec(ctx, insertAssociationsSQL(a, assoc, pairs), a.Values...)
	return err
}

func insertAssociationsSQL(a *database.Args, assoc *query.Association, pairs [][2]int64) string {
	// Without WHERE SQLite would parse ON as a part of a join.
	return `
		INSERT INTO ` + assoc.Table + ` (link_id, ` + assoc.Column + `)
		SELECT CAST(value->>0 AS BIGINT), CAST(value->>1 AS BIGINT)
		FROM ` + a.Rows(pairs) + `
		WHERE true
		ON CONFLICT DO NOTHING`
}
