package httpx

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/url"

	"waymark/internal/waymark"
)

// ErrMalformedUpload means that the body of a request is no multipart form, or ends too early.
var ErrMalformedUpload = errors.New("the body is not a complete multipart form")

// The maximum sizes of the fields of a form with a file, and of the whole form, in bytes.
const (
	maxUploadFields = 64 << 10
	maxUploadBody   = waymark.MaxUpload + maxUploadFields
)

// UploadForm is a multipart form with a file.
type UploadForm struct {
	Fields      url.Values
	HasFile     bool
	Name        string // of the file, as the client has sent it
	ContentType string // of the file, as the client has sent it
}

// ReadUpload reads a multipart form, and passes the first file with the name file to receive while it
// arrives. The body may be compressed with gzip. A body of more than waymark.MaxUpload bytes without its fields is
// an *http.MaxBytesError; other errors are ErrMalformedUpload or those of receive.
func ReadUpload(w http.ResponseWriter, r *http.Request, receive func(io.Reader) error) (UploadForm, error) {
	form := UploadForm{Fields: url.Values{}}
	if r.ContentLength > maxUploadBody {
		w.Header().Set("Connection", "close")
		return form, &http.MaxBytesError{Limit: waymark.MaxUpload}
	}
	r.Body = LongBody(w, r, maxUploadBody)
	if r.Header.Get("Content-Encoding") == "gzip" {
		decompressed, err := gzip.NewReader(r.Body)
		if err != nil {
			return form, readFailure(err)
		}
		r.Body = io.NopCloser(LimitReader(decompressed, maxUploadBody))
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return form, ErrMalformedUpload
	}
	left := int64(maxUploadFields)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return form, readFailure(err)
		}
		if part.FileName() != "" && part.FormName() == "file" && !form.HasFile {
			form.HasFile, form.Name, form.ContentType = true, part.FileName(), part.Header.Get("Content-Type")
			if err := receive(&uploadBody{part}); err != nil {
				return form, err
			}
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, left+1))
		if err != nil {
			return form, readFailure(err)
		}
		if left -= int64(len(value)); left < 0 {
			return form, ErrMalformedUpload
		}
		form.Fields.Add(part.FormName(), string(value))
	}
}

// uploadBody returns the errors of ReadUpload.
type uploadBody struct{ io.Reader }

func (b *uploadBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = readFailure(err)
	}
	return n, err
}

// readFailure returns the error of ReadUpload for an error of reading the body.
func readFailure(err error) error {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge
	}
	return errors.Join(ErrMalformedUpload, err)
}

// LimitReader returns a reader that fails with an *http.MaxBytesError after limit bytes.
func LimitReader(r io.Reader, limit int64) io.Reader {
	return http.MaxBytesReader(nil, io.NopCloser(r), limit)
}
