package service

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"

	"waymark/internal/archive"
	"waymark/internal/fetch/article"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Archive imports an archive, in steps of a few hundred entities: see docs/archive.md for how
// it is merged with what the account has. position returns how much of the file was read, in bytes; it
// can be nil. The import counts links. Of its options only the visibility is used.
//
// An entity that cannot be saved is a problem of the import and not an error. An error of records
// other than an archive.RowError ends the import, with a FileError.
func (b *ImportBatch) Archive(ctx context.Context, records iter.Seq2[archive.Record, error], position func() int64) (waymark.Import, error) {
	return b.run(ctx, func(ctx context.Context) error {
		in := &archiveImport{
			batch: b, now: b.service.Now(), position: position,
			lists: map[int]waymark.ListID{}, tags: map[int]waymark.TagID{}, usedLists: map[waymark.ListID]bool{},
			notes: map[archivedNoteKey]int{}, trashed: map[archivedLinkKey]int{},
			archivedStep: archivedStep{byURL: map[string]int{}},
		}
		for record, err := range records {
			var row *archive.RowError
			switch {
			case errors.As(err, &row):
				if !row.Part {
					in.counts.Read++
					in.counts.Failed++
				}
				problem := waymark.NewImportProblem(row.Line, row.URL, row.Part, waymark.Problem{})
				problem.Text = row.Err.Error()
				in.problems = append(in.problems, problem)
				in.read++
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return errors.Join(in.flush(ctx), &FileError{err})
			default:
				if kind := stepKind(record.Entity); kind != in.kind {
					if err := in.flush(ctx); err != nil {
						return err
					}
					in.kind = kind
				}
				in.add(record)
			}
			if in.full() {
				if err := in.flush(ctx); err != nil {
					return err
				}
			}
		}
		return in.flush(ctx)
	})
}

// archiveImport collects the entities of a step, which are of one kind, but for links with their
// notes.
type archiveImport struct {
	batch    *ImportBatch
	now      waymark.Time
	position func() int64

	// The ids of lists and tags, by their numbers in the archive.
	lists     map[int]waymark.ListID
	tags      map[int]waymark.TagID
	usedLists map[waymark.ListID]bool

	link    archivedLink            // the last one
	notes   map[archivedNoteKey]int // how often each note of that link, or on a link of others, occurred
	trashed map[archivedLinkKey]int // how often each link in the trash occurred

	archivedStep
}

// archivedStep is what one step saves.
type archivedStep struct {
	kind       int // see stepKind
	settings   *archive.Settings
	newLists   []store.CollectedList
	newTags    []store.CollectedTag
	numbers    []int // of the lists or tags
	links      []store.ArchivedLink
	lines      []int          // of the links
	byURL      map[string]int // the links that are not in the trash
	otherNotes []store.ArchivedOtherNote
	searches   []waymark.SavedSearch
	copies     []archivedCopy
	savedPages []archivedPage

	counts   waymark.ImportCounts
	problems []waymark.ImportProblem
	read     int // entities and lines that could not be read
	pairs    int
	bytes    int
}

// archivedCopy is the copy of the page of a link of the step.
type archivedCopy struct {
	link int // its index
	line int
	waymark.PageCopy
	html string
}

// archivedPage is the saved page of a link of the step.
type archivedPage struct {
	link int // its index
	line int
	waymark.SavedPage
	file string
}

// archivedLink says where the notes of the last link go.
type archivedLink struct {
	ok    bool           // it could be saved
	index int            // in the step
	id    waymark.LinkID // if it was saved in a step before
}

type archivedNoteKey struct {
	hash    [sha256.Size]byte // of the URL and the text
	created waymark.Time
}

type archivedLinkKey struct {
	url     string
	created waymark.Time
}

// stepKind returns the kind of entities that one step can save together.
func stepKind(e archive.Entity) int {
	switch e := e.(type) {
	case archive.Settings:
		return 1
	case archive.List:
		return 2
	case archive.Tag:
		return 3
	case archive.Link, archive.Copy, archive.SavedPage:
		return 4
	case archive.Note:
		if e.Link != 0 {
			return 4
		}
		return 5
	}
	return 6
}

func (in *archiveImport) full() bool {
	return in.read >= maxStepLinks || in.pairs >= maxStepPairs || in.bytes >= maxStepBytes
}

