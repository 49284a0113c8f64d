package api

import (
	"errors"
	"io"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// Imports are no part of LinkAce's API.

type importJSON struct {
	ID          waymark.ImportID          `json:"id"`
	File        *string                   `json:"file"`
	Format      string                    `json:"format"`
	State       waymark.ImportState       `json:"state"`
	Error       *string                   `json:"error"`
	Folders     waymark.ImportFolders     `json:"folders"`
	FolderNames waymark.ImportFolderNames `json:"folder_names"`
	OnDuplicate waymark.ImportDuplicates  `json:"on_duplicate"`
	Visibility  *waymark.Visibility       `json:"visibility"`
	Size        int64                     `json:"size"`
	Position    int64                     `json:"position"`
	Read        int                       `json:"read"`
	Added       int                       `json:"added"`
	Updated     int                       `json:"updated"`
	Merged      int                       `json:"merged"`
	Skipped     int                       `json:"skipped"`
	Failed      int                       `json:"failed"`
	Problems    int                       `json:"problems"`
	Undone      int                       `json:"undone"`
	UndoSkipped int                       `json:"undo_skipped"`
	UndoEdited  int                       `json:"undo_skipped_edited"`
	UndoNotes   int                       `json:"undo_skipped_with_notes"`
	Started     string                    `json:"started_at"`
	Finished    *string                   `json:"finished_at"`
	Report      []importProblemJSON       `json:"report,omitempty"`
}

// importProblemJSON is a row of a file that was not saved, or was saved with changes.
type importProblemJSON struct {
	Line    int    `json:"line"`
	URL     string `json:"url"`
	Saved   bool   `json:"saved"`
	Message string `json:"message"`
}

func newImportJSON(i waymark.Import) importJSON {
	return importJSON{
		ID: i.ID, File: optional(i.File), Format: i.Format, State: i.State, Error: optional(i.Error),
		Folders: i.Options.Folders, FolderNames: i.Options.FolderNames, OnDuplicate: i.Options.OnDuplicate,
		Visibility: optional(i.Options.Visibility), Size: i.Size, Position: i.Position,
		Read: i.Counts.Read, Added: i.Counts.Added, Updated: i.Counts.Updated, Merged: i.Counts.Merged, Skipped: i.Counts.Skipped, Failed: i.Counts.Failed,
		Problems: i.Problems, Undone: i.Undone.Done, UndoSkipped: i.Undone.Kept(), UndoEdited: i.Undone.Edited, UndoNotes: i.Undone.WithNotes,
		Started: i.StartedAt.String(), Finished: optionalTime(i.FinishedAt),
	}
}

func (a *API) listImports(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	all, err := a.Store.Imports(r.Context(), user.ID)
	return writeJSON(w, waymark.Map(all, newImportJSON), err)
}

func (a *API) getImport(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ImportID) error {
	i, err := a.Store.Import(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	found, err := a.Store.ImportProblems(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	out := newImportJSON(i)
	for _, p := range found {
		out.Report = append(out.Report, importProblemJSON{p.Line, p.URL, p.Saved, p.Reason()})
	}
	return writeJSON(w, out, nil)
}

// addImport receives a file as the body, and imports it in the background.
func (a *API) addImport(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	options, fileName, err := importOptions(r)
	if err != nil {
		return err
	}
	if r.ContentLength > int64(a.Settings.MaxImport) {
		w.Header().Set("Connection", "close")
		return &http.MaxBytesError{Limit: int64(a.Settings.MaxImport)}
	}
	body := httpx.LongBody(w, r, int64(a.Settings.MaxImport))
	i, err := a.Uploads.Import(r.Context(), user, waymark.Import{File: fileName, Options: options}, body)
	var file *transfer.FileError
	switch {
	case errors.As(err, &file):
		return fieldErrors{{field: "file", message: "The file could not be read: " + file.Error()}}
	case errors.Is(err, transfer.ErrImportRunning):
		return rest.Error{Status: http.StatusConflict, Sentence: "An import of yours is running. Please try again when it has ended."}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return rest.ErrIncomplete
	case err != nil:
		return err
	}
	return writeJSON(w, newImportJSON(i), nil)
}

// importOptions decodes the query of addImport.
func importOptions(r *http.Request) (options waymark.ImportOptions, file string, err error) {
	q := queryParams(r)
	options = waymark.ImportOptions{
		Folders:     waymark.ImportFolders(q.text("folders")),
		FolderNames: waymark.ImportFolderNames(q.text("folder_names")),
		OnDuplicate: waymark.ImportDuplicates(q.text("on_duplicate")),
		Visibility:  q.visibility(),
	}
	if err := errors.Join(q.errors.err(), options.Validate()); err != nil {
		return options, "", err
	}
	file = q.text("file")
	if runes := []rune(file); len(runes) > waymark.MaxName {
		file = string(runes[:waymark.MaxName])
	}
	return options, file, nil
}

func (a *API) undoImport(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ImportID) error {
	i, err := a.Uploads.Undo(r.Context(), user, id)
	if errors.Is(err, waymark.ErrConflict) {
		i, err = a.Store.Import(r.Context(), user.ID, id) // it was undone before
	}
	return writeJSON(w, newImportJSON(i), err)
}

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
