//go:build unix

package database

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// inheritOwner changes the owner of a new file or directory to the owner of the directory
// that contains it, if this process runs as root. That owner could have replaced the file in
// between, so inheritOwner does not change a symbolic link, a file with several names or one
// that does not belong to root.
func inheritOwner(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := ownerOf(filepath.Dir(path))
	if err != nil || uid == 0 {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 0 || !info.IsDir() && (stat.Nlink != 1 || info.Size() != 0) {
		return nil
	}
	return f.Chown(uid, gid)
}

// ownerOf returns the user and the group of a file.
func ownerOf(path string) (uid, gid int, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	stat := info.Sys().(*syscall.Stat_t)
	return int(stat.Uid), int(stat.Gid), nil
}

// The modes of checkAccess.
const (
	readAccess  = unix.R_OK
	writeAccess = unix.W_OK
)

// checkAccess returns an error if this process may not read or write a file or directory.
func checkAccess(path string, mode uint32) error {
	return unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS)
}

// SameOwner reports whether two files belong to the same user.
func SameOwner(a, b fs.FileInfo) bool {
	statA, okA := a.Sys().(*syscall.Stat_t)
	statB, okB := b.Sys().(*syscall.Stat_t)
	return !okA || !okB || statA.Uid == statB.Uid
}
