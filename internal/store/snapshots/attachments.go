package snapshots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// Attachments is the table of files that people have added to links.
var Attachments = table.New("attachments",
	table.Generated("id", func(a *waymark.Attachment) *waymark.AttachmentID { return &a.ID }),
	table.Fixed("link_id", func(a *waymark.Attachment) *waymark.LinkID { return &a.Link }),
	table.Field("user_id", func(a *waymark.Attachment) *waymark.UserID { return &a.Owner }),
	table.Fixed("full_snapshot", func(a *waymark.Attachment) *bool { return &a.FullSnapshot }),
	table.Fixed("name", func(a *waymark.Attachment) *string { return &a.Name }),
	table.Fixed("content_type", func(a *waymark.Attachment) *string { return &a.ContentType }),
	table.Field("size", func(a *waymark.Attachment) *int64 { return &a.Size }),
	table.Field("bytes", func(a *waymark.Attachment) *int64 { return &a.Bytes }),
	table.Fixed("created_at", func(a *waymark.Attachment) *waymark.Time { return &a.CreatedAt }),
)

// ChunkColumns are the columns of attachment_chunks.
var ChunkColumns = table.ParseColumns("attachment_id BIGINT, number BIGINT, content HEX")

// Attach stores a file as an attachment of the active link a.Link, which must be the user's own.
// It returns the attachment as it is stored, waymark.ErrSnapshotQuota if the snapshots and attachments of
// the owner would have more than quota bytes, and a waymark.ValidationError if the link has too many.
func (s *Store) Attach(ctx context.Context, user waymark.User, a waymark.Attachment, file Packed, quota int64) (waymark.Attachment, error) {
	var stored waymark.Attachment
	err := s.changeOfLink(ctx, user, a.Link, func(ctx context.Context, q database.Querier, link *waymark.Link) (err error) {
		stored, err = s.PutAttachment(ctx, q, link.Owner, a, file, quota)
		return err
	})
	return stored, err
}

// AttachPage stores a page that a browser has saved as the full snapshot of an
// active link, and what was made of it. It replaces the snapshots that the link has, and none that are
// fetched later replace it. Errors are those of Attach.
func (s *Store) AttachPage(ctx context.Context, user waymark.User, a waymark.Attachment, page waymark.UploadedPage, file Packed, quota int64) (waymark.Attachment, error) {
	a.FullSnapshot = true
	var stored waymark.Attachment
	err := s.changeOfLink(ctx, user, a.Link, func(ctx context.Context, q database.Querier, link *waymark.Link) (err error) {
		for _, statement := range []string{
			"DELETE FROM attachments WHERE link_id = $1 AND full_snapshot",
			"DELETE FROM full_snapshots WHERE link_id = $1",
		} {
			if _, err := q.Exec(ctx, statement, link.ID); err != nil {
				return err
			}
		}
		if stored, err = s.PutAttachment(ctx, q, link.Owner, a, file, quota); err != nil {
			return err
		}
		if link.LacksTitle() {
			link.SetPageTexts(page.Texts)
		}
		if page.TextHTML == "" {
			return nil
		}
		return s.replaceText(ctx, q, *link, page, quota)
	})
	return stored, err
}

// replaceText stores the readable text of a page that a browser has saved.
func (s *Store) replaceText(ctx context.Context, q database.Querier, link waymark.Link, page waymark.UploadedPage, quota int64) error {
	page.Text.FetchedAt = s.now()
	row, text, err := newTextSnapshot(link.ID, link.Owner, page.Text, page.TextHTML)
	if err != nil {
		return err
	}
	return s.putTextSnapshot(ctx, q, row, text, quota)
}

// changeOfLink changes what belongs to an active link of the user, and when the link was changed.
func (s *Store) changeOfLink(ctx context.Context, user waymark.User, id waymark.LinkID, change func(context.Context, database.Querier, *waymark.Link) error) error {
	found, err := table.Links.GetActive(ctx, s.db.Querier(), int64(id))
	if err != nil {
		return err
	}
	return table.UserTx(ctx, s.db, found.Owner, func(ctx context.Context, q database.Querier) error {
		link, err := table.Links.GetActive(ctx, q, int64(id))
		if err != nil {
			return err
		}
		if err := user.MayWrite(waymark.Target{Kind: waymark.Links, Owner: link.Owner}); err != nil {
			return err
		}
		if err := change(ctx, q, &link); err != nil {
			return err
		}
		link.UpdatedAt = s.now()
		return table.Links.Update(ctx, q, int64(id), &link)
	})
}

