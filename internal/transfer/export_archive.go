package transfer

import (
	"bufio"
	"errors"
	"io"
	"slices"

	"waymark/internal/archive"
	"waymark/internal/query"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// writeArchive writes everything in a collection.
func writeArchive(c *store.Collection, w io.Writer) error {
	out := &archiveExport{collection: c, archive: archive.NewWriter(w), lists: map[waymark.ListID]int{}, tags: map[waymark.TagID]int{}}
	for _, write := range []func() error{
		out.writeSettings, out.writeLists, out.writeTags, out.writeLinks, out.writeNotesOnOtherLinks, out.writePassagesInOtherLinks, out.writeSavedSearches, out.writeBundles, out.writeKeptApart,
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return out.archive.Close()
}

// archiveExport writes the archive of a collection.
type archiveExport struct {
	collection *store.Collection
	archive    *archive.Writer
	user       waymark.User // the owner

	// The numbers of the lists and tags in the archive.
	lists map[waymark.ListID]int
	tags  map[waymark.TagID]int
}

func (e *archiveExport) writeSettings() error {
	user, settings, err := e.collection.Settings()
	if err != nil {
		return err
	}
	e.user = user
	e.archive.Write(archivedSettings(user, settings))
	return nil
}

func (e *archiveExport) writeLists() error {
	editors, err := e.collection.NamedEditors()
	if err != nil {
		return err
	}
	for list, err := range e.collection.Lists() {
		if err != nil {
			return err
		}
		e.lists[list.ID] = len(e.lists) + 1
		editing := ""
		if list.Editing != waymark.EditedAsParent {
			editing = list.Editing.String()
		}
		e.archive.Write(archive.List{
			Number: e.lists[list.ID], Name: list.Name, Description: list.Description, Visibility: archive.Visibility(list.Visibility),
			Pinned: list.Pinned, Parent: e.lists[list.Parent], Position: list.Position,
			Editing: editing, Editors: editors[list.ID],
			Times: archivedTimes(list.CreatedAt, list.UpdatedAt, list.DeletedAt),
		})
	}
	return nil
}

func (e *archiveExport) writeTags() error {
	for tag, err := range e.collection.Tags() {
		if err != nil {
			return err
		}
		e.tags[tag.ID] = len(e.tags) + 1
		e.archive.Write(archive.Tag{
			Number: e.tags[tag.ID], Name: tag.Name, Visibility: archive.Visibility(tag.Visibility),
			Pinned: tag.Pinned, Times: archivedTimes(tag.CreatedAt, tag.UpdatedAt, tag.DeletedAt),
		})
	}
	return nil
}

// writeLinks writes each link, its snapshot, its full snapshot, its attachments, its passages, and then its notes.
func (e *archiveExport) writeLinks() error {
	withSnapshot, err := e.collection.LinksWithTextSnapshot()
	if err != nil {
		return err
	}
	saved, err := e.collection.LinksWithFullSnapshot()
	if err != nil {
		return err
	}
	attached, err := e.collection.LinksWithAttachments()
	if err != nil {
		return err
	}
	marked, err := e.collection.LinksWithPassages()
	if err != nil {
		return err
	}
	number := 0 // of the link
	for row, err := range e.collection.Links() {
		if err = errors.Join(err, e.archive.Err()); err != nil {
			return err
		}
		if row.Link == nil {
			e.archive.Write(newArchiveNote(*row.Note, number))
			continue
		}
		number++
		e.archive.Write(e.archivedLink(row.Link, number))
		for _, part := range []struct {
			links map[waymark.LinkID]bool // that have it
			write func(id waymark.LinkID, number int) error
		}{{withSnapshot, e.writeSnapshot}, {saved, e.writeFullSnapshot}, {attached, e.writeAttachments}, {marked, e.writePassages}} {
			if part.links[row.Link.ID] {
				if err := part.write(row.Link.ID, number); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (e *archiveExport) archivedLink(l *store.CollectedLink, number int) archive.Link {
	return archive.Link{
		Number: number, URL: l.URL, Title: l.Title, Description: l.Description, ImageURL: l.ImageURL,
		Visibility: archive.Visibility(l.Visibility), Status: archive.Status(l.Status), CheckDisabled: l.CheckDisabled, Snapshots: string(l.Snapshots),
		Unread: l.Unread, Archived: l.Archived, Favorite: l.Favorite,
		Lists: numbersOf(e.lists, l.ListIDs), Tags: numbersOf(e.tags, l.TagIDs), SeenAt: archive.Time(l.SeenAt),
		Times: archivedTimes(l.CreatedAt, l.UpdatedAt, l.DeletedAt),
	}
}

// writeSnapshot writes the snapshot of the page of the link with a number, and how far the user has read it.
func (e *archiveExport) writeSnapshot(id waymark.LinkID, number int) error {
	saved, html, at, err := e.collection.TextSnapshot(id)
	if err != nil {
		return err
	}
	e.archive.Write(archive.TextSnapshot{
		Link: number, URL: saved.URL, Title: saved.Title, Byline: saved.Byline, Language: saved.Language, Direction: saved.Direction,
		HTML: html, FetchedAt: archive.Time(saved.FetchedAt), Paragraph: at.Paragraph, PerMille: at.PerMille,
	})
	return nil
}

// writeFullSnapshot writes the full snapshot of the link with a number.
func (e *archiveExport) writeFullSnapshot(id waymark.LinkID, number int) error {
	saved, file, err := e.collection.FullSnapshot(id)
	if err != nil {
		return err
	}
	e.archive.Write(archive.FullSnapshot{Link: number, URL: saved.URL, HTML: file, FetchedAt: archive.Time(saved.FetchedAt)})
	return nil
}

// writeAttachments writes the attachments of the link with a number, with their files.
func (e *archiveExport) writeAttachments(id waymark.LinkID, number int) error {
	all, err := e.collection.Attachments(id)
	if err != nil {
		return err
	}
	for _, a := range all {
		e.archive.Write(archive.Attachment{
			Link: number, FullSnapshot: a.FullSnapshot, Name: a.Name, ContentType: a.ContentType, Size: a.Size, CreatedAt: archive.Time(a.CreatedAt),
		})
		lines := bufio.NewWriterSize(dataWriter{e.archive}, archive.MaxData)
		if err := errors.Join(e.collection.CopyAttachment(a, lines), lines.Flush()); err != nil {
			return err
		}
	}
	return nil
}

// writePassages writes the passages of the link with a number.
func (e *archiveExport) writePassages(id waymark.LinkID, number int) error {
	all, err := e.collection.Passages(id)
	for _, p := range all {
		e.archive.Write(archivedPassage(p, number))
	}
	return err
}

// writePassagesInOtherLinks writes the passages in links of other users.
func (e *archiveExport) writePassagesInOtherLinks() error {
	for p, err := range e.collection.PassagesInOtherLinks() {
		if err != nil {
			return err
		}
		passage := archivedPassage(p.Passage, 0)
		passage.URL, passage.Title = p.URL, p.Title
		e.archive.Write(passage)
	}
	return nil
}

func archivedPassage(p waymark.Passage, link int) archive.Passage {
	return archive.Passage{
		Link: link, Exact: p.Exact, Prefix: p.Prefix, Suffix: p.Suffix, Position: p.Position, Note: p.Note,
		CreatedAt: archive.Time(p.CreatedAt), UpdatedAt: archive.Time(p.UpdatedAt),
	}
}

// dataWriter writes lines with the data of an attachment.
type dataWriter struct{ *archive.Writer }

func (w dataWriter) Write(data []byte) (int, error) {
	w.Writer.Write(archive.AttachmentData{Data: data})
	return len(data), w.Err()
}

// writeBundles writes the bundles of clients of linkding.
func (e *archiveExport) writeBundles() error {
	all, err := e.collection.Bundles()
	if err != nil {
		return err
	}
	for _, b := range all {
		e.archive.Write(archive.Bundle{
			Name: b.Name, Search: b.Search, AnyTags: b.AnyTags, AllTags: b.AllTags, ExcludedTags: b.ExcludedTags,
			Unread: archivedFilter(b.Unread), Shared: archivedFilter(b.Shared), Position: b.Position,
			CreatedAt: archive.Time(b.CreatedAt), UpdatedAt: archive.Time(b.UpdatedAt),
		})
	}
	return nil
}

func (e *archiveExport) writeKeptApart() error {
	all, err := e.collection.KeptApart()
	for _, pair := range all {
		if pair.Kind == waymark.Links {
			e.archive.Write(archive.KeptApart{URLs: []string{pair.A, pair.B}})
		} else {
			e.archive.Write(archive.KeptApart{Tags: []string{pair.A, pair.B}})
		}
	}
	return err
}

func archivedFilter(f waymark.FilterState) string {
	if f == waymark.FilterOff {
		return ""
	}
	return string(f)
}

// writeNotesOnOtherLinks writes the notes on links of other users.
func (e *archiveExport) writeNotesOnOtherLinks() error {
	for n, err := range e.collection.NotesOnOtherLinks() {
		if err != nil {
			return err
		}
		note := newArchiveNote(n.Note, 0)
		note.URL, note.Title = n.URL, n.Title
		e.archive.Write(note)
	}
	return nil
}

func (e *archiveExport) writeSavedSearches() error {
	searches, err := e.collection.SavedSearches()
	if err != nil {
		return err
	}
	for _, search := range searches {
		archived := query.MapSaved(search.Query, func(c waymark.Condition) waymark.Condition {
			switch c := c.(type) {
			case waymark.OwnedBy:
				if waymark.Fold(c.Name) == waymark.Fold(e.user.Name) {
					return waymark.IsMine
				}
			case waymark.Labeled:
				return numbered(c, func(id int64) int64 { return int64(e.lists[waymark.ListID(id)]) }, func(id int64) int64 { return int64(e.tags[waymark.TagID(id)]) })
			}
			return c
		})
		e.archive.Write(archive.SavedSearch{Name: search.Name, Query: archived, Order: search.Order, InLists: search.InLists, Public: search.Public, CreatedAt: archive.Time(search.CreatedAt)})
	}
	return nil
}

// numbered returns the condition of a list or tag with another id. A name stays as it is.
func numbered(c waymark.Labeled, list, tag func(id int64) int64) waymark.Condition {
	id := c.Refs[0].ID
	switch {
	case id == 0:
	case c.Kind == waymark.Lists:
		c.Refs = []waymark.Ref{{ID: list(id)}}
	default:
		c.Refs = []waymark.Ref{{ID: tag(id)}}
	}
	return c
}

func archivedSettings(user waymark.User, s waymark.Settings) archive.Settings {
	d := user.DefaultVisibility
	return archive.Settings{
		Language: s.Language, TimeZone: s.TimeZone, Theme: string(s.Theme), View: string(s.View), LinksPerPage: s.LinksPerPage,
		NewTab: s.NewTab, HideDescriptions: s.HideDescriptions, NoShortcuts: s.NoShortcuts, OnlyMine: s.OnlyMine, OpeningReads: s.OpeningReads, SaveUnread: s.SaveUnread, NoMetadata: s.NoMetadata, NoChecks: s.NoChecks,
		NoPictures: s.NoPictures, Snapshots: string(s.Snapshots),
		Default: archive.DefaultVisibility{
			Links: archive.Visibility(d.Links), Lists: archive.Visibility(d.Lists), Tags: archive.Visibility(d.Tags), Notes: archive.Visibility(d.Notes),
		},
	}
}

func archivedTimes(created, updated, deleted waymark.Time) archive.Times {
	return archive.Times{CreatedAt: archive.Time(created), UpdatedAt: archive.Time(updated), DeletedAt: archive.Time(deleted)}
}

func newArchiveNote(n waymark.Note, link int) archive.Note {
	return archive.Note{Link: link, Text: n.Text, Visibility: archive.Visibility(n.Visibility), Times: archivedTimes(n.CreatedAt, n.UpdatedAt, n.DeletedAt)}
}

// numbersOf returns the numbers of lists or tags in ascending order, without those of other users.
func numbersOf[ID comparable](numbers map[ID]int, ids []ID) []int {
	var found []int
	for _, id := range ids {
		if number, ok := numbers[id]; ok {
			found = append(found, number)
		}
	}
	slices.Sort(found)
	return found
}