// add adds an entity to the step. An entity that cannot be saved is a problem.
func (in *archiveImport) add(record archive.Record) {
	in.read++
	var err error
	url := ""
	switch e := record.Entity.(type) {
	case archive.Settings:
		in.settings = &e
	case archive.List:
		err = in.addList(e)
	case archive.Tag:
		err = in.addTag(e)
	case archive.Link:
		url = e.URL
		err = in.addLink(e, record.Line)
		in.counts.Read++
		if err != nil {
			in.counts.Failed++
		}
	case archive.Note:
		url = e.URL
		err = in.addNote(e)
	case archive.Copy:
		url = e.URL
		err = in.addCopy(e, record.Line)
	case archive.SavedPage:
		url = e.URL
		err = in.addSavedPage(e, record.Line)
	case archive.SavedSearch:
		err = in.addSearch(e)
	}
	if err != nil {
		in.problem(record.Line, url, err)
	}
}

// problem adds the first problem of an entity that is not saved.
func (in *archiveImport) problem(line int, url string, err error) {
	var invalid *waymark.ValidationError
	if errors.As(err, &invalid) && len(invalid.Problems) > 0 {
		in.problems = append(in.problems, waymark.NewImportProblem(line, url, false, invalid.Problems[0]))
		return
	}
	in.problems = append(in.problems, waymark.ImportProblem{Line: line, Text: err.Error()})
}

func (in *archiveImport) addList(e archive.List) error {
	list, err := waymark.NewList(in.batch.owner, waymark.ListInput{Name: e.Name, Description: &e.Description, VisibilityInput: in.visibility(e.Visibility)})
	if err != nil {
		return err
	}
	list.CreatedAt, list.UpdatedAt, list.DeletedAt = in.times(e.Times)
	in.newLists, in.numbers = append(in.newLists, store.CollectedList{List: list, Pinned: e.Pinned}), append(in.numbers, e.Number)
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
	in.link = archivedLink{}
	clear(in.notes)
	status := waymark.Status(e.Status)
	copies := waymark.CopyChoice(e.Copies)
	link, err := waymark.NewLink(in.batch.owner, waymark.LinkInput{
		URL: e.URL, Title: &e.Title, Description: &e.Description, Status: &status, CheckDisabled: &e.CheckDisabled, Copies: &copies,
		VisibilityInput: in.visibility(e.Visibility),
	})
	if err != nil {
		return err
	}
	if e.Thumbnail != "" {
		if waymark.ValidThumbnail(e.Thumbnail) {
			link.Thumbnail = e.Thumbnail
		} else {
			in.problems = append(in.problems, waymark.NewImportProblem(line, e.URL, true, waymark.Problem{Field: waymark.FieldThumbnail, Rule: waymark.RuleFormat}))
		}
	}
	link.CreatedAt, link.UpdatedAt, link.DeletedAt = in.times(e.Times)
	row := store.ArchivedLink{CollectedLink: store.CollectedLink{Link: link, ListIDs: idsOf(in.lists, e.Lists), TagIDs: idsOf(in.tags, e.Tags)}}
	in.pairs += len(e.Lists) + len(e.Tags)
	in.bytes += len(e.URL) + len(e.Title) + len(e.Description)
	if link.DeletedAt != 0 {
		key := archivedLinkKey{link.URL, link.CreatedAt}
		in.trashed[key]++
		row.Copies = in.trashed[key]
	} else if i, ok := in.byURL[link.URL]; ok {
		first := &in.links[i]
		first.ListIDs, first.TagIDs = append(first.ListIDs, row.ListIDs...), append(first.TagIDs, row.TagIDs...)
		in.link = archivedLink{ok: true, index: i}
		in.counts.Merged++
		return nil
	} else {
		in.byURL[link.URL] = len(in.links)
	}
	in.link = archivedLink{ok: true, index: len(in.links)}
	in.links, in.lines = append(in.links, row), append(in.lines, line)
	return nil
}

