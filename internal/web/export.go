package web

import (
	"errors"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/service"
)

// export sends a file with the user's data.
func export(v *visit) error {
	format, err := service.ParseExportFormat(v.parameters.Get("format"))
	if err != nil {
		return pageError{http.StatusBadRequest}
	}
	h := v.w.Header()
	h.Set("Content-Disposition", `attachment; filename="`+format.FileName(v.Store.Now())+`"`)
	h.Set("Cache-Control", "no-store")
	out := httpx.NewStreamWriter(v.w, format.MediaType())
	err = out.Close(v.Service.Export(v.ctx(), v.user, format, out))
	if errors.Is(err, httpx.ErrAborted) {
		v.Log.WarnContext(v.ctx(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // the browser must notice that the file is incomplete
	}
	if err != nil {
		h.Del("Content-Disposition")
	}
	return err
}
