package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"github.com/klauspost/compress/gzip"

	"waymark/internal/database"
)

const (
	format  = "waymark backup" // see Manifest.Format
	version = 1                // see Manifest.Version

	manifestName = "manifest.json"

	// maxManifest is the maximum size of a manifest in bytes.
	maxManifest = 1 << 20
	// maxPadding is the maximum number of bytes after the end of the tar archive.
	maxPadding = 1 << 20
)

// Manifest is the first file of a backup, in JSON. The SQLite database waymark.db follows.
type Manifest struct {
	Format    string    `json:"format"`  // "waymark backup"
	Version   int       `json:"version"` // of the format of backups
	CreatedAt time.Time `json:"created_at"`
	Waymark   string    `json:"waymark"` // the version of Waymark that made the backup
	Schema    int64     `json:"schema"`  // the schema version: the number of the last migration
	Size      int64     `json:"size"`    // of the database in bytes
	SHA256    string    `json:"sha256"`  // of the database in hexadecimal digits
}

// errNotBackup is the error for a file that is not a backup.
var errNotBackup = errors.New("it is not a backup of Waymark")

// describe sets the size and the checksum to those of a file.
func (m *Manifest) describe(ctx context.Context, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	sum := sha256.New()
	m.Size, err = copyContext(ctx, sum, f)
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return err
}

// copyContext is io.Copy that stops when ctx ends.
func copyContext(ctx context.Context, w io.Writer, r io.Reader) (n int64, err error) {
	for {
		part, err := io.CopyN(w, r, 1<<20)
		n += part
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, err
		case ctx.Err() != nil:
			return n, ctx.Err()
		}
	}
}

// pack writes a backup to w: the manifest m and the database in a file.
func pack(ctx context.Context, w io.Writer, file string, m Manifest) error {
	compressed, err := gzip.NewWriterLevel(w, gzipLevel)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	add := func(name string, size int64, content io.Reader) error {
		if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: m.CreatedAt, Format: tar.FormatPAX}); err != nil {
			return err
		}
		_, err := copyContext(ctx, archive, content)
		return err
	}
	if err := add(manifestName, int64(len(text)), bytes.NewReader(text)); err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	if err := errors.Join(add(database.SQLiteFile, m.Size, f), f.Close()); err != nil {
		return err
	}
	return errors.Join(archive.Close(), compressed.Close())
}

// archiveReader reads a backup after its manifest, which openArchive has read.
type archiveReader struct {
	Manifest   Manifest
	compressed *gzip.Reader
	archive    *tar.Reader
}

// openArchive reads and checks the manifest of a backup.
func openArchive(r io.Reader) (*archiveReader, error) {
	compressed, err := gzip.NewReader(r)
	if err != nil {
		return nil, errNotBackup
	}
	a := &archiveReader{compressed: compressed, archive: tar.NewReader(compressed)}
	header, err := a.archive.Next()
	if err != nil || header.Name != manifestName || header.Size > maxManifest {
		return nil, errNotBackup
	}
	text, err := io.ReadAll(a.archive)
	if err != nil {
		return nil, damaged(err)
	}
	if err := json.Unmarshal(text, &a.Manifest); err != nil || a.Manifest.Format != format {
		return nil, errNotBackup
	}
	return a, a.Manifest.check()
}

// check returns an error if the manifest is invalid, or of a newer version of the format.
func (m Manifest) check() error {
	if m.Version > version {
		return fmt.Errorf("the backup was made by a newer version of Waymark (%s): upgrade Waymark", m.Waymark)
	}
	if m.Version == 1 && m.SHA256 == "" { // it names its files in another way
		return errors.New("the backup was made by a development version of Waymark: restore it with that version, and export the data of each user")
	}
	if m.Version < 1 || m.Size < 0 {
		return damaged(errors.New("its manifest is not valid"))
	}
	return nil
}

func damaged(err error) error {
	return fmt.Errorf("the backup is damaged or incomplete: %w", err)
}

// extract writes the database of a backup to out, closes out, and compares it with its checksum.
func (a *archiveReader) extract(ctx context.Context, out io.WriteCloser) error {
	header, err := a.archive.Next()
	switch {
	case err != nil:
		err = damaged(err)
	case header.Name != database.SQLiteFile || header.Size != a.Manifest.Size || header.Typeflag != tar.TypeReg:
		err = damaged(fmt.Errorf("%s does not match the manifest", header.Name))
	}
	if err != nil {
		return errors.Join(err, out.Close())
	}
	to := &output{w: out, sum: sha256.New()}
	_, err = copyContext(ctx, to, a.archive)
	if err := errors.Join(to.err, out.Close()); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return damaged(err)
	case hex.EncodeToString(to.sum.Sum(nil)) != a.Manifest.SHA256:
		return damaged(fmt.Errorf("the checksum of %s is wrong", header.Name))
	}
	if _, err := a.archive.Next(); !errors.Is(err, io.EOF) {
		return damaged(errors.New("it has more files than a backup has"))
	}
	// Read up to the end, where gzip has its checksum.
	switch _, err := io.CopyN(io.Discard, a.compressed, maxPadding); {
	case err == nil:
		return damaged(errors.New("there is data after the last file"))
	case !errors.Is(err, io.EOF):
		return damaged(err)
	}
	return nil
}

// output computes the checksum of what is written to w. It keeps the errors of w, such as a full disk,
// so that they can be told from errors of the archive.
type output struct {
	w   io.Writer
	sum hash.Hash
	err error
}

func (o *output) Write(b []byte) (int, error) {
	o.sum.Write(b)
	n, err := o.w.Write(b)
	o.err = errors.Join(o.err, err)
	return n, err
}

// gzipLevel is the fastest level. The others take several times as long and save little.
const gzipLevel = gzip.BestSpeed