func (in *archiveImport) addNote(e archive.Note) error {
	if e.Link == 0 && e.URL == "" {
		return errors.New("the note is on a link of another user which its author no longer saw: it has no place to be saved")
	}
	if e.Link != 0 && !in.link.ok {
		return errors.New("the link of the note could not be saved")
	}
	n, err := waymark.NewNote(in.batch.owner, 0, waymark.NoteInput{Text: e.Text, VisibilityInput: in.visibility(e.Visibility)})
	if err != nil {
		return err
	}
	n.CreatedAt, n.UpdatedAt, n.DeletedAt = in.times(e.Times)
	in.bytes += len(e.Text)
	key := archivedNoteKey{sha256.Sum256([]byte(e.URL + "\n" + e.Text)), n.CreatedAt}
	in.notes[key]++
	note := store.ArchivedNote{Note: n, Copies: in.notes[key]}
	if e.Link == 0 {
		link, err := waymark.NewLink(in.batch.owner, waymark.LinkInput{URL: e.URL, Title: &e.Title})
		if err != nil {
			return err
		}
		in.otherNotes = append(in.otherNotes, store.ArchivedOtherNote{ArchivedNote: note, URL: link.URL, Title: link.Title})
		return nil
	}
	in.useLink()
	in.links[in.link.index].Notes = append(in.links[in.link.index].Notes, note)
	return nil
}

// useLink adds the last link to the step again if the step before has saved it.
func (in *archiveImport) useLink() {
	if in.link.id == 0 {
		return
	}
	in.link.index = len(in.links)
	in.links, in.lines = append(in.links, store.ArchivedLink{CollectedLink: store.CollectedLink{Link: waymark.Link{ID: in.link.id}}}), append(in.lines, 0)
	in.link.id = 0
}

func (in *archiveImport) addCopy(e archive.Copy, line int) error {
	if !in.link.ok {
		return errors.New("the link of the copy could not be saved")
	}
	if len(e.HTML) > article.MaxHTML {
		return fmt.Errorf("the copy has %d bytes, more than %d", len(e.HTML), article.MaxHTML)
	}
	html, _ := article.Sanitize(e.HTML)
	if html == "" {
		return errors.New("the copy has no text")
	}
	if e.Direction != "ltr" && e.Direction != "rtl" {
		e.Direction = ""
	}
	in.useLink()
	in.bytes += len(html)
	in.copies = append(in.copies, archivedCopy{in.link.index, line, waymark.PageCopy{
		FetchedAt: cmp.Or(waymark.Time(e.FetchedAt), in.now), URL: pageURL(e.URL), Title: e.Title, Byline: e.Byline, Language: e.Language, Direction: e.Direction,
	}, html})
	return nil
}

func (in *archiveImport) addSavedPage(e archive.SavedPage, line int) error {
	if !in.link.ok {
		return errors.New("the link of the saved page could not be saved")
	}
	file, err := singlefile.Clean(e.HTML, singlefile.MaxBytes)
	if err != nil {
		return err
	}
	in.useLink()
	in.bytes += len(file)
	in.savedPages = append(in.savedPages, archivedPage{in.link.index, line, waymark.SavedPage{FetchedAt: cmp.Or(waymark.Time(e.FetchedAt), in.now), URL: pageURL(e.URL)}, file})
	return nil
}

// pageURL returns the URL of a page that a server has sent, "" for one that no server can have,
// such as javascript:.
func pageURL(url string) string {
	if !waymark.ValidThumbnail(url) {
		return ""
	}
	return url
}

func (in *archiveImport) addSearch(e archive.SavedSearch) error {
	query := waymark.MapSavedQuery(e.Query,
		func(number int64) int64 { return int64(in.lists[int(number)]) },
		func(number int64) int64 { return int64(in.tags[int(number)]) },
		func(name string) string { return cmp.Or(name, in.batch.owner.Name) })
	search := waymark.SavedSearch{Owner: in.batch.owner.ID, CreatedAt: waymark.Time(e.CreatedAt)}
	if err := (waymark.SavedSearchInput{Name: &e.Name, Query: &query}).Apply(&search); err != nil {
		return err
	}
	if search.CreatedAt == 0 {
		search.CreatedAt = in.now
	}
	in.searches = append(in.searches, search)
	return nil
}

// times returns the times of an entity: without one, it was created now.
func (in *archiveImport) times(t archive.Times) (created, updated, deleted waymark.Time) {
	created, updated, deleted = waymark.Time(t.CreatedAt), waymark.Time(t.UpdatedAt), waymark.Time(t.DeletedAt)
	if created == 0 {
		created = in.now
	}
	if updated == 0 {
		updated = created
	}
	return created, updated, deleted
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

// idsOf returns the ids of lists or tags, without those that could not be saved.
func idsOf[ID comparable](ids map[int]ID, numbers []int) []ID {
	var found []ID
	for _, number := range numbers {
		if id, ok := ids[number]; ok {
			found = append(found, id)
		}
	}
	return found
}
