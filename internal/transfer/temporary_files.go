package transfer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"waymark/internal/store/snapshots"
	"waymark/internal/waymark"
)

// uploadName is the pattern of the names of temporary files.
const uploadName = "upload-*.tmp"

// save writes body to a temporary file that only this user of the system can read. It is deleted at once
// where open files can be, so that nothing is left if the server is killed. If the disk is full, the error
// wraps waymark.ErrUnavailable. The caller calls discard.
func (t *Transfer) save(body io.Reader) (_ *os.File, err error) {
	if t.dir != "" {
		if err := os.MkdirAll(t.dir, 0o700); err != nil {
			return nil, err
		}
	}
	file, err := os.CreateTemp(t.dir, uploadName)
	if err != nil {
		return nil, fullDisk(err)
	}
	removed := os.Remove(file.Name()) == nil
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
			if !removed {
				err = errors.Join(err, removeIfExists(file.Name()))
			}
		}
	}()
	if _, err := io.Copy(file, body); err != nil {
		return nil, fullDisk(err)
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, err
}

// pack compresses a file into a temporary file, which the result needs until the caller calls discard.
func (t *Transfer) pack(file io.Reader) (snapshots.Packed, *os.File, error) {
	into, err := t.save(strings.NewReader(""))
	if err != nil {
		return snapshots.Packed{}, nil, err
	}
	packed, err := snapshots.Pack(file, into)
	if err != nil {
		return packed, nil, errors.Join(fullDisk(err), discard(into))
	}
	return packed, into, nil
}

// discard deletes a temporary file.
func discard(file *os.File) error { return errors.Join(file.Close(), removeIfExists(file.Name())) }

func removeIfExists(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// fullDisk returns an error that wraps waymark.ErrUnavailable if the disk is full.
func fullDisk(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	}
	return err
}

// File is a file that a client has sent, on the disk. The caller must call Close.
type File struct {
	*os.File
	Size    int64
	release func()
}

// Close deletes the file.
func (f *File) Close() error {
	defer f.release()
	return discard(f.File)
}
