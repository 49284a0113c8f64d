package transfer

import (
	"context"
	"errors"
	"iter"

	"waymark/internal/archive"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Archive imports an archive, in steps of a few hundred entities: see docs/archive.md for how
// it is merged with what the account has. The import counts links. Of its options only the visibility is used.
//
// An entity that cannot be saved is a problem of the import and not an error. An error of records
// other than an archive.RowError ends the import, with a FileError.
func (b *ImportBatch) Archive(ctx context.Context, records iter.Seq2[archive.Record, error]) (waymark.Import, error) {
	return b.run(ctx, func(ctx context.Context) (err error) {
		in := &archiveImport{
			batch: b, now: b.transfer.store.Now(),
			lists: map[int]waymark.ListID{}, tags: map[int]waymark.TagID{}, usedLists: map[waymark.ListID]bool{},
			notes: map[archivedNoteKey]int{}, trashed: map[store.TrashedLink]int{},
			archivedStep: archivedStep{byURL: map[string]int{}},
		}
		defer func() { err = errors.Join(err, in.dropAttachment()) }()
		for record, err := range records {
			var row *archive.RowError
			switch {
			case errors.As(err, &row):
				if !row.Part {
					in.counts.Read++
					in.counts.Failed++
				}
				problem := waymark.NewImportProblem(row.Line, row.URL, row.Part, row.Problem)
				problem.Text = row.Err.Error()
				in.problems = append(in.problems, problem)
				in.read++
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return errors.Join(in.flush(ctx), &FileError{err})
			default:
				if err := in.next(ctx, record); err != nil {
					return err
				}
			}
			if in.full() {
				if err := in.flush(ctx); err != nil {
					return err
				}
			}
		}
		if err := in.endAttachment(ctx); err != nil {
			return err
		}
		return in.flush(ctx)
	})
}

// next adds an entity to the step, after it has saved the step before if its entities are of another kind.
// An attachment has a step of its own.
func (in *archiveImport) next(ctx context.Context, record archive.Record) error {
	if data, ok := record.Entity.(archive.AttachmentData); ok {
		return in.addData(data)
	}
	if err := in.endAttachment(ctx); err != nil {
		return err
	}
	if order := archive.OrderOf(record.Entity); order != in.order {
		if err := in.flush(ctx); err != nil {
			return err
		}
		in.order = order
	}
	if a, ok := record.Entity.(archive.Attachment); ok {
		return in.beginAttachment(ctx, a, record.Line)
	}
	in.add(record)
	return nil
}

// add adds an entity to the step. An entity that cannot be saved is a problem.
func (in *archiveImport) add(record archive.Record) {
	in.read++
	in.future = false
	var err error
	url := ""
	switch e := record.Entity.(type) {
	case archive.Settings:
		in.settings, in.settingsLine = &e, record.Line
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
	case archive.Passage:
		url = e.URL
		err = in.addPassage(e, record.Line)
	case archive.TextSnapshot:
		url = e.URL
		err = in.addTextSnapshot(e, record.Line)
	case archive.FullSnapshot:
		url = e.URL
		err = in.addFullSnapshot(e, record.Line)
	case archive.Bundle:
		err = in.addBundle(e, record.Line)
	case archive.SavedSearch:
		err = in.addSearch(e, record.Line)
	case archive.KeptApart:
		err = in.addKeptApart(e)
	}
	switch {
	case err != nil:
		in.addProblem(record.Line, url, err)
	case in.future:
		in.problems = append(in.problems, waymark.NewImportProblem(record.Line, url, true, waymark.Problem{Field: waymark.FieldDate, Rule: waymark.RuleNotFuture}))
	}
}
