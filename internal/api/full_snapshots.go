package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// addFullSnapshot receives a page as a browser has saved it, and stores it as the full snapshot of the link
// with its URL. It adds the link if the user has none. LinkAce has no such operation.
func (a *API) addFullSnapshot(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var file *transfer.File
	form, err := httpx.ReadUpload(w, r, func(body io.Reader) (err error) {
		file, err = a.Uploads.Receive(r.Context(), user.ID, body)
		return err
	})
	if file != nil {
		defer a.discard(r.Context(), file)
	}
	if err != nil {
		return uploadError(err)
	}
	url := strings.TrimSpace(form.Fields.Get("url"))
	if err := requireUpload(url, form); err != nil {
		return err
	}
	if err := a.Service.CheckPage(r.Context(), user, url, rest.MayEdit(r)); err != nil {
		return err
	}
	page, err := a.Uploads.ReadPage(r.Context(), user.ID, file, form.ContentType, url)
	if err != nil {
		return uploadError(err)
	}
	defer a.discard(r.Context(), page)
	link, err := a.Service.LinkOfPage(r.Context(), user, page.Texts.NewLink(url), rest.MayEdit(r))
	if err != nil {
		return err
	}
	if _, err := a.Uploads.SavePage(r.Context(), user, link.ID, page); err != nil {
		return uploadError(err)
	}
	link, err = a.Store.Link(r.Context(), user.ID, link.ID)
	return writeEntity(a, w, r, &link, newLinkJSON, err)
}

// discard deletes a temporary file.
func (a *API) discard(ctx context.Context, file io.Closer) {
	if err := file.Close(); err != nil {
		a.Log.ErrorContext(ctx, "uploaded file not deleted", "error", err)
	}
}

// requireUpload returns an error if the form lacks one of its two fields.
func requireUpload(url string, form httpx.UploadForm) error {
	var missing fieldErrors
	if url == "" {
		missing.add("url", "The url field is required.")
	}
	if !form.HasFile {
		missing.add("file", "The file field is required.")
	}
	return missing.err()
}

// uploadError returns the error of the response for an error of httpx.ReadUpload, Uploads.ReadPage or Uploads.SavePage.
func uploadError(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge): // maybe after decompression
		return tooLarge
	case errors.Is(err, transfer.ErrZippedPage):
		return fieldErrors{{field: "file", message: "The file is a page in a ZIP file. Choose the file format HTML in the options of SingleFile."}}
	case errors.Is(err, transfer.ErrNoPage): // also if a compressed one ends too early
		return fieldErrors{{field: "file", message: "The file must be an HTML page."}}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return rest.ErrIncomplete
	case errors.Is(err, httpx.ErrMalformedUpload):
		return rest.Error{Status: http.StatusBadRequest, Sentence: "The body must be a form of the type multipart/form-data."}
	case errors.Is(err, waymark.ErrSnapshotQuota):
		return fieldErrors{{field: "file", message: "The file does not fit the space for your snapshots and attachments."}}
	}
	return err
}
