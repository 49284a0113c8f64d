package web

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/bookmarks"
	"waymark/internal/httpx"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type importPage struct {
	Options    waymark.ImportOptions
	Visibility string // the name of Options.Visibility, "" for that of the file
	Limit      string // the maximum size of a file
	Sum        string // what the options will do
	Opened     bool   // the options are not the usual ones
	Problems   page.Problems
	Imports    []importView
}

type importView struct {
	waymark.Import
	Format  string // in the language of the visitor
	Started page.Moment
}

func newImportView(r *page.Request, i waymark.Import) importView {
	view := importView{i, i.Format, r.Moment(i.StartedAt)}
	if key := importFormats[bookmarks.Format(i.Format)]; key != "" {
		view.Format = r.T(key)
	}
	return view
}

// importFormats are the keys of the names of formats that differ between languages.
var importFormats = map[bookmarks.Format]string{
	bookmarks.FormatHTML: "import.format-html", bookmarks.FormatPlain: "import.format-urls", bookmarks.FormatArchive: "import.format-archive",
}

// Name returns the name of the file, or that of its format.
func (i importView) Name() string {
	if i.File == "" {
		return i.Format
	}
	return i.File
}

// Total returns the number of rows of a file of which a part was read, as that part suggests it.
func (i importView) Total() int {
	if i.Position <= 0 || i.Position >= i.Size {
		return i.Counts.Read
	}
	return int(float64(i.Counts.Read) * float64(i.Size) / float64(i.Position))
}

// Skipped returns the number of rows whose links were saved already, by this import or before.
func (i importView) Skipped() int { return i.Counts.Skipped + i.Counts.Merged }

// Undoable reports whether the import can be undone.
func (i importView) Undoable() bool { return i.State != waymark.ImportUndone && i.Steps > 0 }

const maxShownImports = 10

func showImport(r *page.Request) error {
	return renderImport(r, http.StatusOK, waymark.ImportOptions{}, nil)
}

