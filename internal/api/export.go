package api

import (
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// export streams a file with the user's data. LinkAce has no such operation.
func (a *API) export(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := queryParams(r)
	format, err := transfer.ParseExportFormat(q.text("format"))
	if err != nil {
		q.errors.add("format", "The format must be archive, html, csv, json, markdown or readwise.")
		return q.errors.err()
	}
	w.Header().Set("Content-Disposition", `attachment; filename="`+format.FileName(a.Store.Now())+`"`)
	out := httpx.NewStreamWriter(w, format.MediaType())
	err = out.Close(a.Transfer.Export(r.Context(), user, format, out))
	if err != nil {
		w.Header().Del("Content-Disposition")
	}
	return err
}
