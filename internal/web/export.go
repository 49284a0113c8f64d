package web

import (
	"errors"
	"io"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/transfer"
	"waymark/internal/web/page"
)

// export sends a file with the user's data.
func export(r *page.Request) error {
	format, err := transfer.ParseExportFormat(r.Parameters.Get("format"))
	if err != nil {
		return page.Error{Status: http.StatusBadRequest}
	}
	h := r.W.Header()
	h.Set("Content-Disposition", `attachment; filename="`+format.FileName(r.Store.Now())+`"`)
	h.Set("Cache-Control", "no-store")
	err = sendStream(r, func() error {
		return httpx.StreamFile(r.W, format.MediaType(), func(w io.Writer) error { return r.Transfer.Export(r.Context(), r.User, format, w) })
	})
	if err != nil {
		h.Del("Content-Disposition")
	}
	return err
}

// sendStream runs send, which streams a file. It aborts the response if send fails after a part was sent.
func sendStream(r *page.Request, send func() error) error {
	err := send()
	if errors.Is(err, httpx.ErrAborted) {
		r.Log.WarnContext(r.Context(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // the browser must notice that the file is incomplete
	}
	return err
}
