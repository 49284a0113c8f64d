package web

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"waymark/internal/bookmarks"
	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// importPage is the data of the page on which users import a file.
type importPage struct {
	Options    waymark.ImportOptions
	Visibility string // the name of Options.Visibility, "" for that of the file
	Limit      string // the maximum size of a file
	Problems   problems
	Imports    []importView
}

// importView is an import as pages show it.
type importView struct {
	waymark.Import
	Format  string // in the language of the visitor
	Started moment
}

func newImportView(v *visit, i waymark.Import) importView {
	view := importView{i, i.Format, v.moment(i.StartedAt)}
	switch bookmarks.Format(i.Format) {
	case bookmarks.FormatHTML:
		view.Format = v.t("import.format-html")
	case bookmarks.FormatPlain:
		view.Format = v.t("import.format-addresses")
	case bookmarks.FormatArchive:
		view.Format = v.t("import.format-archive")
	case bookmarks.FormatCSV, bookmarks.FormatOPML, bookmarks.FormatJSON: // the same in all languages
	}
	return view
}

// Name returns the name of the file, or that of its format.
func (i importView) Name() string {
	if i.File == "" {
		return i.Format
	}
	return i.File
}

// Percent returns how much of the file was read.
func (i importView) Percent() int {
	if i.Size == 0 {
		return 0
	}
	return int(min(i.Position, i.Size) * 100 / i.Size)
}

// Skipped returns the number of rows whose links were saved already, by this import or before.
func (i importView) Skipped() int { return i.Counts.Skipped + i.Counts.Merged }

// Undoable reports whether the import can be undone.
func (i importView) Undoable() bool { return i.State != waymark.ImportUndone && i.Steps > 0 }

// maxShownImports is the number of imports on a page.
const maxShownImports = 10

func showImport(v *visit) error {
	return renderImport(v, http.StatusOK, waymark.ImportOptions{}, nil)
}

func renderImport(v *visit, status int, options waymark.ImportOptions, found problems) error {
	p := importPage{Options: options.WithDefaults(), Limit: v.locale.size(int64(v.Settings.MaxImport)), Problems: found}
	if options.Visibility != 0 {
		p.Visibility = options.Visibility.String()
	}
	all, err := v.Store.Imports(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	for _, i := range all[:min(len(all), maxShownImports)] {
		p.Imports = append(p.Imports, newImportView(v, i))
	}
	return v.renderStatus(status, "import", p)
}

// addImport receives a file and imports it in the background.
func addImport(v *visit) error {
	v.r.Body = httpx.LongBody(v.w, v.r, int64(v.Settings.MaxImport))
	parts, err := v.r.MultipartReader()
	if err != nil {
		return pageError{http.StatusBadRequest}
	}
	var options waymark.ImportOptions
	file, err := importFields(parts, &options)
	if err != nil {
		return err
	}
	if file == nil || file.FileName() == "" {
		return renderImport(v, http.StatusUnprocessableEntity, options, problems{{"file", v.t("import.no-file")}})
	}
	i, err := v.Uploads.Import(v.ctx(), v.user, waymark.Import{File: importName(file.FileName()), Options: options}, file)
	if err != nil {
		return importProblem(v, options, err)
	}
	return v.redirect(fmt.Sprintf("/imports/%d", i.ID))
}

// importName returns the name of a file as it is stored: valid and not too long.
func importName(name string) string {
	runes := []rune(httpx.ReplaceInvalid(name))
	return string(runes[:min(len(runes), waymark.MaxName)])
}

// maxImportField is the maximum length of a field of the form that comes before the file.
const maxImportField = 100

// importFields reads the fields of the form that come before the file, and returns the file, nil
// if there is none.
func importFields(parts *multipart.Reader, options *waymark.ImportOptions) (file *multipart.Part, err error) {
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, pageError{http.StatusBadRequest}
		case part.FormName() == "file":
			return part, nil
		}
		text, err := io.ReadAll(io.LimitReader(part, maxImportField))
		if err != nil {
			return nil, pageError{http.StatusBadRequest}
		}
		switch value := string(text); part.FormName() {
		case "folders":
			options.Folders = waymark.ImportFolders(value)
		case "folder-names":
			options.FolderNames = waymark.ImportFolderNames(value)
		case "on-duplicate":
			options.OnDuplicate = waymark.ImportDuplicates(value)
		case "visibility":
			if value == "" {
				break
			}
			if options.Visibility, err = waymark.ParseVisibility(value); err != nil {
				return nil, waymark.Invalid(waymark.FieldVisibility, waymark.RuleExists)
			}
		}
	}
}

