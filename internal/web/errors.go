package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// pageError is an error whose page is determined by its status.
type pageError struct{ status int }

// Error implements error.
func (e pageError) Error() string { return http.StatusText(e.status) }

// errSignIn means that the visitor must sign in first.
var errSignIn = errors.New("sign in first")

// errTrashed means that a link is in the user's trash.
var errTrashed error = pageError{http.StatusGone}

// errorPage is the data of the page for an error.
type errorPage struct {
	Status    int
	Title     string
	Text      string
	RequestID string
}

// showError sends the page for an error. It is the only place that maps errors to statuses.
// Internal errors are logged here, and their text is never sent.
func (v *visit) showError(err error) {
	if errors.Is(err, errSignIn) {
		v.askToSignIn()
		return
	}
	status := v.statusOf(err)
	h := v.w.Header()
	h.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", httpx.RetryAfter)
	}
	data := v.errorPage(status)
	if err := v.renderStatus(status, "error", data); err != nil {
		// The shell needs the database and memory, which may be what is missing.
		v.writeBare(data)
	}
}

// ShowError sends the page for an error of a request that has not reached a page, or whose
// page has panicked. It does not use the database.
func (s *Site) ShowError(w http.ResponseWriter, request *http.Request, status int) {
	v := &visit{Site: s, w: w, r: request}
	v.localize()
	h := w.Header()
	h["Content-Security-Policy"] = contentPolicy
	h.Set("Cache-Control", "no-store")
	v.writeBare(v.errorPage(status))
}

// writeBare sends an error page without the shell.
func (v *visit) writeBare(data errorPage) {
	var body bytes.Buffer
	if err := v.execute(&body, v.partShell(data.Title, data), "bare"); err != nil {
		v.Log.ErrorContext(v.ctx(), "error page failed", "error", err)
	}
	v.send(data.Status, htmlType, body.Bytes())
}

// goneTexts are the keys of the texts for addresses that work once or for some time, and for those of
// links, by their route.
var goneTexts = map[string]string{
	"/setup/{token}": "error.once", "/join/{token}": "error.once", "/password/{token}": "error.once", "/undo/{token}": "error.undo",
	"/links/{id}": "error.link", "/links/{id}/edit": "error.link", "/links/{id}/trash": "error.link",
}

// errorPage returns the data of the page for a status.
func (v *visit) errorPage(status int) errorPage {
	h := v.w.Header()
	wait, _ := strconv.Atoi(h.Get("Retry-After")) // 0 if there is none
	key := "error." + strconv.Itoa(status)
	if of, ok := goneTexts[v.route.path]; ok && status == http.StatusNotFound {
		key = of
	}
	return errorPage{
		Status: status, Title: v.t(key + "-title"), Text: v.t(key+"-text", "n", wait),
		RequestID: h.Get("X-Request-Id"),
	}
}

// statusOf returns the status of the response for an error, and logs the error if the
// operator can do something about it.
func (v *visit) statusOf(err error) int {
	var page pageError
	var invalid *waymark.ValidationError
	ctx := v.ctx()
	switch {
	case errors.As(err, &page):
		return page.status
	// The response does not reveal whether an entity exists that the user may not see.
	case errors.Is(err, waymark.ErrNotFound), errors.Is(err, waymark.ErrForbidden):
		return http.StatusNotFound
	case errors.As(err, &invalid):
		return http.StatusUnprocessableEntity
	case errors.Is(err, httpx.ErrNoMemory):
		v.Log.WarnContext(ctx, "the memory for large request bodies is in use", "setting", "--request-memory")
		return http.StatusServiceUnavailable
	case errors.Is(err, waymark.ErrUnavailable), ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		if ctx.Err() == nil || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			v.Log.ErrorContext(ctx, "database unavailable or time limit reached", "error", err)
		}
		return http.StatusServiceUnavailable
	}
	v.Log.ErrorContext(ctx, "request failed", "error", err)
	return http.StatusInternalServerError
}

