package web

import (
	"context"
	"errors"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/waymark"
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
	out := httpx.NewStreamWriter(v.w, v.r, format.MediaType(), v.Settings.StreamTimeout, v.stillSignedIn)
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

// stillSignedIn returns an error if the session has ended.
func (v *visit) stillSignedIn(ctx context.Context) error {
	if _, err := v.Accounts.Visitor(ctx, v.sessionSecret()); errors.Is(err, waymark.ErrNotFound) {
		return errSignIn
	}
	return nil // an error of the database does not end the response
}