// PutAttachment is Attach in the caller's transaction. CreatedAt is now if it is 0.
func (s *Store) PutAttachment(ctx context.Context, q database.Querier, owner waymark.UserID, a waymark.Attachment, file Packed, quota int64) (waymark.Attachment, error) {
	n, err := database.Count(ctx, q, "attachments WHERE link_id = $1", a.Link)
	if err != nil {
		return a, err
	}
	if n >= waymark.MaxAttachments {
		return a, waymark.InvalidInput(waymark.Problem{Field: waymark.FieldAttachments, Rule: waymark.RuleMaxCount, Limit: waymark.MaxAttachments},
			"the link has %d attachments already", n)
	}
	if err := checkSnapshotQuota(ctx, q, owner, TextSnapshots.Name, 0, file.Bytes, quota); err != nil {
		return a, err
	}
	a.Owner, a.Size, a.Bytes = owner, file.Size, file.Bytes
	if a.CreatedAt == 0 {
		a.CreatedAt = s.now()
	}
	ids, err := table.Insert[waymark.AttachmentID](ctx, q, &Attachments, []waymark.Attachment{a})
	if err != nil {
		return a, err
	}
	a.ID = ids[0]
	return a, writeChunks(ctx, q, a.ID, file)
}

// AddAttachment stores the attachment of an archive, and returns its id. It returns 0 if the link has it
// already: an attachment with the same name, size and time (an archive can lack the time), or another page.
func (s *Store) AddAttachment(ctx context.Context, owner waymark.UserID, a waymark.Attachment, file Packed, quota int64) (id waymark.AttachmentID, err error) {
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		id = 0
		existing, err := readAttachments(ctx, q, a.Link)
		if err != nil {
			return err
		}
		for _, e := range existing {
			same := e.Name == a.Name && e.Size == file.Size && (a.CreatedAt == 0 || e.CreatedAt == a.CreatedAt)
			if e.FullSnapshot == a.FullSnapshot && (same || a.FullSnapshot) {
				return nil
			}
		}
		stored, err := s.PutAttachment(ctx, q, owner, a, file, quota)
		id = stored.ID
		return err
	})
	return id, err
}

// writeChunks stores the content of an attachment.
func writeChunks(ctx context.Context, q database.Querier, id waymark.AttachmentID, file Packed) error {
	chunks := io.NewSectionReader(file.in, 0, file.Bytes)
	var content []byte
	for number, size := range file.chunks {
		content = slices.Grow(content[:0], size)[:size]
		if _, err := io.ReadFull(chunks, content); err != nil {
			return err
		}
		a := q.Args()
		row := [][]any{{id, number, database.NewHex(content)}}
		if _, err := q.Exec(ctx, table.InsertSQL(a, "attachment_chunks", ChunkColumns, row), a.Values...); err != nil {
			return err
		}
	}
	return nil
}

// Attachments returns the attachments of a link that viewer sees, the oldest first. Guests see none.
// It returns waymark.ErrForbidden if viewer may not see the link, and waymark.ErrNotFound if there is none.
func (s *Store) Attachments(ctx context.Context, viewer waymark.UserID, link waymark.LinkID) ([]waymark.Attachment, error) {
	if viewer == waymark.Guest {
		return nil, waymark.ErrNotFound
	}
	if _, err := table.Links.GetVisible(ctx, s.db.Querier(), viewer, int64(link)); err != nil {
		return nil, err
	}
	return readAttachments(ctx, s.db.Querier(), link)
}

// readAttachments returns the attachments of a link, the oldest first.
func readAttachments(ctx context.Context, q database.Querier, link waymark.LinkID) ([]waymark.Attachment, error) {
	return Attachments.All(ctx, q, "e.link_id = $1 ORDER BY e.id", link)
}

// Attachment returns an attachment of a link, as Attachments does.
func (s *Store) Attachment(ctx context.Context, viewer waymark.UserID, link waymark.LinkID, id waymark.AttachmentID) (waymark.Attachment, error) {
	if viewer == waymark.Guest {
		return waymark.Attachment{}, waymark.ErrNotFound
	}
	if _, err := table.Links.GetVisible(ctx, s.db.Querier(), viewer, int64(link)); err != nil {
		return waymark.Attachment{}, err
	}
	return Attachments.Get(ctx, s.db.Querier(), "e.id = $1 AND e.link_id = $2", id, link)
}