// askToSignIn redirects to the sign-in page, from which people return to the page that they wanted.
// A change that was sent is not repeated after the sign-in, but the form of an entity is filled
// with what was sent. A form that asks for suggestions gets none: it has not been sent yet, and
// would be lost.
func (v *visit) askToSignIn() {
	script := v.r.Header.Get("HX-Request") == "true"
	if script && strings.HasPrefix(v.route.path, "/complete/") {
		v.w.WriteHeader(http.StatusNoContent)
		return
	}
	back, unsaved := v.r.URL.RequestURI(), ""
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead {
		back, unsaved = v.backToForm()
	}
	address := v.url("/signin?" + queryOf("back", back, "unsaved", unsaved))
	if script {
		// The script would put the page into a part of the current one.
		v.w.Header().Set("HX-Redirect", address)
		v.w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.Redirect(v.w, v.r, address, http.StatusSeeOther)
}

// maxFilledForm is the length up to which an address fills in a form, in bytes.
const maxFilledForm = 4000

// The values of the parameter unsaved of the sign-in page, which say what becomes of a change that was
// sent without a session.
const (
	unsavedChange = "change" // it is lost
	unsavedForm   = "form"   // its form is filled in again
	unsavedText   = "text"   // it is lost, because it is too long to fill in its form
)

// backToForm returns the path of the page to which people return after a change that was not saved, and
// what becomes of the change.
func (v *visit) backToForm() (back, unsaved string) {
	path := v.r.URL.Path
	var fields []string
	switch v.route.path {
	case "/links":
		return v.backToNewLink()
	case "/links/{id}":
		path, fields = path+"/edit", slices.Concat(linkFields, []string{"version", "back"})
	case "/links/{id}/notes":
		path, fields = strings.TrimSuffix(path, "/notes"), []string{"text", "visibility", "back"}
	case "/lists", "/tags":
		path, fields = path+"/create", labelFields
	case "/lists/{id}", "/tags/{id}":
		path, fields = path+"/edit", labelFields
	case "/notes/{id}":
		path, fields = path+"/edit", []string{"text", "visibility", "version", "back"}
	default:
		return v.pageBefore(), unsavedChange
	}
	if v.parseForm() != nil {
		return path, unsavedText
	}
	query := url.Values{}
	for _, name := range fields {
		if v.r.PostForm.Has(name) {
			query.Set(name, v.field(name))
		}
	}
	text := query.Encode()
	if len(text) > maxFilledForm {
		return path, unsavedText
	}
	return joinQuery(path, text), unsavedForm
}

// pageBefore returns the path of the page from which a request came, "/" if it is not known.
func (v *visit) pageBefore() string {
	page, err := url.Parse(cmp.Or(v.r.Header.Get("HX-Current-URL"), v.r.Referer()))
	if err != nil {
		return "/"
	}
	// The browser's address has the path of the base URL, which redirect adds.
	if path := strings.TrimPrefix(page.RequestURI(), v.Settings.BaseURL.EscapedPath()); v.hasPage(path) {
		return path
	}
	return "/"
}

// backToNewLink is backToForm for a new link.
func (v *visit) backToNewLink() (back, unsaved string) {
	if v.parseForm() != nil {
		return "/links/create", unsavedText
	}
	path := "/links/create?"
	if v.field("window") != "" {
		path = "/add?"
	}
	var pairs []string
	for _, name := range linkFields {
		pairs = append(pairs, name, v.field(name))
	}
	query := queryOf(pairs...)
	if len(query) > maxFilledForm {
		return path + queryOf("url", v.field("url")), unsavedText
	}
	return path + query, unsavedForm
}

// linkFields are the fields of the form for a link.
var linkFields = []string{"url", "title", "description", "lists", "tags", "visibility"}

// labelFields are the fields of the form for a list or tag.
var labelFields = []string{"name", "description", "visibility", "version"}

// fillIn sets the fields of a form, by their names, to what was sent before the user had to sign in
// again: to the parameters from unsaved.
func (v *visit) fillIn(fields map[string]*string) {
	for name, field := range fields {
		if v.parameters.Has(name) {
			*field = v.parameters.Get(name)
		}
	}
}

// problem is what is wrong with a field of a form.
type problem struct {
	Field string // the name of the field in the form
	Text  string
}

// problems are what is wrong with a form.
type problems []problem

// Of returns the sentence about a field, or "".
func (p problems) Of(field string) string {
	for _, problem := range p {
		if problem.Field == field {
			return problem.Text
		}
	}
	return ""
}

// problemsOf words what is wrong with an input. value returns the input of a field. The
// second result is nil if err is only that, and err otherwise.
func (v *visit) problemsOf(err error, value func(field string) string) (problems, error) {
	var invalid *waymark.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	var all problems
	for _, p := range invalid.Problems {
		field := string(p.Field)
		rule := ruleNames[p.Rule]
		key := "problem." + field + "-" + rule
		if !v.locale.has(key) {
			key = "problem." + rule
		}
		all = append(all, problem{field, v.t(key, "value", value(field), "n", p.Limit)})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("a ValidationError without problems: %w", err)
	}
	return all, nil
}

// versionAfter returns the version for the form of a refused change: the one that was sent, or the
// current one if err, and so the form, says that the entity was changed since.
func (v *visit) versionAfter(err error) string {
	var invalid *waymark.ValidationError
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			if p.Rule == waymark.RuleUnchanged {
				return p.UpdatedAt.String()
			}
		}
	}
	return v.field("version")
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
}
