package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// visit is one request for a page, and who makes it.
type visit struct {
	*Site
	w          http.ResponseWriter
	r          *http.Request
	route      route
	parameters url.Values // of the address

	user     waymark.User // zero for a guest
	session  waymark.Session
	settings waymark.Settings // the defaults for a guest
	clock
}

// handler returns the handler of a route.
func (s *Site) handler(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) { s.serve(w, request, route) })
}

// serve identifies the user, checks that they may use the route, and calls its handler.
func (s *Site) serve(w http.ResponseWriter, request *http.Request, route route) {
	v := &visit{Site: s, w: w, r: request, route: route, parameters: parseQuery(request.URL.RawQuery)}
	err := v.identify()
	httpx.SetRoute(request.Context(), route.path, v.user)
	v.localize()
	body := s.Memory.Body(request)
	defer body.Release()
	request.Body = body
	if !v.signedIn() && route.access != sameForAll && s.Guests.Exceeded(w, request) {
		err = pageError{http.StatusTooManyRequests}
	}
	if err == nil {
		err = v.permit()
	}
	if err == nil {
		err = route.handle(v)
	}
	if err != nil {
		v.showError(err)
	}
}

// ctx returns the context of the request.
func (v *visit) ctx() context.Context { return v.r.Context() }

// signedIn reports whether the visitor is a user.
func (v *visit) signedIn() bool { return v.user.ID != waymark.Guest }

// shared reports whether the response is the same for all visitors with one language, so
// that shared caches may store it.
func (v *visit) shared() bool {
	return v.route.access == sameForAll || v.forGuests() && v.Settings.GuestPages
}

// forGuests reports whether the page shows what guests see, also to users.
func (v *visit) forGuests() bool { return v.route.access == forGuests }

// viewer returns the user whose entities the page shows.
func (v *visit) viewer() waymark.UserID {
	if v.forGuests() {
		return waymark.Guest
	}
	return v.user.ID
}

// identify finds the user of the session cookie. Without a valid one the visitor is a guest.
func (v *visit) identify() error {
	if v.shared() {
		return nil
	}
	if token := v.parameters.Get(feedTokenParameter); token != "" && v.route.access == forReaders {
		return v.identifyReader(token)
	}
	secret := v.sessionSecret()
	if secret == "" {
		return nil
	}
	visitor, err := v.Accounts.Visitor(v.ctx(), secret)
	switch {
	case errors.Is(err, waymark.ErrNotFound):
		v.clearSession()
		return nil
	case err != nil:
		return err
	}
	v.user, v.session, v.settings = visitor.User, visitor.Session, visitor.Settings
	return nil
}

// feedTokenParameter is the parameter of feeds with the token of a user.
const feedTokenParameter = "token"

// identifyReader finds the user of the token of a feed. It returns waymark.ErrNotFound if
// there is none, or if the user is disabled.
func (v *visit) identifyReader(token string) error {
	user, err := v.Store.FeedTokenOwner(v.ctx(), token)
	if err != nil {
		return err
	}
	if user.Disabled {
		return waymark.ErrNotFound
	}
	v.user = user
	return nil
}

// localize sets the language and the time zone.
func (v *visit) localize() {
	v.locale = v.languages.find(v.settings.Language, v.r)
	v.zone = time.Local
	name := v.settings.TimeZone
	if cookie, err := v.r.Cookie(timeZoneCookie); name == "" && err == nil && !v.shared() {
		name, _ = url.QueryUnescape(cookie.Value) // a malformed name is no zone
	}
	if zone, err := time.LoadLocation(name); name != "" && err == nil {
		v.zone = zone
	}
	v.now = v.Store.Now().Time().In(v.zone)
}

// timeZoneCookie is the cookie in which the script of the pages stores the browser's zone.
const timeZoneCookie = "tz"

// permit returns an error if the visitor may not use the route. Changes from pages of other
// sites are refused.
func (v *visit) permit() error {
	access := v.route.access
	if err := v.crossOrigin(); err != nil {
		return err
	}
	switch {
	case access >= forGuests && !v.signedIn() && !v.shared():
		return errSignIn
	case access == forAdmins && !v.user.Admin:
		return waymark.ErrNotFound
	}
	return nil
}

// crossOrigin returns an error if the request changes data and comes from another site.
func (v *visit) crossOrigin() error {
	protection := http.NewCrossOriginProtection()
	request := *v.r
	if base, err := url.Parse(v.baseURL()); err == nil {
		request.Host = base.Host // behind a proxy, the host that the browser sees
	}
	if protection.Check(&request) != nil {
		return pageError{http.StatusForbidden}
	}
	return nil
}

// baseURL returns the address of the server, as the browser sees it.
func (v *visit) baseURL() string {
	return httpx.BaseURL(v.r, v.Settings.BaseURL, v.Settings.TrustedProxies)
}

// render sends a page.
func (v *visit) render(page string, data any) error { return v.renderStatus(http.StatusOK, page, data) }

// renderStatus sends a page with a status.
func (v *visit) renderStatus(status int, page string, data any) error {
	shell, err := v.shell(page, data)
	if err != nil {
		return err
	}
	return v.write(status, shell, pageParts(page)...)
}

