package web

import (
	"errors"
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
	out := httpx.NewStreamWriter(r.W, format.MediaType())
	err = out.Close(r.Transfer.Export(r.Context(), r.User, format, out))
	if errors.Is(err, httpx.ErrAborted) {
		r.Log.WarnContext(r.Context(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // the browser must notice that the file is incomplete
	}
	if err != nil {
		h.Del("Content-Disposition")
	}
	return err
}
