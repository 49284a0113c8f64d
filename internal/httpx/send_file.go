package httpx

import (
	"io"
	"net/http"
	"net/url"
	"strings"
)

// FilePolicy is the Content-Security-Policy of files that people have uploaded.
const FilePolicy = "sandbox; default-src 'none'"

// SendAttachment responds with a file that browsers only download: they neither show it nor guess what it is.
// name must be printable and have no quotation marks. write writes the file, as in StreamFile.
func SendAttachment(w http.ResponseWriter, name, contentType string, write func(io.Writer) error) error {
	disposition := `attachment; filename="` + name + `"`
	if ascii := strings.Map(asciiOnly, name); ascii != name {
		disposition = `attachment; filename="` + ascii + `"; filename*=UTF-8''` + url.PathEscape(name)
	}
	h := w.Header()
	h.Set("Content-Disposition", disposition)
	h.Set("Content-Security-Policy", FilePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-store")
	err := StreamFile(w, contentType, write)
	if err != nil {
		h.Del("Content-Disposition")
	}
	return err
}

func asciiOnly(r rune) rune {
	if r >= 0x7f {
		return '_'
	}
	return r
}

// StreamFile responds with status 200 and what write writes, in chunks. If write fails after the first chunk
// was sent, the error is ErrAborted.
func StreamFile(w http.ResponseWriter, contentType string, write func(io.Writer) error) error {
	out := NewStreamWriter(w, contentType)
	return out.Close(write(out))
}
