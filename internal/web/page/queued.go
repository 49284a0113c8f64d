package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"waymark/internal/httpx"
)

// Queued reports whether the worker in the browser makes the request. It sends what a person has done while the server
// did not respond, and names the person in the parameter queued. It gets JSON: from a redirect it could not tell whether
// a change was made.
func (r *Request) Queued() bool { return r.Parameters.Has("queued") }

// SendJSON sends a value as JSON.
func (r *Request) SendJSON(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	r.Send(status, "application/json", body)
	return nil
}

// refuseQueued is showError for the worker. A message is for the person, who finds it beside what they have saved.
func (r *Request) refuseQueued(err error) {
	var refused struct {
		Message string `json:"message"`
	}
	status := http.StatusUnauthorized
	if !errors.Is(err, errSignIn) && !errors.Is(err, errLacksFactor) {
		status = r.statusOf(err)
	}
	if problems, other := r.ProblemsOf(err); other == nil {
		status, refused.Message = http.StatusUnprocessableEntity, problems.Error()
	} else if r.Locale.Has(fmt.Sprintf("error.%d-text", status)) {
		refused.Message = r.errorPage(status, "").Text
	}
	h := r.W.Header()
	h.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", httpx.RetryAfter)
	}
	if err := r.SendJSON(status, refused); err != nil {
		r.Log.ErrorContext(r.Context(), "response failed", "error", err)
	}
}

// ServeWorker sends the script of the worker. Browsers ask for it again and again, and replace the worker they have if
// a byte is different: it names all that the worker keeps, and the release.
func (r *Request) ServeWorker() error {
	var languages, files []string
	for _, l := range r.Locales() {
		languages = append(languages, l.Name)
	}
	for _, name := range []string{"waymark.css", "offline.js", "favicon.svg", "inter-latin-400.woff2", "inter-latin-600.woff2"} {
		files = append(files, r.AssetURL(name))
	}
	text, err := json.Marshal([]any{r.Version, languages, files, r.AssetURL("worker.js")})
	if err != nil {
		return err
	}
	script := "const [release, languages, files, worker] = " + string(text) + ";\nimportScripts(worker);\n"
	httpx.NewAsset("sw.js", []byte(script)).ServeHTTP(r.W, r.HTTP)
	return nil
}
