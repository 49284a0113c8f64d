package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"

	"waymark/internal/archive"
	"waymark/internal/fetch/article"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/query"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

func (in *archiveImport) addList(e archive.List) error {
	list, err := waymark.NewList(in.batch.owner, waymark.ListInput{Name: e.Name, Description: &e.Description, VisibilityInput: in.visibility(e.Visibility)})
	if err != nil {
		return err
	}
	list.CreatedAt, list.UpdatedAt, list.DeletedAt = in.times(e.Times)
	list.Position = min(max(e.Position, 0), waymark.MaxListPosition)
	if e.Editing != "" {
		if list.Editing, err = waymark.ParseEditing(e.Editing); err != nil {
			return waymark.Invalid(waymark.FieldWho, waymark.RuleExists)
		}
	}
	in.parents = append(in.parents, e.Parent)
	in.newLists, in.numbers = append(in.newLists, store.CollectedList{List: list, Pinned: e.Pinned, Editors: e.Editors}), append(in.numbers, e.Number)
	in.bytes += len(e.Name) + len(e.Description)
	return nil
}

func (in *archiveImport) addTag(e archive.Tag) error {
	tag, err := waymark.NewTag(in.batch.owner, waymark.TagInput{Name: e.Name, VisibilityInput: in.visibility(e.Visibility)})
	if err != nil {
		return err
	}
	tag.CreatedAt, tag.UpdatedAt, tag.DeletedAt = in.times(e.Times)
	in.newTags, in.numbers = append(in.newTags, store.CollectedTag{Tag: tag, Pinned: e.Pinned}), append(in.numbers, e.Number)
	return nil
}

func (in *archiveImport) addLink(e archive.Link, line int) error {
	in.link = lastLink{}
	clear(in.notes)
	status := waymark.Status(e.Status)
	snapshots := waymark.SnapshotChoice(e.Snapshots)
	link, err := waymark.NewLink(in.batch.owner, waymark.LinkInput{
		URL: e.URL, Title: &e.Title, Description: &e.Description, Status: &status, CheckDisabled: &e.CheckDisabled, Snapshots: &snapshots,
		VisibilityInput: in.visibility(e.Visibility),
	})
	if err != nil {
		return err
	}
	if e.ImageURL != "" {
		if waymark.ValidImageURL(e.ImageURL) {
			link.ImageURL = e.ImageURL
		} else {
			in.problems = append(in.problems, waymark.NewImportProblem(line, e.URL, true, waymark.Problem{Field: waymark.FieldImageURL, Rule: waymark.RuleFormat}))
		}
	}
	link.LinkFlags = waymark.LinkFlags{Unread: e.Unread, Archived: e.Archived, Favorite: e.Favorite}
	link.CreatedAt, link.UpdatedAt, link.DeletedAt = in.times(e.Times)
	link.SeenAt = in.time(e.SeenAt)
	row := archivedLink{LinkImport: waymark.LinkImport{Link: link, ListIDs: idsOf(in.lists, e.Lists), TagIDs: idsOf(in.tags, e.Tags)}}
	in.pairs += len(e.Lists) + len(e.Tags)
	in.bytes += len(e.URL) + len(e.Title) + len(e.Description)
	if link.DeletedAt != 0 {
		key := store.TrashedLink{URL: link.URL, CreatedAt: link.CreatedAt}
		in.trashed[key]++
		row.duplicates = in.trashed[key]
	} else if i, ok := in.byURL[link.URL]; ok {
		first := &in.links[i]
		first.ListIDs, first.TagIDs = append(first.ListIDs, row.ListIDs...), append(first.TagIDs, row.TagIDs...)
		in.link = lastLink{ok: true, index: i}
		in.counts.Merged++
		return nil
	} else {
		in.byURL[link.URL] = len(in.links)
	}
	in.link = lastLink{ok: true, index: len(in.links)}
	in.links, in.lines = append(in.links, row), append(in.lines, line)
	return nil
}

func (in *archiveImport) addNote(e archive.Note) error {
	if err := in.needLink("note", e.Link, e.URL); err != nil {
		return err
	}
	n, err := waymark.NewNote(in.batch.owner, 0, waymark.NoteInput{Text: e.Text, VisibilityInput: in.visibility(e.Visibility)})
	if err != nil {
		return err
	}
	n.CreatedAt, n.UpdatedAt, n.DeletedAt = in.times(e.Times)
	in.bytes += len(e.Text)
	key := archivedNoteKey{sha256.Sum256([]byte(e.URL + "\n" + e.Text)), n.CreatedAt}
	in.notes[key]++
	note := importedNote{Note: n, undated: e.Times == archive.Times{}, duplicates: in.notes[key]}
	if e.Link == 0 {
		link, err := waymark.NewLink(in.batch.owner, waymark.LinkInput{URL: e.URL, Title: &e.Title})
		if err != nil {
			return err
		}
		in.otherNotes = append(in.otherNotes, archivedOtherNote{importedNote: note, url: link.URL, title: link.Title})
		return nil
	}
	in.useLink()
	in.links[in.link.index].notes = append(in.links[in.link.index].notes, note)
	return nil
}

