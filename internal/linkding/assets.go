package linkding

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// assetJSON is an attachment in responses.
type assetJSON struct {
	ID          waymark.AttachmentID `json:"id"`
	Bookmark    waymark.LinkID       `json:"bookmark"`
	DateCreated string               `json:"date_created"`
	FileSize    int64                `json:"file_size"`
	AssetType   string               `json:"asset_type"`
	ContentType string               `json:"content_type"`
	DisplayName string               `json:"display_name"`
	Status      string               `json:"status"`
}

func newAssetJSON(a waymark.Attachment) assetJSON {
	asset := assetJSON{a.ID, a.Link, timeText(a.CreatedAt), a.Size, "upload", a.ContentType, a.Name, "complete"}
	if a.FullSnapshot {
		asset.AssetType, asset.DisplayName = "snapshot", snapshotName(a)
	}
	return asset
}

// snapshotName returns the name of a page that a browser has saved.
func snapshotName(a waymark.Attachment) string {
	return "HTML snapshot from " + a.CreatedAt.Time().UTC().Format("01/02/2006")
}

// saveSnapshot stores a page as a browser has saved it for the bookmark with its URL, which it adds if there
// is none.
func (a *API) saveSnapshot(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	form, file, err := a.receive(w, r, user)
	if file != nil {
		defer a.discard(r.Context(), file)
	}
	if err != nil {
		return err
	}
	url := strings.TrimSpace(form.Fields.Get("url"))
	if file == nil || url == "" {
		return assetError{http.StatusBadRequest, "Both 'url' and 'file' parameters are required."}
	}
	mayEdit := rest.MayEdit(r)
	if err := a.Service.CheckPage(r.Context(), user, url, mayEdit); err != nil {
		return err
	}
	page, err := a.Uploads.ReadPage(r.Context(), user.ID, file, form.ContentType, url)
	if err != nil {
		return uploadError(err)
	}
	defer a.discard(r.Context(), page)
	link, err := a.Service.LinkOfPage(r.Context(), user, page.Texts.NewLink(url), mayEdit)
	if err != nil {
		return err
	}
	if _, err := a.Uploads.SavePage(r.Context(), user, link.ID, page); err != nil {
		return uploadError(err)
	}
	return httpx.WriteJSON(w, http.StatusCreated, map[string]string{"message": "Snapshot uploaded successfully."})
}

// receive receives a form with a file, which is nil if the form has none. The caller closes the file, also
// after an error.
func (a *API) receive(w http.ResponseWriter, r *http.Request, user waymark.User) (form httpx.UploadForm, file *transfer.File, err error) {
	declared := r.Header.Get("Content-Type")
	switch media, _, _ := mime.ParseMediaType(declared); media {
	case multipartType:
	case jsonType, formType:
		return form, nil, nil
	default:
		if r.ContentLength == 0 {
			return form, nil, nil
		}
		return form, nil, unsupportedType(declared)
	}
	form, err = httpx.ReadUpload(w, r, func(body io.Reader) (err error) {
		file, err = a.Uploads.Receive(r.Context(), user.ID, body)
		return err
	})
	return form, file, uploadError(err)
}

// discard deletes a temporary file.
func (a *API) discard(ctx context.Context, file io.Closer) {
	if err := file.Close(); err != nil {
		a.Log.ErrorContext(ctx, "uploaded file not deleted", "error", err)
	}
}

// uploadError returns the error of the response for an error of an upload.
func uploadError(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return assetError{http.StatusRequestEntityTooLarge, fmt.Sprintf("The file must not be larger than %d bytes.", tooLarge.Limit)}
	case errors.Is(err, httpx.ErrMalformedUpload):
		return badRequest("Multipart form parse error - the form is incomplete or malformed.")
	case errors.Is(err, transfer.ErrZippedPage):
		return assetError{http.StatusBadRequest, "The file is a page in a ZIP file. Choose the file format HTML in the options of SingleFile."}
	case errors.Is(err, transfer.ErrNoPage):
		return assetError{http.StatusBadRequest, "The file is not an HTML page."}
	case errors.Is(err, waymark.ErrSnapshotQuota):
		return assetError{http.StatusBadRequest, "The file does not fit the space for your snapshots and attachments."}
	}
	return err
}

// assetLink returns the user's own link with the id in the path of its attachments.
func (a *API) assetLink(r *http.Request, user waymark.User) (waymark.Link, error) {
	link, err := a.ownLink(r, user)
	if errors.Is(err, errNoBookmark) {
		err = errNoAssetLink
	}
	return link, err
}

func (a *API) listAssets(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
	all, err := a.Store.Snapshots.Attachments(r.Context(), user.ID, link.ID)
	if err != nil {
		return err
	}
	return writePart(a.newPageWriter(w, r), all, newAssetJSON)
}

// asset returns the attachment in the path.
func (a *API) asset(r *http.Request, user waymark.User) (waymark.Attachment, error) {
	link, err := a.assetLink(r, user)
	if err != nil {
		return waymark.Attachment{}, err
	}
	id, err := rest.PathID[waymark.AttachmentID](r, "asset")
	if err != nil {
		return waymark.Attachment{}, err
	}
	found, err := a.Store.Snapshots.Attachment(r.Context(), user.ID, link.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		err = errNoAsset
	}
	return found, err
}

func (a *API) getAsset(w http.ResponseWriter, _ *http.Request, _ waymark.User, found waymark.Attachment) error {
	return httpx.WriteJSON(w, http.StatusOK, newAssetJSON(found))
}

func (a *API) downloadAsset(w http.ResponseWriter, r *http.Request, _ waymark.User, found waymark.Attachment) error {
	name := found.Name
	if found.FullSnapshot {
		name = snapshotName(found) + ".html"
	}
	return httpx.SendAttachment(w, name, found.ContentType, func(to io.Writer) error {
		return a.Store.Snapshots.CopyAttachment(r.Context(), found, to)
	})
}

// addAsset stores a file as an attachment of a bookmark.
func (a *API) addAsset(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
	form, file, err := a.receive(w, r, user)
	if file != nil {
		defer a.discard(r.Context(), file)
	}
	if err != nil {
		return err
	}
	if file == nil {
		return assetError{http.StatusBadRequest, "No file provided."}
	}
	stored, err := a.Uploads.Attach(r.Context(), user, waymark.NewAttachment(link.ID, form.Name, form.ContentType), file)
	if err != nil {
		return uploadError(err)
	}
	return httpx.WriteJSON(w, http.StatusCreated, newAssetJSON(stored))
}

func (a *API) deleteAsset(w http.ResponseWriter, r *http.Request, user waymark.User, found waymark.Attachment) error {
	return writeNothing(w, a.Store.Snapshots.Detach(r.Context(), user, found.Link, found.ID))
}
