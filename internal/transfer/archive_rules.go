package transfer

import (
	"context"
	"slices"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// This file has the rules for the entities of an archive that the account has already. An import that
// was interrupted can start again: it finds what it has saved.
//
//   - A link whose URL the account has gets the lists, tags and notes in addition.
//   - A link of the trash is added unless the trash has as many with the same URL and time of creation.
//   - A note is added unless its link has as many with the same text and time of creation.
//   - A note on a link of another user goes to a link of another user with its URL that the owner sees,
//     otherwise to the owner's link with the URL, otherwise to a new private one.
//   - Saved searches are added unless the account has as many with the same name, and the same query or time of
//     creation, until there are waymark.MaxSavedSearches. Bundles are added likewise.

// archivedLink is a link of an archive. With an ID, it was saved before, and only the notes are new.
type archivedLink struct {
	waymark.LinkImport
	notes []importedNote
	// duplicates is the number of links in the trash with the same URL and time of creation that the
	// archive has so far, this one included.
	duplicates int
}

// archivedOtherNote is a note or a passage of an archive in a link of another user.
type archivedOtherNote struct {
	importedNote
	passage    *waymark.Passage // nil for a note
	url, title string           // of the link
}

// saveArchivedLinks saves links with their lists, tags and notes.
func saveArchivedLinks(ctx context.Context, s *store.Store, owner waymark.User, all []archivedLink) ([]store.ImportedLink, error) {
	imported, err := decideArchived(ctx, s, owner.ID, all)
	if err != nil {
		return nil, err
	}
	rows := waymark.Map(all, func(e archivedLink) waymark.LinkImport { return e.LinkImport })
	if err := s.SaveImportedLinks(ctx, owner, rows, imported); err != nil {
		return nil, err
	}
	var notes []importedNote
	var known []waymark.LinkID
	for i := range all {
		for _, n := range all[i].notes {
			n.Link = imported[i].ID
			notes = append(notes, n)
		}
		if imported[i].Outcome != store.LinkAdded && len(all[i].notes) > 0 {
			known = append(known, imported[i].ID)
		}
	}
	added, err := insertMissingNotes(ctx, s, owner.ID, notes, known)
	for i := range imported {
		imported[i].Changed = imported[i].Changed || added[imported[i].ID]
	}
	skipUnchanged(imported)
	return imported, err
}

// decideArchived says which links are added, and finds the others.
func decideArchived(ctx context.Context, s *store.Store, owner waymark.UserID, all []archivedLink) ([]store.ImportedLink, error) {
	var urls, toTrash []string
	for i := range all {
		switch link := &all[i].Link; {
		case link.ID != 0:
		case link.DeletedAt != 0:
			toTrash = append(toTrash, link.URL)
		default:
			urls = append(urls, link.URL)
		}
	}
	active, err := s.LinksByURL(ctx, owner, urls)
	if err != nil {
		return nil, err
	}
	trashed, err := s.LinksInTrash(ctx, owner, toTrash)
	if err != nil {
		return nil, err
	}
	imported := make([]store.ImportedLink, len(all))
	for i := range all {
		link := &all[i].Link
		id := link.ID
		switch {
		case id != 0:
		case link.DeletedAt != 0:
			if duplicates := trashed[store.TrashedLink{URL: link.URL, CreatedAt: link.CreatedAt}]; len(duplicates) >= all[i].duplicates {
				id = duplicates[all[i].duplicates-1]
			}
		default:
			id = active[link.URL]
		}
		imported[i] = store.ImportedLink{ID: id, Outcome: store.LinkUpdated}
		if id == 0 {
			imported[i].Outcome = store.LinkAdded
		}
	}
	return imported, nil
}

// saveOtherNotes saves notes on links of other users. It returns the number of links that it added.
func saveOtherNotes(ctx context.Context, s *store.Store, owner waymark.User, all []archivedOtherNote) (int, error) {
	urls := waymark.Map(all, func(e archivedOtherNote) string { return e.url })
	found, err := s.LinksByURL(ctx, owner.ID, urls)
	if err != nil {
		return 0, err
	}
	others, err := s.LinksOfOthers(ctx, owner.ID, urls)
	if err != nil {
		return 0, err
	}
	for url, id := range others {
		found[url] = id
	}
	var missing []waymark.LinkImport
	for i := range all {
		if _, ok := found[all[i].url]; !ok {
			found[all[i].url] = 0
			now := all[i].CreatedAt
			missing = append(missing, waymark.LinkImport{Link: waymark.Link{
				URL: all[i].url, Title: all[i].title, Visibility: waymark.Private, Status: waymark.StatusOK, CreatedAt: now, UpdatedAt: now,
			}})
		}
	}
	imported := slices.Repeat([]store.ImportedLink{{Outcome: store.LinkAdded}}, len(missing))
	if err := s.SaveImportedLinks(ctx, owner, missing, imported); err != nil {
		return 0, err
	}
	for i := range missing {
		found[missing[i].Link.URL] = imported[i].ID
	}
	var notes []importedNote
	var known []waymark.LinkID
	for _, n := range all {
		link := found[n.url]
		if n.passage != nil {
			if err := s.ImportPassage(ctx, store.ImportedLink{ID: link}, *n.passage); err != nil {
				return 0, err
			}
			continue
		}
		n.Link = link
		notes, known = append(notes, n.importedNote), append(known, link)
	}
	_, err = insertMissingNotes(ctx, s, owner.ID, notes, known)
	return len(missing), err
}

// withoutExisting returns the new entities, as many as limit allows beside the existing ones. left is the index of the
// first one that was left out, -1 for none.
func withoutExisting[E any](all, existing []E, limit int, same func(archived, existing E) bool) (added []E, left int) {
	existing = slices.Clone(existing)
	free := limit - len(existing)
	for i, e := range all {
		if at := slices.IndexFunc(existing, func(x E) bool { return same(e, x) }); at >= 0 {
			existing = slices.Delete(existing, at, at+1)
		} else if len(added) >= free {
			return added, i
		} else {
			added = append(added, e)
		}
	}
	return added, -1
}