func (in *archiveImport) addPassage(e archive.Passage, line int) error {
	if err := in.needLink("passage", e.Link, e.URL); err != nil {
		return err
	}
	quote := waymark.Quote{Exact: e.Exact, Prefix: e.Prefix, Suffix: e.Suffix, Position: max(0, e.Position)}
	p, err := waymark.NewPassage(in.batch.owner.ID, 0, waymark.PassageInput{Quote: quote, Note: &e.Note})
	if err != nil {
		return err
	}
	p.CreatedAt, p.UpdatedAt, _ = in.times(archive.Times{CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt})
	size := len(p.Exact) + len(p.Note)
	if e.Link != 0 {
		in.addSnapshot(line, "", size, func(ctx context.Context, s *store.Store, link store.ImportedLink) error {
			return s.ImportPassage(ctx, link, p)
		})
		return nil
	}
	link, err := waymark.NewLink(in.batch.owner, waymark.LinkInput{URL: e.URL, Title: &e.Title})
	if err != nil {
		return err
	}
	in.bytes += size
	note := importedNote{Note: waymark.Note{CreatedAt: p.CreatedAt}}
	in.otherNotes = append(in.otherNotes, archivedOtherNote{importedNote: note, passage: &p, url: link.URL, title: link.Title})
	return nil
}

// needLink returns an error if the link of an entity could not be saved, or is not known. That of another user has no number, but a
// URL.
func (in *archiveImport) needLink(what string, number int, url string) error {
	switch {
	case number == 0 && url == "":
		return refused(waymark.FieldLink, waymark.RuleExists, "the "+what+" belongs to a link of another user that its author could no longer see: it cannot be saved")
	case number != 0 && !in.link.ok:
		return refused(waymark.FieldLink, waymark.RuleRequired, "the link of the "+what+" could not be saved")
	}
	return nil
}

// useLink adds the last link to the step again if the step before has saved it.
func (in *archiveImport) useLink() {
	if in.link.id == 0 {
		return
	}
	in.link.index = len(in.links)
	in.links, in.lines = append(in.links, archivedLink{LinkImport: waymark.LinkImport{Link: waymark.Link{ID: in.link.id}}}), append(in.lines, 0)
	in.link.id = 0
}

func (in *archiveImport) addTextSnapshot(e archive.TextSnapshot, line int) error {
	if err := in.needLink("snapshot", e.Link, ""); err != nil {
		return err
	}
	if len(e.HTML) > article.MaxHTML {
		return refused(waymark.FieldSnapshots, waymark.RuleMaxBytes, fmt.Sprintf("the snapshot has %d bytes, more than %d", len(e.HTML), article.MaxHTML))
	}
	html, _ := article.Sanitize(e.HTML)
	if html == "" {
		return refused(waymark.FieldSnapshots, waymark.RuleRequired, "the snapshot has no text")
	}
	if e.Direction != "ltr" && e.Direction != "rtl" {
		e.Direction = ""
	}
	snapshot := waymark.TextSnapshot{
		FetchedAt: cmp.Or(in.time(e.FetchedAt), in.now), URL: pageURL(e.URL), Title: e.Title, Byline: e.Byline, Language: e.Language, Direction: e.Direction,
	}
	at := waymark.ReadingPosition{Paragraph: e.Paragraph, PerMille: e.PerMille}
	if !at.Valid() {
		at = waymark.ReadingPosition{}
	}
	in.addSnapshot(line, snapshot.URL, len(html), func(ctx context.Context, s *store.Store, link store.ImportedLink) error {
		return s.ImportTextSnapshot(ctx, in.batch.owner.ID, link, snapshot, html, at, in.batch.transfer.snapshotQuota)
	})
	return nil
}

func (in *archiveImport) addFullSnapshot(e archive.FullSnapshot, line int) error {
	if err := in.needLink("full snapshot", e.Link, ""); err != nil {
		return err
	}
	if len(e.HTML) > singlefile.MaxBytes {
		return refused(waymark.FieldSnapshots, waymark.RuleMaxBytes, fmt.Sprintf("the snapshot has %d bytes, more than %d", len(e.HTML), singlefile.MaxBytes))
	}
	snapshot := waymark.FullSnapshot{FetchedAt: cmp.Or(in.time(e.FetchedAt), in.now), URL: pageURL(e.URL)}
	in.addSnapshot(line, snapshot.URL, len(e.HTML), func(ctx context.Context, s *store.Store, link store.ImportedLink) error {
		return s.ImportFullSnapshot(ctx, in.batch.owner.ID, link, snapshot, e.HTML, in.batch.transfer.snapshotQuota)
	})
	return nil
}

// addSnapshot adds a snapshot of the last link, of that many bytes, to the step.
func (in *archiveImport) addSnapshot(line int, url string, size int, save func(context.Context, *store.Store, store.ImportedLink) error) {
	in.useLink()
	in.bytes += size
	in.snapshots = append(in.snapshots, archivedSnapshot{in.link.index, line, url, save})
}