// renderPart sends a part of a page, for a script that replaces it.
func (v *visit) renderPart(part string, data any) error {
	return v.write(http.StatusOK, v.partShell("", data), part)
}

func (v *visit) write(status int, data *shell, parts ...string) error {
	body := v.buffers.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= maxReusedBuffer {
			body.Reset()
			v.buffers.Put(body)
		}
	}()
	if err := v.execute(body, data, parts...); err != nil {
		return err
	}
	v.send(status, htmlType, body.Bytes())
	return nil
}

// maxReusedBuffer is the capacity up to which the buffer of a page is used again, in bytes. Most
// pages are smaller.
const maxReusedBuffer = 256 << 10

// htmlType is the media type of pages.
const htmlType = "text/html; charset=utf-8"

// execute writes parts of a page, one after the other.
func (v *visit) execute(w io.Writer, data *shell, parts ...string) error {
	for _, part := range parts {
		if err := v.locale.templates.ExecuteTemplate(w, part, data); err != nil {
			return err
		}
	}
	return nil
}

// send sends a response with the headers for caches.
func (v *visit) send(status int, contentType string, body []byte) {
	h := v.w.Header()
	h.Set("Content-Language", v.locale.name)
	control := "public, max-age=60"
	if v.shared() {
		h.Add("Vary", "Accept-Language")
	} else {
		h.Add("Vary", "Accept-Language, Cookie, HX-Request")
		// The browser asks each time, and gets 304 if nothing changed. no-store would prevent
		// that pages come from memory when people go back.
		control = "private, no-cache"
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", control)
	}
	httpx.WriteBody(v.w, status, contentType, body)
}

// partial reports whether a script asked for a part of the page, to replace the element with
// this id. htmx names the element as in div#toasts.
func (v *visit) partial(id string) bool {
	target := v.r.Header.Get("HX-Target")
	return v.r.Header.Get("HX-Request") == "true" && target[strings.LastIndexByte(target, '#')+1:] == id
}

// redirect responds that the result of a change is at another address of this server.
func (v *visit) redirect(path string) error {
	http.Redirect(v.w, v.r, v.url(path), http.StatusSeeOther)
	return nil
}

// back returns the path to return to after a change: the form field or parameter "back", if
// it is a path on this server, and fallback otherwise. A handler of a form calls parseForm first.
func (v *visit) back(fallback string) string {
	if back := v.fieldOrParameter("back"); isLocalPath(back) {
		return back
	}
	return fallback
}

// isLocalPath reports whether a browser that is redirected to path stays on this server.
// Browsers take "//host" and "/\host" for addresses of other hosts, and ignore tabs and line
// breaks.
func isLocalPath(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\t\r\n") {
		return false
	}
	u, err := url.Parse(path)
	return err == nil && u.Host == "" && u.Scheme == ""
}

// hasPage reports whether a browser finds a page of this server at path. A page with the errors of a form
// has the address to which the form was sent, where there may be none.
func (v *visit) hasPage(path string) bool {
	if !isLocalPath(path) {
		return false
	}
	request, err := http.NewRequestWithContext(v.ctx(), http.MethodGet, path, nil)
	if err != nil {
		return false
	}
	_, pattern := v.mux.Handler(request)
	return pattern != ""
}

// parseForm reads the fields of a form, up to the limit for bodies.
func (v *visit) parseForm() error {
	limit := int64(v.Settings.BodyLimit)
	if !v.signedIn() {
		limit = min(limit, httpx.GuestBody)
	}
	v.r.Body = httpx.LimitBody(v.w, v.r.Body, limit)
	if err := v.r.ParseForm(); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return pageError{http.StatusRequestEntityTooLarge}
		}
		if errors.Is(err, waymark.ErrUnavailable) {
			return err
		}
		return pageError{http.StatusBadRequest}
	}
	return nil
}

// field returns the value of a field of a form, which parseForm has read: http.Request.FormValue would
// read a body of any size, even that of a GET request.
func (v *visit) field(name string) string { return httpx.ReplaceInvalid(v.r.PostForm.Get(name)) }

// fieldOrParameter returns the value of a field of a form, or of a parameter of the address.
func (v *visit) fieldOrParameter(name string) string {
	if value := v.field(name); value != "" {
		return value
	}
	return v.parameters.Get(name)
}

// parseQuery parses the query of an address, with invalid text replaced.
func parseQuery(raw string) url.Values {
	parameters := httpx.ParseQuery(raw)
	for _, values := range parameters {
		for i := range values {
			values[i] = httpx.ReplaceInvalid(values[i])
		}
	}
	return parameters
}

// pathValue returns the part of the path with a name in the route.
func (v *visit) pathValue(name string) string { return httpx.ReplaceInvalid(v.r.PathValue(name)) }

// pathID returns the id in the path, or waymark.ErrNotFound if it is not an id.
func pathID[T waymark.ID](v *visit) (T, error) {
	value := v.r.PathValue("id")
	id, err := strconv.ParseInt(value, 10, 64)
	if err != nil || id <= 0 || value[0] == '+' {
		return 0, waymark.ErrNotFound
	}
	return T(id), nil
}
