package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"waymark/internal/archive"
	"waymark/internal/store"
	"waymark/internal/store/snapshots"
	"waymark/internal/waymark"
)

// beginAttachment saves the link of an attachment, and creates the file for the data that follows.
func (in *archiveImport) beginAttachment(ctx context.Context, a archive.Attachment, line int) error {
	in.read++
	if !in.link.ok {
		in.addProblem(line, "", refused(waymark.FieldLink, waymark.RuleRequired, "the link of the attachment could not be saved"))
		return nil
	}
	if err := in.flush(ctx); err != nil {
		return err
	}
	file, err := in.batch.transfer.save(strings.NewReader(""))
	if err != nil {
		return err
	}
	in.file = &archivedFile{Attachment: a, line: line, file: file}
	return nil
}

// addData writes data of the attachment to its file.
func (in *archiveImport) addData(data archive.AttachmentData) error {
	if in.file == nil { // it cannot be saved
		return nil
	}
	n, err := in.file.file.Write(data.Data)
	in.file.written += int64(n)
	return fullDisk(err)
}

// dropAttachment deletes the file of the attachment.
func (in *archiveImport) dropAttachment() error {
	if in.file == nil {
		return nil
	}
	file := in.file.file
	in.file = nil
	return discard(file)
}

// endAttachment saves the attachment whose data was the last before this line, if there is one.
func (in *archiveImport) endAttachment(ctx context.Context) (err error) {
	f := in.file
	if f == nil {
		return nil
	}
	defer func() { err = errors.Join(err, in.dropAttachment()) }()
	notStored := func(text string) {
		in.read++ // so that the step is saved
		in.addProblem(f.line, "", refused(waymark.FieldAttachments, waymark.RuleFormat, text))
	}
	if f.written != f.Size {
		notStored(fmt.Sprintf("the attachment has %d bytes instead of %d", f.written, f.Size))
		return nil
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	packed, temporary, err := in.packAttachment(f)
	if errors.Is(err, ErrNoPage) || errors.Is(err, ErrZippedPage) {
		notStored(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(in.saveAttachment(ctx, f, packed), discard(temporary))
}

// packAttachment returns the attachment as it is stored, with the media type that a page that a browser has saved has.
func (in *archiveImport) packAttachment(f *archivedFile) (snapshots.Packed, *os.File, error) {
	if !f.FullSnapshot {
		return in.batch.transfer.pack(f.file)
	}
	_, page, err := in.batch.transfer.packPage(f.file, f.ContentType)
	if err != nil {
		return snapshots.Packed{}, nil, err
	}
	f.ContentType = page.contentType
	return page.packed, page.file, nil
}

// saveAttachment saves an attachment in a step of its own.
func (in *archiveImport) saveAttachment(ctx context.Context, f *archivedFile, packed snapshots.Packed) error {
	t := in.batch.transfer
	a := waymark.NewAttachment(0, f.Name, f.ContentType)
	a.FullSnapshot, a.CreatedAt = f.FullSnapshot, in.time(f.CreatedAt)
	if f.FullSnapshot {
		a.ContentType = f.ContentType
	}
	link := store.ImportedLink{ID: in.link.id, Outcome: store.LinkUpdated}
	if in.link.added {
		link.Outcome = store.LinkAdded
	}
	position := in.batch.position()
	return in.batch.step(ctx, func(ctx context.Context, s *store.Store) (store.ImportStep, error) {
		step := store.ImportStep{Position: position}
		err := s.ImportAttachment(ctx, in.batch.owner.ID, link, a, packed, t.snapshotQuota)
		switch invalid, isInvalid := errors.AsType[*waymark.ValidationError](err); {
		case errors.Is(err, waymark.ErrSnapshotQuota):
			step.Problems = []waymark.ImportProblem{notSaved(f.line, "", refused(waymark.FieldAttachments, waymark.RuleMaxCount, err.Error()))}
		case isInvalid:
			step.Problems = []waymark.ImportProblem{waymark.NewImportProblem(f.line, "", false, invalid.Problems[0])}
		case err != nil:
			return step, err
		}
		return step, nil
	})
}
