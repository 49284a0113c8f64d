package database

import (
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
)

const reserveFile = "waymark.reserve"

// reserve is a file beside a SQLite database that takes space from the disk, so that
// deletions can use it when the disk is full: they write to the log before they free
// anything. Only the writer uses it.
type reserve struct {
	file string
	size int64 // in bytes
}

// reserveMargin is the free space that fill leaves, in bytes, so that other writes succeed
// again after deletions have freed pages.
const reserveMargin = 1 << 20

// newReserve returns the reserve in a directory. A size of 0 means the size that it has.
func newReserve(dir string, size int64) *reserve {
	r := &reserve{file: filepath.Join(dir, reserveFile), size: size}
	if size == 0 {
		r.size = fileSize(r.file)
	}
	return r
}

// open makes the file as large as it should be. If the disk is full, it makes it smaller,
// because SQLite needs some space to open a database.
func (r *reserve) open() error {
	have := fileSize(r.file)
	if want := r.sizeAtOpen(have, FreeSpace(r.file)); want < have {
		return os.Truncate(r.file, want)
	}
	return r.fill()
}

// sizeAtOpen returns how many of the have bytes in the file are kept if the disk has free bytes.
func (r *reserve) sizeAtOpen(have, free int64) int64 {
	return max(0, min(r.size, have-max(0, reserveMargin-free)))
}

// fill makes the file as large as it should be, or as large as the disk permits. The
// content is random, because some file systems would compress it.
func (r *reserve) fill() error {
	have := fileSize(r.file)
	missing := min(r.size-have, FreeSpace(r.file)-reserveMargin)
	if missing <= 0 {
		return nil
	}
	if err := CreateFile(r.file); err != nil {
		return err
	}
	f, err := os.OpenFile(r.file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // the content does not matter
	_, err = io.CopyN(f, rand.Reader, missing)
	return err
}

// free returns the free space on the disk, in bytes, without what the reserve still lacks.
func (r *reserve) free() int64 { return FreeSpace(r.file) - max(0, r.size-fileSize(r.file)) }

// release frees the space on the disk. It reports whether there was any.
func (r *reserve) release() bool {
	return fileSize(r.file) > 0 && os.Truncate(r.file, 0) == nil
}
