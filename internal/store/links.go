package store

import (
	"cmp"
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// Links lists the links that viewer sees.
func (s *Store) Links(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	return newListing(s, &links, linkRows, viewer, order, pagination)
}

// Link returns an active link. It returns waymark.ErrNotFound if there is no such link,
// and waymark.ErrForbidden if viewer may not see it.
func (s *Store) Link(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.Link, error) {
	link, err := s.linkByID(ctx, viewer, id)
	switch {
	case err != nil:
		return waymark.Link{}, err
	case link.DeletedAt != 0:
		return waymark.Link{}, waymark.ErrNotFound
	case !viewer.MaySee(link.Owner, link.Visibility):
		return waymark.Link{}, waymark.ErrForbidden
	}
	return link, nil
}

// TrashedLink returns a link of owner's own that is in the trash, with its lists and tags. It
// returns waymark.ErrNotFound if there is no such link, also if it is in the trash of another user.
func (s *Store) TrashedLink(ctx context.Context, owner waymark.UserID, id waymark.LinkID) (waymark.Link, error) {
	link, err := s.linkByID(ctx, owner, id)
	switch {
	case err != nil:
		return waymark.Link{}, err
	case link.DeletedAt == 0, link.Owner != owner:
		return waymark.Link{}, waymark.ErrNotFound
	}
	return link, nil
}

// linkByID returns an active link or one in the trash, with the lists and tags that viewer sees. It
// does not check whether viewer may see the link.
func (s *Store) linkByID(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.Link, error) {
	found, err := linkRows(nil)(ctx, s.db.Querier(), viewer, []int64{int64(id)})
	if err != nil {
		return waymark.Link{}, err
	}
	if len(found) == 0 {
		return waymark.Link{}, waymark.ErrNotFound
	}
	return found[0], nil
}

// CheckLink returns the error of Link without reading the lists and tags.
func (s *Store) CheckLink(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) error {
	_, err := links.GetVisible(ctx, s.db.Querier(), viewer, int64(id))
	return err
}

// HasURL reports whether viewer sees an active link with exactly that URL.
func (s *Store) HasURL(ctx context.Context, viewer waymark.UserID, url string) (bool, error) {
	if !table.StorableText(url) {
		return false, nil
	}
	q := s.db.Querier()
	a := q.Args(url)
	return database.Exists(ctx, q, "links AS e WHERE e.url_hash "+database.In(a, []database.Hex{table.URLHash(url)})+" AND e.url = $1 AND "+query.VisibleTo(a, "e.visible_to", viewer), a.Values...)
}

// LinkByURL returns the owner's own link with exactly that URL: the active one, or the one that was
// moved to the trash last, or waymark.ErrNotFound.
func (s *Store) LinkByURL(ctx context.Context, owner waymark.UserID, url string) (waymark.Link, error) {
	if !table.StorableText(url) {
		return waymark.Link{}, waymark.ErrNotFound
	}
	q := s.db.Querier()
	a := q.Args(owner, url)
	hash := database.In(a, []database.Hex{table.URLHash(url)})
	return links.Get(ctx, q, `e.id = coalesce((
			SELECT l.id
			FROM links AS l
			WHERE l.url_hash `+hash+` AND l.user_id = $1 AND l.url = $2 AND l.visible_to IS NOT NULL
		), (
			SELECT l.id
			FROM links AS l
			WHERE l.user_id = $1 AND l.visible_to IS NULL AND l.url_hash `+hash+` AND l.url = $2
			ORDER BY l.deleted_at DESC, l.id DESC
			LIMIT 1))`, a.Values...)
}

// CreateLink creates a link of owner with its lists and tags. It creates a list or tag for each name
// that none of owner's has. It returns waymark.ErrConflict if owner already has a link with the URL,
// and a waymark.ValidationError if a limit is exceeded.
func (s *Store) CreateLink(ctx context.Context, owner waymark.User, draft waymark.LinkDraft) (link waymark.Link, err error) {
	if err := waymark.CheckPairs(len(draft.Lists) + len(draft.Tags)); err != nil {
		return link, err
	}
	err = s.userTx(ctx, owner.ID, func(ctx context.Context, q database.Querier) error {
		ids, err := s.insertLinks(ctx, q, owner, []waymark.LinkDraft{draft}, true)
		if err != nil {
			return err
		}
		created, err := linkRows(nil)(ctx, q, owner.ID, ids)
		if err == nil {
			link = created[0]
		}
		return err
	})
	return link, err
}

// CreateLinks creates many links, all or none, as CreateLink does. It returns a
// waymark.ConflictError if owner already has some of the URLs, or if a URL appears twice.
func (s *Store) CreateLinks(ctx context.Context, owner waymark.User, drafts []waymark.LinkDraft) (Changed[waymark.Link], error) {
	pairs := 0
	for _, draft := range drafts {
		pairs += len(draft.Lists) + len(draft.Tags)
	}
	if err := waymark.CheckPairs(pairs); err != nil {
		return Changed[waymark.Link]{}, err
	}
	var created Changed[waymark.Link]
	err := s.bulk(ctx, owner.ID, func(ctx context.Context, q database.Querier) error {
		ids, err := s.insertLinks(ctx, q, owner, drafts, false)
		if err != nil {
			return err
		}
		created = Changed[waymark.Link]{viewer: owner.ID, ids: ids, rows: linkRows}
		return nil
	})
	return created, err
}

// insertLinks inserts new links with their lists and tags, and queues their pages. It returns the
// ids. byHand is as in Queue.AddPages.
func (s *Store) insertLinks(ctx context.Context, q database.Querier, owner waymark.User, drafts []waymark.LinkDraft, byHand bool) ([]int64, error) {
	now := s.now()
	rows, urls := make([]waymark.Link, len(drafts)), make([]string, len(drafts))
	for i, draft := range drafts {
		rows[i], urls[i] = draft.Link, draft.Link.URL
		rows[i].Owner = owner.ID
		rows[i].CreatedAt, rows[i].UpdatedAt = cmp.Or(rows[i].CreatedAt, now), cmp.Or(rows[i].UpdatedAt, now)
	}
	if err := showInLists(ctx, q, owner.ID, drafts, rows); err != nil {
		return nil, err
	}
	switch indexes, err := duplicateURLs(ctx, q, owner.ID, urls, 0); {
	case err != nil:
		return nil, err
	case len(indexes) > 0:
		return nil, &waymark.ConflictError{Indexes: indexes}
	}
	ids, err := table.InsertBatches[waymark.LinkID](ctx, q, &links.Table, rows)
	if err != nil {
		return nil, err
	}
	var inLists, withTags attachments
	pages := make([]queue.WantedPage, len(drafts))
	for i, draft := range drafts {
		inLists.add(i, ids[i], draft.Lists)
		withTags.add(i, ids[i], draft.Tags)
		pages[i] = s.Queue.NewPage(ids[i], draft.Link)
		if draft.NoTexts {
			pages[i] = pages[i].Without(waymark.TextParts)
		}
	}
	if err := waymark.JoinInvalid(
		s.attach(ctx, q, &query.LinkLists, owner, inLists),
		s.attach(ctx, q, &query.LinkTags, owner, withTags)); err != nil {
		return nil, err
	}
	if err := s.Queue.AddPages(ctx, q, owner.ID, pages, byHand); err != nil {
		return nil, err
	}
	plain := table.PlainIDs(ids)
	return plain, recordInserted(ctx, s, q, &links, plain, false)
}

// showInLists makes new links at least as visible as the lists that their owner edits together with others.
func showInLists(ctx context.Context, q database.Querier, owner waymark.UserID, drafts []waymark.LinkDraft, rows []waymark.Link) error {
	var refs []waymark.Ref
	for _, draft := range drafts {
		if draft.AsLists {
			refs = append(refs, draft.Lists...)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	resolved, err := resolve(ctx, q, &query.LinkLists, owner, refs)
	if err != nil {
		return err
	}
	above, err := lockedAbove(ctx, q, owner, resolved.ids(refs))
	if err != nil {
		return err
	}
	for i, draft := range drafts {
		if !draft.AsLists {
			continue
		}
		for _, id := range resolved.ids(draft.Lists) {
			if list := waymark.ListID(id); above.isEditor(owner, list) {
				rows[i].Visibility = min(rows[i].Visibility, above[list].visibility)
			}
		}
	}
	return nil
}

// OwnLink returns the user's own active link. That of another user is waymark.ErrForbidden.
func (s *Store) OwnLink(ctx context.Context, user waymark.User, id waymark.LinkID) (waymark.Link, error) {
	link, err := s.Link(ctx, user.ID, id)
	if err != nil {
		return link, err
	}
	return link, user.MayWrite(waymark.Target{Kind: waymark.Links, Owner: link.Owner})
}

// DuplicateURLs returns the indexes of the URLs that an active link of owner already
// has, not counting except, or that appear earlier in urls.
func (s *Store) DuplicateURLs(ctx context.Context, owner waymark.UserID, urls []string, except waymark.LinkID) ([]int, error) {
	return duplicateURLs(ctx, s.db.Querier(), owner, urls, except)
}

func duplicateURLs(ctx context.Context, q database.Querier, owner waymark.UserID, urls []string, except waymark.LinkID) (indexes []int, err error) {
	hashes := waymark.Map(urls, table.URLHash)
	a := q.Args(owner, except)
	known := map[database.Hex]bool{}
	for hash, err := range database.QueryEach(ctx, q, database.ScanValue[[]byte], `
		SELECT url_hash
		FROM links
		WHERE url_hash `+database.In(a, hashes)+` AND user_id = $1 AND id <> $2 AND visible_to IS NOT NULL`, a.Values...) {
		if err != nil {
			return nil, err
		}
		known[database.NewHex(hash)] = true
	}
	for i, hash := range hashes {
		if known[hash] {
			indexes = append(indexes, i)
		}
		known[hash] = true
	}
	return indexes, nil
}

// ChangeLink updates an active link with the function change, and replaces its lists and
// tags if they are not nil: of a link of another user only lists that the editor edits, and their own tags. If change
// returns an error, nothing is stored. target is what a write to the texts of the link needs.
func (s *Store) ChangeLink(ctx context.Context, editor waymark.User, id waymark.LinkID, inLists, withTags *[]waymark.Ref, change func(link *waymark.Link, target waymark.Target) error) (waymark.Link, error) {
	var link waymark.Link
	err := s.userTx(ctx, editor.ID, func(ctx context.Context, q database.Querier) (err error) {
		if err := lockOwners(ctx, q, editor.ID, waymark.Links, []int64{int64(id)}); err != nil {
			return err
		}
		if link, err = links.GetActive(ctx, q, int64(id)); err != nil {
			return err
		}
		target, by, err := s.textsTarget(ctx, q, editor.ID, link)
		if err != nil {
			return err
		}
		before, ofOthers := link, by != 0
		if err := change(&link, target); err != nil {
			return err
		}
		update := func(s *Store) error { return s.updateLink(ctx, q, before, link, true) }
		if ofOthers {
			err = s.editShared(ctx, q, editor.ID, id, by, update)
		} else {
			err = update(s)
		}
		if err != nil {
			return err
		}
		set := func(assoc *query.Association, refs *[]waymark.Ref) (filed, error) {
			if refs == nil {
				return filed{}, nil
			}
			return s.setAttachments(ctx, q, assoc, editor, []int64{int64(id)}, ofOthers, *refs, waymark.ReplaceRefs, limitOf(assoc, waymark.MaxLinkLists))
		}
		done, listsErr := set(&query.LinkLists, inLists)
		_, tagsErr := set(&query.LinkTags, withTags)
		if err := waymark.JoinInvalid(listsErr, tagsErr); err != nil {
			return err
		}
		if err := s.noteFiled(ctx, q, editor.ID, ofOthers, done); err != nil {
			return err
		}
		changed, err := linkRows(nil)(ctx, q, editor.ID, []int64{int64(id)})
		if err == nil {
			link = changed[0]
		}
		return err
	})
	return link, err
}

// updateLink updates a link, records the change, and lets its page be fetched if it has another URL, for example.
// byHand is as in Queue.AddPages.
func (s *Store) updateLink(ctx context.Context, q database.Querier, before, after waymark.Link, byHand bool) error {
	after.UpdatedAt = s.now()
	if after.URL != before.URL {
		if err := s.recordCheck(ctx, q, before); err != nil {
			return err
		}
	}
	if err := recorded(ctx, s, q, &links.Table, []int64{int64(after.ID)}, func() error {
		return links.Update(ctx, q, int64(after.ID), &after)
	}); err != nil {
		return err
	}
	return s.Queue.AddChangedPage(ctx, q, before, after, byHand)
}

// MarkSeen records that the owner of an active link has looked at it now. That is no edit.
func (s *Store) MarkSeen(ctx context.Context, owner waymark.User, id waymark.LinkID) (link waymark.Link, err error) {
	err = s.userTx(ctx, owner.ID, func(ctx context.Context, q database.Querier) error {
		if link, err = links.GetActive(ctx, q, int64(id)); err != nil {
			return err
		}
		if err := owner.MayWrite(waymark.Target{Kind: waymark.Links, Owner: link.Owner}); err != nil {
			return err
		}
		if err := recorded(ctx, s, q, &links.Table, []int64{int64(id)}, func() error {
			_, err := q.Exec(ctx, `
				UPDATE links
				SET seen_at = $1
				WHERE id = $2`, s.now(), id)
			return err
		}); err != nil {
			return err
		}
		seen, err := linkRows(nil)(ctx, q, owner.ID, []int64{int64(id)})
		if err == nil {
			link = seen[0]
		}
		return err
	})
	return link, err
}