// CopyAttachment writes the file of an attachment, which the caller has got from Attachment.
func (s *Store) CopyAttachment(ctx context.Context, a waymark.Attachment, to io.Writer) error {
	return readFile(ctx, s.db.Querier(), a, to)
}

// readFile writes the file of an attachment.
func readFile(ctx context.Context, q database.Querier, a waymark.Attachment, to io.Writer) error {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(chunkSize))
	if err != nil {
		return err
	}
	defer r.Close()
	var chunk []byte
	written := int64(0)
	for number := 0; written < a.Size; number++ {
		content, err := database.QueryOne(ctx, q, database.ScanValue[[]byte], `
			SELECT content
			FROM attachment_chunks
			WHERE attachment_id = $1 AND number = $2`, a.ID, number)
		if err != nil {
			return fmt.Errorf("chunk %d of attachment %d: %w", number, a.ID, err)
		}
		if chunk, err = r.DecodeAll(content, chunk[:0]); err != nil {
			return fmt.Errorf("chunk %d of attachment %d: %w", number, a.ID, err)
		}
		n, err := to.Write(chunk)
		if written += int64(n); err != nil {
			return err
		}
	}
	if written != a.Size {
		return fmt.Errorf("attachment %d has %d bytes instead of %d", a.ID, written, a.Size)
	}
	return nil
}

// Detach deletes an attachment of the user's own link. An uploaded page leaves its text.
func (s *Store) Detach(ctx context.Context, user waymark.User, link waymark.LinkID, id waymark.AttachmentID) error {
	err := s.changeOfLink(ctx, user, link, func(ctx context.Context, q database.Querier, link *waymark.Link) error {
		return table.OrNotFound(q.Exec(ctx, "DELETE FROM attachments WHERE id = $1 AND link_id = $2", id, link.ID))
	})
	if err == nil {
		_ = s.db.EmptyWAL(ctx) // as in Remove
	}
	return err
}

// HasUploaded reports whether a link has a full snapshot that a browser has saved.
func (s *Store) HasUploaded(ctx context.Context, link waymark.LinkID) (bool, error) {
	return hasUploaded(ctx, s.db.Querier(), link)
}

func hasUploaded(ctx context.Context, q database.Querier, link waymark.LinkID) (bool, error) {
	return database.Exists(ctx, q, "attachments WHERE link_id = $1 AND full_snapshot", link)
}

// DamagedAttachments returns the attachments whose files cannot be read, and the number of all.
func DamagedAttachments(ctx context.Context, q database.Querier) (damaged []waymark.AttachmentID, total int, err error) {
	for last := waymark.AttachmentID(0); ; total++ {
		a, err := Attachments.Get(ctx, q, "e.id > $1 ORDER BY e.id LIMIT 1", last)
		if errors.Is(err, waymark.ErrNotFound) {
			return damaged, total, nil
		}
		if err != nil {
			return damaged, total, err
		}
		err = readFile(ctx, q, a, io.Discard)
		switch {
		case errors.Is(err, waymark.ErrUnavailable): // it says nothing about the file
			return damaged, total, err
		case err != nil:
			damaged = append(damaged, a.ID)
		}
		last = a.ID
	}
}

// chunkSize is how much of a file is in memory at a time, in bytes, before compression.
const chunkSize = 256 << 10

// Packed is a file in the chunks in which it is stored, each compressed.
type Packed struct {
	Size   int64 // of the file in bytes
	Bytes  int64 // of all chunks
	chunks []int // their sizes
	in     io.ReaderAt
}

// Pack compresses a file into another one, which the result needs. It does so before the transaction that
// stores the file, because other writes wait for that.
func Pack(file io.Reader, into interface {
	io.Writer
	io.ReaderAt
}) (Packed, error) {
	p := Packed{in: into}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return p, err
	}
	defer w.Close() //nolint:errcheck // it writes nothing
	buffer := make([]byte, chunkSize)
	var compressed []byte
	for {
		n, err := io.ReadFull(file, buffer)
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return p, err
		}
		compressed = w.EncodeAll(buffer[:n], compressed[:0])
		if _, err := into.Write(compressed); err != nil {
			return p, err
		}
		p.Size, p.Bytes, p.chunks = p.Size+int64(n), p.Bytes+int64(len(compressed)), append(p.chunks, len(compressed))
	}
}
