package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Bookmarks imports the bookmarks of a file, in steps of a few hundred. Bookmarks with the same URL become
// one link.
//
// A link, or a part of it, that cannot be saved is a problem of the import and not an error. An
// error of rows other than a bookmarks.RowError ends the import, with a FileError.
func (b *ImportBatch) Bookmarks(ctx context.Context, rows iter.Seq2[bookmarks.Bookmark, error]) (waymark.Import, error) {
	return b.run(ctx, func(ctx context.Context) error {
		own, err := b.transfer.store.UnfinishedLinks(ctx, b.state)
		if err != nil {
			return err
		}
		in := &bookmarkImport{batch: b, options: b.state.Options, now: b.transfer.store.Now(), own: own, folders: importedFolders{own: map[waymark.ListID]bool{}}}
		in.reset()
		for bookmark, err := range rows {
			var row *bookmarks.RowError
			switch {
			case errors.As(err, &row):
				if !row.Saved {
					in.counts.Read++
					in.counts.Failed++
				}
				in.problems = append(in.problems, waymark.ImportProblem{Line: row.Line, Saved: row.Saved, Text: row.Err.Error(), Problem: row.Problem})
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return errors.Join(in.flush(ctx), &FileError{err})
			default:
				in.add(&bookmark)
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

// bookmarkImport collects the bookmarks of a step.
type bookmarkImport struct {
	batch   *ImportBatch
	options waymark.ImportOptions
	now     waymark.Time
	own     ownLinks
	folders importedFolders

	links    []waymark.LinkImport
	lines    []int // of each link
	repeated []int // how many bookmarks were merged with each link
	byURL    map[importKey]int
	counts   waymark.ImportCounts
	problems []waymark.ImportProblem
	pairs    int
	bytes    int
}

// importKey identifies a link of a step. A file can have a URL twice if one is in the trash.
type importKey struct {
	url     string
	deleted bool
}

// reset begins a new step.
func (in *bookmarkImport) reset() {
	in.folders.ofStep = nil
	*in = bookmarkImport{batch: in.batch, options: in.options, now: in.now, own: in.own, folders: in.folders, byURL: map[importKey]int{}}
}

// full reports whether the step has as much as a step may have.
func (in *bookmarkImport) full() bool {
	return max(in.counts.Read, len(in.folders.ofStep), len(in.problems)) >= maxStepLinks || in.pairs >= maxStepPairs || in.bytes >= maxStepBytes
}

// flush saves the links of the step.
func (in *bookmarkImport) flush(ctx context.Context) error {
	if in.counts.Read == 0 && len(in.folders.ofStep) == 0 && len(in.problems) == 0 {
		return nil
	}
	position := in.batch.position()
	var imported []store.ImportedLink
	var nested store.NestedFolders
	err := in.batch.step(ctx, func(ctx context.Context, s *store.Store) (step store.ImportStep, err error) {
		if imported, nested, err = in.save(ctx, s); err != nil {
			return step, err
		}
		counts, problems := in.counts, slices.Clone(in.problems)
		if nested.Flat && !in.folders.flat {
			problems = append(problems, waymark.NewImportProblem(in.folders.ofStep[0].line, "", true, waymark.Problem{Field: waymark.FieldFolders, Rule: waymark.RuleExists, Limit: waymark.MaxNestedLists}))
		}
		for i, link := range imported {
			countBookmarks(&counts, link.Outcome, in.repeated[i])
			problems = append(problems, tooManyLabels(link, in.lines[i], in.links[i].Link.URL)...)
		}
		sortByLine(problems)
		return store.ImportStep{Counts: counts, Problems: problems, Position: position}, nil
	})
	if err != nil {
		return err
	}
	for _, link := range imported {
		if link.Outcome == store.LinkAdded {
			in.own[link.ID] = true
		}
	}
	for _, list := range nested.Created {
		in.folders.own[list] = true
	}
	in.folders.flat = in.folders.flat || nested.Flat
	in.reset()
	return nil
}

// save saves the links of the step by the rules of import_rules.go.
func (in *bookmarkImport) save(ctx context.Context, s *store.Store) (imported []store.ImportedLink, nested store.NestedFolders, err error) {
	decided, err := in.decide(ctx, s)
	if err != nil {
		return nil, nested, err
	}
	if nested, err = in.folders.save(ctx, s, in.batch.owner, in.links, decided); err != nil {
		return nil, nested, err
	}
	imported, err = in.saveLinks(ctx, s, decided)
	return imported, nested, err
}

// decide says what becomes of each link of the step.
func (in *bookmarkImport) decide(ctx context.Context, s *store.Store) ([]store.ImportedLink, error) {
	var urls, toTrash []string
	for i := range in.links {
		urls = append(urls, in.links[i].Link.URL)
		if in.links[i].Link.DeletedAt != 0 {
			toTrash = append(toTrash, in.links[i].Link.URL)
		}
	}
	owner := in.batch.owner
	active, err := s.LinksByURL(ctx, owner.ID, urls)
	if err != nil {
		return nil, err
	}
	trashed, err := s.LinksInTrash(ctx, owner.ID, toTrash)
	if err != nil {
		return nil, err
	}
	return decide(in.links, newSavedLinks(active, trashed, in.own), in.options.OnDuplicate), nil
}

// saveLinks saves the links of the step as it was decided.
func (in *bookmarkImport) saveLinks(ctx context.Context, s *store.Store, imported []store.ImportedLink) ([]store.ImportedLink, error) {
	owner := in.batch.owner
	if err := s.SaveImportedLinks(ctx, owner, in.links, imported); err != nil {
		return nil, err
	}
	if err := s.FetchImported(ctx, owner.ID, in.links, imported); err != nil {
		return nil, err
	}
	skipUnchanged(imported)
	for _, visibility := range []waymark.Visibility{waymark.Internal, waymark.Private} {
		restricted := mergedWhere(in.links, imported, func(l *waymark.LinkImport) bool { return l.HasVisibility && l.Link.Visibility == visibility })
		if err := s.RestrictImported(ctx, restricted, visibility); err != nil {
			return nil, err
		}
	}
	for _, flag := range []waymark.LinkFlag{waymark.FlagUnread, waymark.FlagArchived, waymark.FlagFavorite} {
		flagged := mergedWhere(in.links, imported, func(l *waymark.LinkImport) bool { return l.Link.Has(flag) })
		if err := s.FlagImported(ctx, flagged, flag); err != nil {
			return nil, err
		}
	}
	for i, link := range imported {
		if link.Outcome == store.LinkMerged && in.links[i].HasDate {
			if err := s.DateImported(ctx, link.ID, in.links[i].Link.CreatedAt); err != nil {
				return nil, err
			}
		}
	}
	if err := in.savePassages(ctx, s, imported); err != nil {
		return nil, err
	}
	noted := mergedWhere(in.links, imported, func(l *waymark.LinkImport) bool { return len(l.Notes) > 0 })
	_, err := insertMissingNotes(ctx, s, owner.ID, notesOf(owner.ID, in.links, imported), noted)
	return imported, err
}

// savePassages saves the passages of the added and the merged links.
func (in *bookmarkImport) savePassages(ctx context.Context, s *store.Store, imported []store.ImportedLink) error {
	for i, link := range imported {
		if link.Outcome != store.LinkAdded && link.Outcome != store.LinkMerged {
			continue
		}
		for _, p := range in.links[i].Passages {
			err := s.ImportPassage(ctx, link, p)
			if _, ok := errors.AsType[*waymark.ValidationError](err); ok {
				imported[i].TooManyPassages = true
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a bookmark to the step, or merges it with one of the same URL.
func (in *bookmarkImport) add(bookmark *bookmarks.Bookmark) {
	if bookmark.IsFolder() {
		in.addFolders(bookmark, noLink)
		return
	}
	in.counts.Read++
	link, problems, ok := waymark.NewLinkImport(in.batch.owner, in.row(bookmark), in.options.Visibility, in.now)
	for _, p := range problems {
		p.Line = bookmark.Line
		in.problems = append(in.problems, p)
	}
	if !ok {
		in.counts.Failed++
		return
	}
	for _, date := range bookmark.BadDates {
		p := waymark.NewImportProblem(bookmark.Line, link.Link.URL, true, waymark.Problem{Field: waymark.FieldDate, Rule: waymark.RuleFormat})
		p.Text = fmt.Sprintf("the date %q cannot be read, so it was left out", date)
		in.problems = append(in.problems, p)
	}
	if bookmark.HasInvalid {
		p := waymark.NewImportProblem(bookmark.Line, link.Link.URL, true, waymark.Problem{Field: waymark.FieldRow, Rule: waymark.RuleFormat})
		p.Text = "bytes that are not in the character set of the file were replaced by \ufffd"
		in.problems = append(in.problems, p)
	}
	in.pairs += len(link.Lists) + len(link.Tags)
	in.bytes += len(link.Link.URL) + len(link.Link.Title) + len(link.Link.Description)
	for _, n := range link.Notes {
		in.bytes += len(n.Text)
	}
	for _, p := range link.Passages {
		in.bytes += len(p.Exact) + len(p.Note)
	}
	key := importKey{link.Link.URL, link.Link.DeletedAt != 0}
	if i, ok := in.byURL[key]; ok {
		in.repeated[i]++
		in.addFolders(bookmark, i)
		merged := &in.links[i]
		merged.Merge(link)
		in.pairs += len(merged.Lists) + len(merged.Tags) + len(merged.Notes) // Merge compares all of them
		return
	}
	in.addFolders(bookmark, len(in.links))
	in.byURL[key] = len(in.links)
	in.links = append(in.links, link)
	in.lines = append(in.lines, bookmark.Line)
	in.repeated = append(in.repeated, 0)
}

// row returns a bookmark as the fields of a link.
func (in *bookmarkImport) row(bookmark *bookmarks.Bookmark) waymark.LinkImport {
	row := waymark.LinkImport{
		Link: waymark.Link{
			URL: bookmark.URL, Title: bookmark.Title, Description: bookmark.Description, ImageURL: bookmark.ImageURL,
			Visibility: bookmark.Visibility, CreatedAt: bookmark.CreatedAt, UpdatedAt: bookmark.UpdatedAt,
		},
		Tags: slices.Clone(bookmark.Tags),
	}
	bookmark.Flags.ApplyTo(&row.Link.LinkFlags)
	if bookmark.Deleted {
		row.Link.DeletedAt = in.now
	}
	for _, path := range bookmark.Folders {
		if in.options.Folders.Tags() {
			row.Tags = append(row.Tags, in.folderName(path))
		}
	}
	for _, note := range bookmark.Notes {
		if note.Quote != "" && utf8.RuneCountInString(note.Quote) <= waymark.MaxPassage {
			row.Passages = append(row.Passages, waymark.Passage{Quote: waymark.Quote{Exact: note.Quote}, Note: note.Text, CreatedAt: note.CreatedAt})
			continue
		}
		row.Notes = append(row.Notes, waymark.Note{Text: note.Markdown(), Visibility: note.Visibility, CreatedAt: note.CreatedAt})
	}
	return row
}

// folderName returns the name of the flat list or the tag for a folder. It reads so much of a long path that
// waymark.NewLinkImport has to shorten it, because each bookmark in the folder gets the name.
func (in *bookmarkImport) folderName(path []string) string {
	if in.options.FolderNames == waymark.FolderLeaf {
		path = path[len(path)-1:]
	}
	var name strings.Builder
	for i, part := range path {
		if name.Len() > waymark.MaxName*utf8.UTFMax {
			break
		}
		if i > 0 {
			name.WriteString(waymark.FolderSeparator)
		}
		name.WriteString(part)
	}
	return name.String()
}

// addFolders adds the folders of a bookmark to the step.
func (in *bookmarkImport) addFolders(bookmark *bookmarks.Bookmark, link int) {
	isFlat := in.options.Folders == waymark.FoldersToFlat
	if !in.options.Folders.Nested() && (!isFlat || link == noLink) {
		return
	}
	for _, path := range bookmark.Folders {
		if isFlat {
			path = []string{in.folderName(path)}
		}
		if !slices.Equal(path, in.folders.path) {
			names, problems := waymark.NewFolder(path)
			in.folders.path, in.folders.names = path, names
			for _, p := range problems {
				in.problems = append(in.problems, waymark.NewImportProblem(bookmark.Line, bookmark.URL, true, p))
			}
		}
		if len(in.folders.names) > 0 {
			folder := store.ImportedFolder{Path: in.folders.names, Ordered: bookmark.Ordered}
			in.folders.ofStep = append(in.folders.ofStep, stepFolder{folder, link, bookmark.Line})
			in.pairs++
		}
	}
}
