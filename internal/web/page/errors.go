package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/accounts"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// Error is an error whose page is determined by its status.
type Error struct {
	Status int
	Texts  string // the key of its texts, "" for those of the status
}

// Error implements error.
func (e Error) Error() string { return http.StatusText(e.Status) }

var errSignIn = errors.New("sign in first")

var errLacksFactor = errors.New("set up a second factor first")

// ErrTrashed means that a link is in the user's trash.
var ErrTrashed error = Error{Status: http.StatusGone}

// ErrNotYours means that the user sees an entity, and may not do this with it.
var ErrNotYours error = Error{http.StatusForbidden, "error.not-yours"}

type errorPage struct {
	Status    int
	Title     string
	Text      string
	RequestID string
}

// showError sends the page for an error. It is the only place that maps errors to statuses.
// Internal errors are logged here, and their text is never sent.
func (r *Request) showError(err error) {
	switch {
	case r.Queued():
		r.refuseQueued(err)
		return
	case errors.Is(err, errSignIn):
		r.leadTo("/signin")
		return
	case errors.Is(err, errLacksFactor):
		r.leadTo(FactorPath)
		return
	}
	status := r.statusOf(err)
	h := r.W.Header()
	h.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", httpx.RetryAfter)
	}
	if r.Session.ID == 0 {
		r.Visitor = accounts.Visitor{} // a token is for feeds and books, and not for the lists beside a page
	}
	known, _ := errors.AsType[Error](err)
	data := r.errorPage(status, known.Texts)
	if err := r.RenderStatus(status, "error", data); err != nil {
		// The shell needs the database and memory, which may be what is missing.
		r.writeBare(data)
	}
}

// ShowError sends the page for an error of a request that has not reached a page, or whose
// page has panicked. It does not use the database.
func (s *Site) ShowError(w http.ResponseWriter, request *http.Request, status int) {
	r := &Request{Site: s, W: w, HTTP: request}
	r.Localize()
	h := w.Header()
	h["Content-Security-Policy"] = contentPolicy
	h.Set("Cache-Control", "no-store")
	r.writeBare(r.errorPage(status, ""))
}

func (r *Request) writeBare(data errorPage) {
	var body bytes.Buffer
	if err := r.execute(&body, r.partShell(data.Title, data), "bare"); err != nil {
		r.Log.ErrorContext(r.Context(), "error page failed", "error", err)
	}
	r.Send(data.Status, HTMLType, body.Bytes())
}

// goneTexts are the keys of the texts for URLs that work once or for some time, and for pages of
// links, by their route.
var goneTexts = map[string]string{
	"/setup/{token}": "error.once", "/join/{token}": "error.once", "/password/{token}": "error.once", "/undo/{token}": "error.undo",
	"/links/{id}": "error.link", "/links/{id}/trash": "error.link",
}

// errorPage returns the data of the page for a status. texts is the key of its texts, "" for those of the status.
func (r *Request) errorPage(status int, texts string) errorPage {
	h := r.W.Header()
	wait, _ := strconv.Atoi(h.Get("Retry-After")) // 0 if there is none
	key := cmp.Or(texts, "error."+strconv.Itoa(status))
	if of, ok := goneTexts[r.route.Path]; ok && status == http.StatusNotFound {
		key = of
	}
	return errorPage{
		Status: status, Title: r.T(key + "-title"), Text: r.T(key+"-text", "n", wait),
		RequestID: h.Get("X-Request-Id"),
	}
}

// statusOf returns the status of the response for an error, and logs the error if the
// operator can do something about it.
func (r *Request) statusOf(err error) int {
	var page Error
	var invalid *waymark.ValidationError
	ctx := r.Context()
	switch {
	case errors.As(err, &page):
		return page.Status
	// The response does not reveal whether an entity exists that the user may not see.
	case errors.Is(err, waymark.ErrNotFound), errors.Is(err, waymark.ErrForbidden):
		return http.StatusNotFound
	case errors.As(err, &invalid):
		return http.StatusUnprocessableEntity
	case errors.Is(err, httpx.ErrNoMemory):
		r.Log.WarnContext(ctx, "the memory for large request bodies is in use")
		return http.StatusServiceUnavailable
	case errors.Is(err, waymark.ErrUnavailable), ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		if ctx.Err() == nil || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			r.Log.ErrorContext(ctx, "database unavailable or time limit reached", "error", err)
		}
		return http.StatusServiceUnavailable
	}
	r.Log.ErrorContext(ctx, "request failed", "error", err)
	return http.StatusInternalServerError
}

// FactorPath is the path of the page on which people set up a second factor before they can do anything else.
const FactorPath = "/signin/second-factor"

