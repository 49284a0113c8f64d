package store

import (
	"context"
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
			errs = append(errs, checkRefs(assoc, r, refs, of.indexes[i], 0, limitOf(assoc, waymark.MaxLinkLists)))
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
	if err := insertAssociations(ctx, q, assoc, pairs, true); err != nil || assoc.Kind != waymark.Lists {
		return err
	}
	return s.noteFiled(ctx, q, user.ID, false, filed{put: waymark.Map(pairs, func(p [2]int64) membership { return membership{p, true} })})
}

// setAttachments adds links to lists or tags, or removes them, the same for all links, and returns what it has changed.
// With waymark.ReplaceRefs it removes the links from all others that the user sees, and from all in the
// trash: a list or tag that is restored must not return to a link whose lists or tags were replaced
// since. It then returns a waymark.ValidationError if there are refs but none can be used, even
// without links. Without links it changes nothing.
//
// The links are the user's own or, if ofOthers is set, those of others: then only lists change that the user edits, and
// tags of their own.
func (s *Store) setAttachments(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.User, links []int64, ofOthers bool, refs []waymark.Ref, mode waymark.RefsMode, limit int) (done filed, err error) {
	resolved, err := resolve(ctx, q, assoc, user.ID, refs)
	if err != nil {
		return done, err
	}
	if mode == waymark.ReplaceRefs && len(refs) > 0 && !resolved.anyUsable(refs) {
		return done, waymark.Invalid(inputField(assoc), waymark.RuleExists)
	}
	if len(links) == 0 {
		return done, nil
	}
	var before map[int64]int
	if len(refs) > 0 && mode != waymark.RemoveRefs {
		if before, err = aboveLimit(ctx, q, assoc, links, ofOthers, limit); err != nil {
			return done, err
		}
		if err := checkRefs(assoc, resolved, refs, 0, slices.Max(append(slices.Collect(maps.Values(before)), 0)), limit); err != nil {
			return done, err
		}
		if err := s.createMissing(ctx, q, assoc, user, refs, resolved); err != nil {
			return done, err
		}
	}
	ids, among := resolved.ids(refs), condition(nil)
	if ofOthers {
		of := links
		if mode == waymark.AppendRefs {
			of = nil
		}
		permitted, err := s.permittedLabels(ctx, q, assoc, user, of, ids)
		if err != nil {
			return done, err
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool { return !slices.Contains(permitted, id) })
		among = func(a *database.Args) string { return assoc.Column + " " + database.In(a, permitted) }
	}
	if mode != waymark.AppendRefs {
		if done.taken, err = s.detachAll(ctx, q, assoc, user.ID, links, among, refs, ids, mode); err != nil {
			return done, err
		}
	}
	if mode != waymark.RemoveRefs && len(ids) > 0 {
		var pairs [][2]int64
		for _, link := range links {
			for _, id := range ids {
				pairs = append(pairs, [2]int64{link, id})
			}
		}
		a := q.Args()
		if done.put, err = s.changePairs(ctx, q, assoc, insertAssociationsSQL(a, assoc, pairs, !ofOthers), a.Values...); err != nil {
			return done, err
		}
		if err := checkLinks(ctx, q, assoc, links, ofOthers, before, limit); err != nil {
			return done, err
		}
	}
	return done, s.recordPairs(assoc, pairsOf(done.put), done.taken)
}

// detachAll removes links from lists or tags that the user sees. To replace them, it keeps those with ids, so that it is
// not forgotten who has put the links there. To remove them, a name means all with that name: a link can be in several,
// also of other users.
func (s *Store) detachAll(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.UserID, links []int64, among condition, refs []waymark.Ref, ids []int64, mode waymark.RefsMode) ([]membership, error) {
	a := q.Args()
	text := `
		DELETE FROM ` + assoc.Table + `
		WHERE link_id ` + database.In(a, links) + among.And(a) + ` AND ` + assoc.Column + ` IN (
			SELECT e.id
			FROM ` + assoc.Entities + ` AS e
			WHERE e.id = ` + assoc.Table + `.` + assoc.Column + ` AND `
	if mode == waymark.ReplaceRefs {
		return s.changePairs(ctx, q, assoc, text+`(e.visible_to IS NULL OR `+query.VisibleTo(a, "e.visible_to", user)+`) AND NOT e.id `+database.In(a, ids)+`)`, a.Values...)
	}
	if len(refs) == 0 {
		return nil, nil
	}
	var named []int64
	var names []string
	for _, ref := range refs {
		named = append(named, ref.ID) // 0 is the id of none
		if table.StorableText(ref.Name) {
			names = append(names, waymark.Fold(ref.Name))
		}
	}
	return s.changePairs(ctx, q, assoc, text+query.VisibleTo(a, "e.visible_to", user)+`
				AND (e.id `+database.In(a, named)+` OR e.name_folded `+database.In(a, names)+`))`, a.Values...)
}

// permittedLabels returns those among ids, and among the lists or tags of links, to which the user may attach links of
// others.
func (s *Store) permittedLabels(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.User, links, ids []int64) ([]int64, error) {
	has, _, err := attachedTo(ctx, q, assoc, links)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(ids)
	for pair := range has {
		all = append(all, pair[1])
	}
	all = table.Unique(all)
	targets := map[int64]waymark.Target{}
	if assoc.Kind == waymark.Lists {
		targets, err = s.listTargets(ctx, q, user.ID, all)
	} else {
		var owners map[int64]waymark.UserID
		owners, err = activeOwners(ctx, q, assoc.Kind, all)
		for id, owner := range owners {
			targets[id] = waymark.Target{Kind: assoc.Kind, Owner: owner}
		}
	}
	return slices.DeleteFunc(all, func(id int64) bool {
		target, ok := targets[id]
		return !ok || user.MayWrite(target) != nil
	}), err
}

// AnyUsable reports whether user can attach a link to at least one of some lists or tags: it is a name, or the id of an
// active one that user sees.
func (s *Store) AnyUsable(ctx context.Context, user waymark.UserID, kind waymark.EntityKind, refs []waymark.Ref) (bool, error) {
	r, err := resolve(ctx, s.db.Querier(), assocOf(kind), user, refs)
	return r.anyUsable(refs), err
}