func renderImport(r *page.Request, status int, options waymark.ImportOptions, found page.Problems) error {
	p := importPage{Options: options.WithDefaults(), Limit: r.Locale.Size(int64(r.Config.MaxImport)), Problems: found}
	visibility := r.T("import.visibility-file")
	if options.Visibility != 0 {
		p.Visibility = options.Visibility.String()
		visibility = r.T("visibility." + p.Visibility)
	}
	p.Opened = p.Options != waymark.ImportOptions{}.WithDefaults()
	option := func(name, value string) string { return r.T("import."+name) + " " + r.T("import."+name+"-"+value) }
	p.Sum = strings.Join([]string{
		option("folders", string(p.Options.Folders)), option("duplicates", string(p.Options.OnDuplicate)),
		r.T("import.visibility") + " " + visibility,
	}, " · ")
	all, err := r.Store.Imports(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	for _, i := range all[:min(len(all), maxShownImports)] {
		p.Imports = append(p.Imports, newImportView(r, i))
	}
	return r.RenderStatus(status, "import", p)
}

func addImport(r *page.Request) error {
	r.HTTP.Body = httpx.LongBody(r.W, r.HTTP, int64(r.Config.MaxImport))
	parts, err := r.HTTP.MultipartReader()
	if err != nil {
		return page.Error{Status: http.StatusBadRequest}
	}
	var options waymark.ImportOptions
	file, err := importFields(parts, &options)
	if err != nil {
		return err
	}
	if file == nil || file.FileName() == "" {
		return renderImport(r, http.StatusUnprocessableEntity, options, page.Problems{{Field: "file", Text: r.T("import.no-file")}})
	}
	name := []rune(httpx.ReplaceInvalid(file.FileName()))
	name = name[:min(len(name), waymark.MaxName)]
	i, err := r.Uploads.Import(r.Context(), r.User, waymark.Import{File: string(name), Options: options}, file)
	if err != nil {
		return importProblem(r, options, err)
	}
	return r.Redirect(fmt.Sprintf("/imports/%d", i.ID))
}

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
			return nil, page.Error{Status: http.StatusBadRequest}
		case part.FormName() == "file":
			return part, nil
		}
		text, err := io.ReadAll(io.LimitReader(part, maxImportField))
		if err != nil {
			return nil, page.Error{Status: http.StatusBadRequest}
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
func importProblem(r *page.Request, options waymark.ImportOptions, err error) error {
	var file *transfer.FileError
	var tooLarge *http.MaxBytesError
	var format *bookmarks.FormatError
	text := ""
	switch {
	case errors.As(err, &tooLarge):
		text = r.T("import.too-large", "size", r.Locale.Size(tooLarge.Limit))
	case errors.As(err, &file) && errors.As(file, &format):
		text = r.T(cmp.Or(importKinds[format.Kind], "import.unknown"))
	case file != nil:
		text = r.T("import.unreadable", "reason", file.Error())
	case errors.Is(err, transfer.ErrImportRunning):
		text = r.T("import.one-at-a-time")
	case errors.Is(err, waymark.ErrBusy):
		text = r.T("import.busy")
	case errors.Is(err, io.ErrUnexpectedEOF): // the browser sent less than the whole form
		return page.Error{Status: http.StatusBadRequest}
	default:
		return err
	}
	return renderImport(r, http.StatusUnprocessableEntity, options, page.Problems{{Field: "file", Text: text}})
}

// importKinds are the keys of the sentences about files that are none of bookmarks.
var importKinds = map[bookmarks.FileKind]string{
	bookmarks.KindEmpty: "import.empty", bookmarks.KindZIP: "import.zip",
	bookmarks.KindFirefox: "import.firefox", bookmarks.KindBinary: "import.binary",
}

type importReport struct {
	importView
	Made   []importFact
	Report []importGroup
	Other  int    // problems that are not stored
	Heaps  []heap // what could be tidied now
}

type importFact struct {
	Name string
	N    int
}

// importGroup is the rows of a file with which the same is wrong.
type importGroup struct {
	Text string
	N    int
	Rows []importRow // the first ones
}

// importRow is a row of a file that was not saved, or not as it is.
type importRow struct {
	Line   int
	URL    string
	Detail string // why the line is malformed, in English, for people who make archives
}

func showImportReport(r *page.Request, id waymark.ImportID) error {
	i, err := r.Store.Import(r.Context(), r.User.ID, id)
	if err != nil {
		return err
	}
	p := importReport{importView: newImportView(r, i)}
	if !i.State.Active() {
		if err := p.fill(r); err != nil {
			return err
		}
	}
	switch {
	case r.Partial("import") && i.State.Active():
		return r.RenderPart("import-state", p)
	case r.Partial("import"):
		return r.RenderChanged("import-end", p)
	}
	return r.Render("import-report", p)
}

// fill adds what an import has made, what was wrong with its file, and what could be tidied.
func (p *importReport) fill(r *page.Request) error {
	lists, tags, err := r.Store.ImportedLabels(r.Context(), p.ID)
	if err != nil {
		return err
	}
	p.Made = []importFact{
		{r.T("import-report.added"), p.Counts.Added}, {r.T("shell.lists"), lists}, {r.T("shell.tags"), tags},
		{r.T("import-report.updated"), p.Counts.Updated}, {r.T("import-report.skipped"), p.Skipped()}, {r.T("import-report.not-imported"), p.Counts.Failed},
		{r.T("import-report.taken-back"), p.Undone.Done}, {r.T("import-report.edited"), p.Undone.Edited}, {r.T("import-report.with-notes"), p.Undone.WithNotes},
	}
	p.Made = append(p.Made[:1], slices.DeleteFunc(p.Made[1:], func(f importFact) bool { return f.N == 0 })...)
	found, err := r.Store.ImportProblems(r.Context(), r.User.ID, p.ID)
	if err != nil {
		return err
	}
	for _, problem := range found {
		p.addProblem(importReason(r, problem), problem)
	}
	p.Other = p.Problems - len(found)
	if p.State == waymark.ImportFinished {
		p.Heaps, err = heapsOf(r, importHeaps)
	}
	return err
}

const maxShownProblems = 50

func (p *importReport) addProblem(text string, problem waymark.ImportProblem) {
	at := slices.IndexFunc(p.Report, func(g importGroup) bool { return g.Text == text })
	if at < 0 {
		at = len(p.Report)
		p.Report = append(p.Report, importGroup{Text: text})
	}
	group := &p.Report[at]
	if group.N++; group.N > maxShownProblems {
		return
	}
	row := importRow{Line: problem.Line, URL: problem.URL}
	if problem.Field == waymark.FieldLine && problem.Rule == waymark.RuleFormat {
		row.Detail = problem.Text
	}
	group.Rows = append(group.Rows, row)
}

// importReasons are the keys of the sentences about rows, the first that applies. A field or a rule of zero stands for
// all others.
var importReasons = []struct {
	field waymark.Field
	rule  waymark.Rule
	key   string
}{
	{waymark.FieldURL, waymark.RuleRequired, "no-url"},
	{waymark.FieldDate, waymark.RuleFormat, "bad-date"},
	{waymark.FieldDate, 0, "date"},
	{waymark.FieldRow, waymark.RuleFormat, "invalid-bytes"},
	{waymark.FieldRow, waymark.RuleRequired, "no-end"},
	{waymark.FieldRow, waymark.RuleMaxCount, "too-many-cells"},
	{waymark.FieldRow, 0, "too-long"},
	{waymark.FieldLink, waymark.RuleExists, "link-unseen"},
	{waymark.FieldLink, 0, "link-not-saved"},
	{waymark.FieldEntities, waymark.RuleMaxCount, "after-end"},
	{waymark.FieldEntities, 0, "incomplete"},
	{waymark.FieldLine, waymark.RuleMaxBytes, "line-too-long"},
	{waymark.FieldLine, waymark.RuleExists, "unknown-type"},
	{waymark.FieldLine, 0, "malformed"},
	{waymark.FieldSnapshots, waymark.RuleMaxCount, "no-space"},
	{waymark.FieldFolders, waymark.RuleMaxDepth, "joined-folders"},
	{waymark.FieldFolders, waymark.RuleExists, "flat-lists"},
	{waymark.FieldMarkup, 0, "broken-bookmark"},
	{waymark.FieldColumn, 0, "unused-columns"},
}

func importReason(r *page.Request, p waymark.ImportProblem) string {
	switch {
	case p.Rule == 0:
		return r.T("import-report.unreadable", "reason", p.Text)
	case p.Field == waymark.FieldLine && p.Rule == waymark.RuleExists && p.Saved:
		return r.T("import-report.unknown-field")
	case p.Field == waymark.FieldMarkup && p.Saved:
		return r.T("import-report.broken-markup")
	}
	for _, reason := range importReasons {
		if reason.field == p.Field && (reason.rule == p.Rule || reason.rule == 0) {
			names := strings.TrimPrefix(p.Text, "not used: ")
			return r.T("import-report."+reason.key, "n", p.Limit, "names", names)
		}
	}
	switch {
	case p.Field == waymark.FieldURL && p.Text != "":
		return r.T("import-report.saved-search")
	case p.Field == waymark.FieldURL:
		return r.T("import-report.bad-url")
	}
	field := map[waymark.Field]string{
		waymark.FieldName:  r.T("field.name"),
		waymark.FieldTitle: r.T("field.title"), waymark.FieldDescription: r.T("field.description"), waymark.FieldText: r.T("import-report.note"),
		waymark.FieldLists: r.T("field.lists"), waymark.FieldTags: r.T("field.tags"), waymark.FieldImageURL: r.T("import-report.image"),
		waymark.FieldSnapshots: r.T("field.snapshots"), waymark.FieldAttachments: r.T("attachments.title"), waymark.FieldPassages: r.T("passages.title"), waymark.FieldExact: r.T("passages.title"), waymark.FieldBundles: r.T("shell.searches"), waymark.FieldSavedSearches: r.T("shell.searches"), waymark.FieldQuery: r.T("links.search"),
	}[p.Field]
	long := p.Rule == waymark.RuleMaxLength || p.Rule == waymark.RuleMaxBytes
	switch {
	case !p.Saved && long:
		return r.T("import-report.refused-long", "field", field, "n", p.Limit)
	case !p.Saved:
		return r.T("import-report.refused", "field", field)
	case long:
		return r.T("import-report.shortened", "field", field, "n", p.Limit)
	case p.Rule == waymark.RuleMaxCount:
		return r.T("import-report.left-out", "field", field, "n", p.Limit)
	case p.Rule == waymark.RuleMaxControl, p.Rule == waymark.RuleNoNUL:
		return r.T("import-report.cleaned", "field", field)
	}
	return r.T("import-report.not-saved", "field", field)
}

func undoImport(r *page.Request, id waymark.ImportID) error {
	i, err := r.Uploads.Undo(r.Context(), r.User, id)
	switch {
	case err != nil && !errors.Is(err, waymark.ErrConflict):
		return err
	case i.State != waymark.ImportUndone: // its page says how far it is
		return r.Redirect(fmt.Sprintf("/imports/%d", id))
	}
	message := r.T("import-report.done", "n", i.Undone.Done)
	if i.Undone.Edited > 0 {
		message += " " + r.T("import-report.kept-edited", "n", i.Undone.Edited)
	}
	if i.Undone.WithNotes > 0 {
		message += " " + r.T("import-report.kept-with-notes", "n", i.Undone.WithNotes)
	}
	return r.Changed(fmt.Sprintf("/imports/%d", id), page.Toast{Text: message})
}