// importProblem shows the form again with what is wrong with the file.
func importProblem(v *visit, options waymark.ImportOptions, err error) error {
	var file *service.FileError
	var tooLarge *http.MaxBytesError
	text := ""
	switch {
	case errors.As(err, &tooLarge):
		text = v.t("import.too-large", "size", v.locale.size(tooLarge.Limit))
	case errors.As(err, &file):
		text = importFileProblem(v, file)
	case errors.Is(err, service.ErrImportRunning):
		text = v.t("import.one-at-a-time")
	case errors.Is(err, waymark.ErrBusy):
		text = v.t("import.busy")
	case errors.Is(err, io.ErrUnexpectedEOF): // the browser sent less than the whole form
		return pageError{http.StatusBadRequest}
	default:
		return err
	}
	return renderImport(v, http.StatusUnprocessableEntity, options, problems{{"file", text}})
}

// importFileProblem returns the sentence about a file that cannot be read.
func importFileProblem(v *visit, err error) string {
	var format *bookmarks.FormatError
	if !errors.As(err, &format) {
		return v.t("import.unreadable", "reason", err.Error())
	}
	switch format.Kind {
	case bookmarks.KindEmpty:
		return v.t("import.empty")
	case bookmarks.KindZIP:
		return v.t("import.zip")
	case bookmarks.KindGzip:
		return v.t("import.gzip")
	case bookmarks.KindFirefox:
		return v.t("import.firefox")
	case bookmarks.KindBinary:
		return v.t("import.binary")
	case bookmarks.KindUnknown:
	}
	return v.t("import.unknown")
}

// importReport is the data of the page of one import.
type importReport struct {
	importView
	Report []importRow
	Other  int // problems that are not stored
}

// importRow is a row of a file that was not saved, or not as it is.
type importRow struct {
	Line   int
	URL    string
	Text   string
	Detail string // why the line is malformed, in English, for people who make archives
}

