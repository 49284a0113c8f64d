package transfer

import (
	"context"
	"errors"
	"io"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// Receive writes the body of a request of a user to a file. It returns waymark.ErrBusy if the server receives too many, an
// *http.MaxBytesError if body has more than waymark.MaxUpload bytes, waymark.ErrUnavailable if the disk is
// full, and the error of body.
func (u *Uploads) Receive(ctx context.Context, user waymark.UserID, body io.Reader) (*File, error) {
	release, err := u.files.Acquire(ctx, int64(user), 1)
	if err != nil {
		return nil, err
	}
	file, err := u.transfer.save(httpx.LimitReader(body, waymark.MaxUpload))
	if err != nil {
		release()
		return nil, err
	}
	f := &File{file, 0, release}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.Size = info.Size()
	return f, nil
}

// Attach stores a file as an attachment of a user's own link. It returns waymark.ErrSnapshotQuota if the
// snapshots and attachments of the user would exceed the quota.
func (u *Uploads) Attach(ctx context.Context, user waymark.User, a waymark.Attachment, file *File) (waymark.Attachment, error) {
	packed, temporary, err := u.transfer.pack(file)
	if err != nil {
		return a, err
	}
	stored, err := u.transfer.store.Snapshots.Attach(ctx, user, a, packed, u.transfer.snapshotQuota)
	return stored, errors.Join(err, discard(temporary))
}