// pageURL returns the URL of a page that a server has sent, "" for one that no server can have,
// such as javascript:.
func pageURL(url string) string {
	if !waymark.ValidPageURL(url) {
		return ""
	}
	return url
}

func (in *archiveImport) addSearch(e archive.SavedSearch, line int) error {
	saved := query.MapSaved(e.Query, func(c waymark.Condition) waymark.Condition {
		if labeled, ok := c.(waymark.Labeled); ok {
			return numbered(labeled, func(number int64) int64 { return int64(in.lists[int(number)]) }, func(number int64) int64 { return int64(in.tags[int(number)]) })
		}
		return c
	})
	search := waymark.SavedSearch{Owner: in.batch.owner.ID, CreatedAt: cmp.Or(in.time(e.CreatedAt), in.now)}
	if err := (waymark.SavedSearchInput{Name: &e.Name, Query: &saved, Order: &e.Order, InLists: &e.InLists, Public: &e.Public}).Apply(&search); err != nil {
		return err
	}
	in.searches, in.searchLines = append(in.searches, search), append(in.searchLines, line)
	return nil
}

func (in *archiveImport) addBundle(e archive.Bundle, line int) error {
	b := waymark.Bundle{
		Owner: in.batch.owner.ID, Name: e.Name, Search: e.Search, AnyTags: e.AnyTags, AllTags: e.AllTags, ExcludedTags: e.ExcludedTags,
		Unread: cmp.Or(waymark.FilterState(e.Unread), waymark.FilterOff), Shared: cmp.Or(waymark.FilterState(e.Shared), waymark.FilterOff), Position: e.Position,
	}
	b.CreatedAt = cmp.Or(in.time(e.CreatedAt), in.time(e.UpdatedAt), in.now)
	b.UpdatedAt = cmp.Or(in.time(e.UpdatedAt), b.CreatedAt)
	if err := b.Validate(); err != nil {
		return err
	}
	in.bundles, in.bundleLines = append(in.bundles, b), append(in.bundleLines, line)
	return nil
}

func (in *archiveImport) addKeptApart(e archive.KeptApart) error {
	pair := store.KeptApart{Kind: waymark.Links}
	switch {
	case len(e.URLs) == 2 && len(e.Tags) == 0:
		for i, to := range []*string{&pair.A, &pair.B} {
			link, err := waymark.NewLink(in.batch.owner, waymark.LinkInput{URL: e.URLs[i]})
			if err != nil {
				return err
			}
			*to = link.URL
		}
	case len(e.Tags) == 2 && len(e.URLs) == 0:
		pair.Kind = waymark.Tags
		for i, to := range []*string{&pair.A, &pair.B} {
			tag, err := waymark.NewTag(in.batch.owner, waymark.TagInput{Name: e.Tags[i]})
			if err != nil {
				return err
			}
			*to = waymark.Fold(tag.Name)
		}
	}
	if pair.A == pair.B || pair.Kind == waymark.Links && waymark.WeakURLKey(pair.A) != waymark.WeakURLKey(pair.B) {
		return refused(waymark.FieldLine, waymark.RuleFormat, "only two links of one page, or two tags, can be kept apart")
	}
	in.apart = append(in.apart, pair)
	in.bytes += len(pair.A) + len(pair.B)
	return nil
}

// times returns the times of an entity, not later than now. A missing time of creation is replaced by another time of
// the entity, so that the next import finds it again. Without any time, it is now.
func (in *archiveImport) times(t archive.Times) (created, updated, deleted waymark.Time) {
	created = cmp.Or(in.time(t.CreatedAt), in.time(t.UpdatedAt), in.time(t.DeletedAt), in.now)
	return created, cmp.Or(in.time(t.UpdatedAt), created), in.time(t.DeletedAt)
}

// time returns a time of the archive, or now if it is in the future: what is newest is shown first, for good.
func (in *archiveImport) time(t archive.Time) waymark.Time {
	in.future = in.future || waymark.Time(t) > in.now
	return min(waymark.Time(t), in.now)
}

// visibility returns the input for a visibility of the archive, which can be 0 for the default.
// What is private in the archive stays private: see waymark.ImportOptions.
func (in *archiveImport) visibility(v archive.Visibility) waymark.VisibilityInput {
	visibility := waymark.Visibility(v)
	if chosen := in.batch.state.Options.Visibility; chosen != 0 && visibility != waymark.Private {
		visibility = chosen
	}
	if visibility == 0 {
		return waymark.VisibilityInput{}
	}
	return waymark.VisibilityInput{Visibility: &visibility}
}

// idsOf returns the ids of lists or tags that could be saved.
func idsOf[ID comparable](ids map[int]ID, numbers []int) []ID {
	var found []ID
	for _, number := range numbers {
		if id, ok := ids[number]; ok {
			found = append(found, id)
		}
	}
	return found
}