func showImportReport(v *visit) error {
	id, err := pathID[waymark.ImportID](v)
	if err != nil {
		return err
	}
	i, err := v.Store.Import(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	p := importReport{importView: newImportView(v, i)}
	if !i.State.Active() {
		found, err := v.Store.ImportProblems(v.ctx(), v.user.ID, id)
		if err != nil {
			return err
		}
		for _, problem := range found[:min(len(found), maxShownProblems)] {
			row := importRow{Line: problem.Line, URL: problem.URL, Text: importReason(v, problem)}
			if problem.Field == waymark.FieldLine && problem.Rule == waymark.RuleFormat {
				row.Detail = problem.Text
			}
			p.Report = append(p.Report, row)
		}
		p.Other = i.Problems - len(p.Report)
	}
	if v.partial("import") {
		return v.renderPart("import-state", p)
	}
	return v.render("import-report", p)
}

// maxShownProblems is the number of rows of a report on a page.
const maxShownProblems = 100

// importReason returns the sentence about a row.
func importReason(v *visit, p waymark.ImportProblem) string {
	switch {
	case p.Rule == 0:
		return v.t("import-report.unreadable", "reason", p.Text)
	case p.Field == waymark.FieldDate && p.Rule == waymark.RuleFormat:
		return v.t("import-report.bad-date")
	case p.Field == waymark.FieldRow && p.Rule == waymark.RuleFormat:
		return v.t("import-report.invalid-bytes")
	case p.Field == waymark.FieldRow && p.Rule == waymark.RuleRequired:
		return v.t("import-report.no-end")
	case p.Field == waymark.FieldRow && p.Rule == waymark.RuleMaxCount:
		return v.t("import-report.too-many-cells", "n", p.Limit)
	case p.Field == waymark.FieldRow:
		return v.t("import-report.too-long", "n", p.Limit)
	case p.Field == waymark.FieldLine || p.Field == waymark.FieldEntities || p.Field == waymark.FieldLink:
		return archiveReason(v, p)
	case p.Field == waymark.FieldSnapshots && p.Rule == waymark.RuleMaxCount:
		return v.t("import-report.no-space")
	case p.Field == waymark.FieldFolders:
		return v.t("import-report.too-deep", "n", p.Limit)
	case p.Field == waymark.FieldURL && p.Rule == waymark.RuleRequired:
		return v.t("import-report.no-address")
	case p.Field == waymark.FieldURL && p.Text != "":
		return v.t("import-report.saved-search")
	case p.Field == waymark.FieldURL:
		return v.t("import-report.bad-address")
	case p.Field == waymark.FieldDate:
		return v.t("import-report.date")
	}
	field := map[waymark.Field]string{
		waymark.FieldName:  v.t("field.name"),
		waymark.FieldTitle: v.t("field.title"), waymark.FieldDescription: v.t("field.description"), waymark.FieldText: v.t("import-report.note"),
		waymark.FieldLists: v.t("field.lists"), waymark.FieldTags: v.t("field.tags"), waymark.FieldThumbnail: v.t("import-report.thumbnail"),
		waymark.FieldSnapshots: v.t("field.snapshots"), waymark.FieldSavedSearches: v.t("shell.searches"), waymark.FieldQuery: v.t("links.search"),
	}[p.Field]
	long := p.Rule == waymark.RuleMaxLength || p.Rule == waymark.RuleMaxBytes
	switch {
	case !p.Saved && long:
		return v.t("import-report.refused-long", "field", field, "n", p.Limit)
	case !p.Saved:
		return v.t("import-report.refused", "field", field)
	case long:
		return v.t("import-report.shortened", "field", field, "n", p.Limit)
	case p.Rule == waymark.RuleMaxCount:
		return v.t("import-report.left-out", "field", field, "n", p.Limit)
	case p.Rule == waymark.RuleMaxControl, p.Rule == waymark.RuleNoNUL:
		return v.t("import-report.cleaned", "field", field)
	}
	return v.t("import-report.not-saved", "field", field)
}

// archiveReason returns the sentence about a line of an archive.
func archiveReason(v *visit, p waymark.ImportProblem) string {
	switch {
	case p.Field == waymark.FieldLink && p.Rule == waymark.RuleExists:
		return v.t("import-report.link-unseen")
	case p.Field == waymark.FieldLink:
		return v.t("import-report.link-not-saved")
	case p.Field == waymark.FieldEntities && p.Rule == waymark.RuleMaxCount:
		return v.t("import-report.after-end")
	case p.Field == waymark.FieldEntities:
		return v.t("import-report.incomplete", "n", p.Limit)
	case p.Rule == waymark.RuleMaxBytes:
		return v.t("import-report.line-too-long", "n", p.Limit)
	case p.Rule == waymark.RuleExists && p.Saved:
		return v.t("import-report.unknown-field")
	case p.Rule == waymark.RuleExists:
		return v.t("import-report.unknown-type")
	}
	return v.t("import-report.malformed")
}

// undoImport undoes an import.
func undoImport(v *visit) error {
	id, err := pathID[waymark.ImportID](v)
	if err != nil {
		return err
	}
	i, err := v.Uploads.Undo(v.ctx(), v.user, id)
	switch {
	case err != nil && !errors.Is(err, waymark.ErrConflict):
		return err
	case i.State != waymark.ImportUndone: // its page says how far it is
		return v.redirect(fmt.Sprintf("/imports/%d", id))
	}
	message := v.t("import-report.done", "n", i.Undone.Done)
	if i.Undone.Edited > 0 {
		message += " " + v.t("import-report.kept-edited", "n", i.Undone.Edited)
	}
	if i.Undone.WithNotes > 0 {
		message += " " + v.t("import-report.kept-with-notes", "n", i.Undone.WithNotes)
	}
	return v.changed(fmt.Sprintf("/imports/%d", id), toast{Text: message})
}
