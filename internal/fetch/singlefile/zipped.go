package singlefile

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"waymark/internal/waymark"
)

// maxDirectory is the maximum number of bytes that are read to open a ZIP file. It limits the number of its files
// to some ten thousand.
const maxDirectory = 2 << 20

// ReadZip reads a page that SingleFile has saved in one of its compressed formats: a ZIP file with index.html and
// its style sheets, images and fonts. It can begin with HTML that unpacks it in a browser. The page needs file and
// parts until it is cleaned. Errors wrap zip.ErrFormat if the file is no ZIP file, ErrNoPage or ErrTooLarge, or are
// errors of parts.
func ReadZip(file io.ReaderAt, size int64, parts Parts) (*Upload, error) {
	limited := &limitedReaderAt{file, maxDirectory}
	archive, err := zip.NewReader(limited, size)
	if err != nil {
		return nil, err
	}
	limited.left = math.MaxInt64
	content, err := archive.Open("index.html")
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNoPage, err)
	}
	index, err := io.ReadAll(io.LimitReader(content, MaxUploadHTML+1))
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNoPage, err)
	}
	u, err := ReadUpload(bytes.NewReader(index), "text/html", parts)
	if err != nil {
		return nil, err
	}
	u.zip = &zippedFiles{archive: archive, upload: u, left: waymark.MaxUpload, read: map[string]zippedFile{}}
	return u, nil
}

// limitedReaderAt returns ErrTooLarge after a number of bytes.
type limitedReaderAt struct {
	io.ReaderAt
	left int64
}

func (r *limitedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		return 0, ErrTooLarge
	}
	return r.ReaderAt.ReadAt(p, at)
}

// zippedFiles are the style sheets, images and fonts of a page in a ZIP file.
type zippedFiles struct {
	archive *zip.Reader
	upload  *Upload // to which the data of images and fonts is moved
	left    int64   // the number of bytes that may still be unpacked or used in the page
	read    map[string]zippedFile
	err     error // of upload.parts
}

// zippedFile is a resource with the number of its bytes in the ZIP file.
type zippedFile struct {
	resource
	size int64
}

// resource returns the file at the path of a URL, an empty resource if there is none.
func (z *zippedFiles) resource(at *url.URL) resource {
	name := strings.TrimPrefix(path.Clean("/"+at.Path), "/")
	f, used := z.read[name]
	switch {
	case !used:
		f = z.unpack(name)
		z.read[name] = f
	case f.size > z.left:
		return resource{}
	default:
		z.left -= f.size
	}
	return f.resource
}

// unpack reads a file. It moves the data of images and fonts to the parts of the upload, as ReadUpload does.
func (z *zippedFiles) unpack(name string) zippedFile {
	file, err := z.archive.Open(name)
	if err != nil {
		return zippedFile{}
	}
	content := &io.LimitedReader{R: file, N: z.left}
	defer func() { z.left = content.N }()
	data, err := io.ReadAll(io.LimitReader(content, headBytes))
	if err == nil && strings.HasPrefix(http.DetectContentType(data), "text/") {
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(content, MaxUploadHTML))
		data = append(data, rest...)
	} else if err == nil && len(data) == headBytes {
		data, err = z.move(data, content)
	}
	if err != nil || content.N == 0 {
		return zippedFile{}
	}
	return zippedFile{resource{data: data, contentType: mime.TypeByExtension(path.Ext(name)), url: &url.URL{Path: "/" + name}}, z.left - content.N}
}

// move moves the rest of a file to the parts of the upload. It returns the head with a mark.
func (z *zippedFiles) move(head []byte, rest io.Reader) ([]byte, error) {
	parts := &countingWriter{to: z.upload.parts}
	encoder := base64.NewEncoder(base64.StdEncoding, parts)
	_, err := io.Copy(encoder, rest)
	err = errors.Join(err, encoder.Close())
	z.err = errors.Join(z.err, parts.err)
	return append(head, z.upload.addMoved(movedData{z.upload.written, parts.n})...), err
}

// countingWriter counts the bytes that it writes, and keeps the error.
type countingWriter struct {
	to  io.Writer
	n   int64
	err error
}

func (w *countingWriter) Write(p []byte) (n int, err error) {
	n, err = w.to.Write(p)
	w.n, w.err = w.n+int64(n), err
	return n, err
}