// leadTo redirects to the page on which people sign in. From there they return to the page that they wanted.
// A change that was sent is not repeated after the sign-in, but the form of an entity is filled
// with what was sent. A form that asks for suggestions gets none: it has not been sent yet, and
// would be lost.
func (r *Request) leadTo(path string) {
	script := r.HTTP.Header.Get("HX-Request") == "true"
	if script && strings.HasPrefix(r.route.Path, "/complete/") {
		r.W.WriteHeader(http.StatusNoContent)
		return
	}
	back, unsaved := r.HTTP.URL.RequestURI(), ""
	if r.HTTP.Method != http.MethodGet && r.HTTP.Method != http.MethodHead {
		back, unsaved = r.backToForm()
	}
	signIn := r.URL(path + "?" + QueryOf("back", back, "unsaved", unsaved))
	if script && unsaved == UnsavedText {
		// The page with the text stays. Back would not lead to it: the script sends the text again.
		r.writeBare(errorPage{Status: http.StatusUnauthorized, Title: r.T("signin.kept-text")})
		return
	}
	if script {
		// The script would put the page into a part of the current one.
		r.W.Header().Set("HX-Redirect", signIn)
		r.W.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.Redirect(r.W, r.HTTP, signIn, http.StatusSeeOther)
}

// maxFilledForm is the length up to which a URL fills in a form, in bytes.
const maxFilledForm = 4000

// The values of the parameter unsaved of the sign-in page, which say what becomes of a change that was
// sent without a session.
const (
	UnsavedChange = "change" // it is lost
	UnsavedForm   = "form"   // its form is filled in again
	UnsavedText   = "text"   // its text is lost without the script: it is too long for a URL, or no URL fills in its form
)

// backToForm returns the path of the page for people whose change was not saved, and what becomes
// of the change.
func (r *Request) backToForm() (back, unsaved string) {
	path := r.HTTP.URL.Path
	var fields []string
	switch r.route.Path {
	case "/links":
		path, fields = "/links/create", linkFields
	case "/links/{id}":
		fields = slices.Concat(linkFields, []string{"version", "back"})
	case "/links/{id}/notes":
		path, fields = strings.TrimSuffix(path, "/notes"), []string{"text", "visibility", "back"}
	case "/lists", "/tags":
		path, fields = path+"/create", labelFields
	case "/lists/{id}", "/tags/{id}":
		path, fields = path+"/edit", labelFields
	case "/notes/{id}":
		path, fields = path+"/edit", []string{"text", "visibility", "version", "back"}
	case "/links/{id}/passages", "/links/{id}/passages/{passage}":
		return r.PageBefore(), UnsavedText
	default:
		return r.PageBefore(), UnsavedChange
	}
	if r.parseForm() != nil {
		return path, UnsavedText
	}
	if r.route.Path == "/links" && r.Field("window") != "" {
		path = "/add"
	}
	query := url.Values{}
	for _, name := range fields {
		if r.HTTP.PostForm.Has(name) {
			query.Set(name, r.Field(name))
		}
	}
	text := query.Encode()
	if len(text) <= maxFilledForm {
		return JoinQuery(path, text), UnsavedForm
	}
	if r.route.Path == "/links" {
		path += "?" + QueryOf("url", r.Field("url"))
	}
	return path, UnsavedText
}

// PageBefore returns the path of the page from which a request came, "/" if it is not known.
func (r *Request) PageBefore() string {
	page, err := url.Parse(cmp.Or(r.HTTP.Header.Get("HX-Current-URL"), r.HTTP.Referer()))
	if err != nil {
		return "/"
	}
	// The browser's URL has the path of the base URL, which redirect adds.
	if path := strings.TrimPrefix(page.RequestURI(), r.Config.BaseURL.EscapedPath()); r.HasPage(path) {
		return path
	}
	return "/"
}

var linkFields = []string{"url", "title", "description", "lists", "tags", "visibility", "note"}

var labelFields = []string{"name", "description", "visibility", "version"}

// FillIn sets the fields of a form, by their names, to what was sent before the user had to sign in
// again: to the parameters from unsaved.
func (r *Request) FillIn(fields map[string]*string) {
	for name, field := range fields {
		if r.Parameters.Has(name) {
			*field = r.Parameters.Get(name)
		}
	}
}

// Problem is what is wrong with a field of a form.
type Problem struct {
	Field string // the name of the field in the form
	Text  string
}

// Problems are what is wrong with a form.
type Problems []Problem

// Of returns the sentence about a field, or "".
func (p Problems) Of(field string) string {
	for _, problem := range p {
		if problem.Field == field {
			return problem.Text
		}
	}
	return ""
}

func (p Problems) Error() string { return p[0].Text }

// ProblemsOf words what is wrong with the form that was sent. The second result is nil if err is only that, and
// err otherwise.
func (r *Request) ProblemsOf(err error) (Problems, error) {
	if worded, ok := errors.AsType[Problems](err); ok {
		return worded, nil
	}
	var invalid *waymark.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	var all Problems
	for _, p := range invalid.Problems {
		rule := ruleNames[p.Rule]
		key := "problem." + string(p.Field) + "-" + rule
		if !r.Locale.Has(key) {
			key = "problem." + rule
		}
		field := strings.ReplaceAll(string(p.Field), " ", "-")
		all = append(all, Problem{field, r.T(key, "value", Quoted(r.Field(field)), "n", p.Limit)})
	}
	return all, nil
}

// VersionAfter returns the version for the form of a refused change: the one that was sent, or the
// current one if err, and so the form, says that the entity was changed since.
func (r *Request) VersionAfter(err error) string {
	var invalid *waymark.ValidationError
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			if p.Rule == waymark.RuleUnchanged {
				return p.UpdatedAt.String()
			}
		}
	}
	return r.Field("version")
}

// ruleNames are the names of the rules in the keys of their sentences.
var ruleNames = map[waymark.Rule]string{
	waymark.RuleRequired:   "required",
	waymark.RuleFormat:     "format",
	waymark.RuleMinLength:  "min-length",
	waymark.RuleMaxLength:  "max-length",
	waymark.RuleMaxBytes:   "max-bytes",
	waymark.RuleMaxControl: "max-control",
	waymark.RuleMaxCount:   "max-count",
	waymark.RuleNoNUL:      "no-nul",
	waymark.RuleUnique:     "unique",
	waymark.RuleExists:     "exists",
	waymark.RuleUnchanged:  "changed-since",
	waymark.RuleNotCommon:  "not-common",
	waymark.RuleNotName:    "not-name",
	waymark.RuleMaxDepth:   "max-depth",
	waymark.RuleNotInside:  "not-inside",
	waymark.RuleNotPrivate: "not-private",
}
