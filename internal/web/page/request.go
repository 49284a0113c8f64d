package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// Request is one request for a page, and who makes it. Handlers are functions of it.
type Request struct {
	*Site
	W          http.ResponseWriter
	HTTP       *http.Request
	Parameters url.Values // of the URL
	route      Route

	// Visitor is zero for a guest. Somebody who must first set up a second factor is a guest with LacksFactor,
	// except on routes with ForNewcomers.
	accounts.Visitor
	Clock
}

func (s *Site) handler(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) { s.serve(w, request, route) })
}

// serve identifies the user, checks that they may use the route, and calls its handler.
func (s *Site) serve(w http.ResponseWriter, request *http.Request, route Route) {
	r := &Request{Site: s, W: w, HTTP: request, route: route, Parameters: ParseQuery(request.URL.RawQuery)}
	err := r.identify()
	httpx.SetRoute(request.Context(), route.Path, r.User)
	r.Localize()
	body := s.Memory.Body(request, r.User.ID)
	defer body.Release()
	request.Body = body
	if !r.SignedIn() && route.Access != SameForAll && s.Guests.Exceeded(w, request) {
		err = Error{Status: http.StatusTooManyRequests}
	}
	if err == nil {
		err = r.permit()
	}
	if err == nil && route.Method == http.MethodPost && !route.upload {
		err = r.parseForm()
	}
	if err == nil {
		err = route.handle(r)
	}
	if err != nil {
		r.showError(err)
	}
}

// Context returns the context of the request.
func (r *Request) Context() context.Context { return r.HTTP.Context() }

// SignedIn reports whether the visitor is a user.
func (r *Request) SignedIn() bool { return r.User.ID != waymark.Guest }

// shared reports whether the response is the same for all visitors with one language, so
// that shared caches may store it.
func (r *Request) shared() bool {
	return r.route.Access == SameForAll || r.ForGuests() && r.Config.GuestPages
}

// ForGuests reports whether the page shows what guests see, also to users.
func (r *Request) ForGuests() bool { return r.route.Access == ForGuests }

// Viewer returns the user whose entities the page shows.
func (r *Request) Viewer() waymark.UserID {
	if r.ForGuests() {
		return waymark.Guest
	}
	return r.User.ID
}

// Localize sets the language and the time zone.
func (r *Request) Localize() {
	r.Locale = r.languages.find(r.Settings.Language, r.HTTP)
	r.Zone = time.Local
	name := r.Settings.TimeZone
	if cookie, err := r.HTTP.Cookie(timeZoneCookie); name == "" && err == nil && !r.shared() {
		name, _ = url.QueryUnescape(cookie.Value) // a malformed name is no zone
	}
	if zone, err := time.LoadLocation(name); name != "" && err == nil {
		r.Zone = zone
	}
	r.Now = r.Store.Now().Time().In(r.Zone)
}

// timeZoneCookie is the cookie in which the script of the pages stores the browser's zone.
const timeZoneCookie = "tz"

// permit returns an error if the visitor may not use the route. Changes from pages of other
// sites are refused.
func (r *Request) permit() error {
	access := r.route.Access
	if err := r.crossOrigin(); err != nil {
		return err
	}
	switch {
	case r.Queued() && r.SignedIn() && r.Parameters.Get("queued") != fmt.Sprint(r.User.ID):
		return Error{Status: http.StatusConflict}
	case r.LacksFactor && access != ForNewcomers:
		return errLacksFactor
	case access >= ForGuests && !r.SignedIn() && !r.shared():
		return errSignIn
	case access == ForAdmins && !r.User.Admin:
		return waymark.ErrNotFound
	}
	return nil
}

// crossOrigin returns an error if the request changes data and comes from another site.
func (r *Request) crossOrigin() error {
	protection := http.NewCrossOriginProtection()
	request := *r.HTTP
	if base, err := url.Parse(r.BaseURL()); err == nil {
		request.Host = base.Host // behind a proxy, the host that the browser sees
	}
	if protection.Check(&request) != nil {
		return Error{Status: http.StatusForbidden}
	}
	return nil
}

// BaseURL returns the URL of the server, as the browser sees it.
func (r *Request) BaseURL() string {
	return httpx.BaseURL(r.HTTP, r.Config.BaseURL, r.Config.TrustedProxies)
}

// Render sends a page.
func (r *Request) Render(page string, data any) error {
	return r.RenderStatus(http.StatusOK, page, data)
}

// RenderStatus sends a page with a status.
func (r *Request) RenderStatus(status int, page string, data any) error {
	shell, err := r.shell(page, data)
	if err != nil {
		return err
	}
	return r.write(status, shell, "page-begin", "main/"+page, "page-end")
}

// RenderPart sends a part of a page, for a script that replaces it.
func (r *Request) RenderPart(part string, data any) error {
	return r.RenderPartStatus(http.StatusOK, part, data)
}

// RenderPartStatus sends a part of a page with a status.
func (r *Request) RenderPartStatus(status int, part string, data any) error {
	return r.write(status, r.partShell(titleOf(data), data), part)
}

// RenderChanged sends a part of a page after a change, with the sidebar as it is now: the part has the
// template side-part.
func (r *Request) RenderChanged(part string, data any) error {
	shell := r.partShell(titleOf(data), data)
	var err error
	if shell.Sidebar, err = r.sidebarOf(r); err != nil {
		return err
	}
	return r.write(http.StatusOK, shell, part)
}

func (r *Request) write(status int, data *shell, parts ...string) error {
	body := r.buffers.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= maxReusedBuffer {
			body.Reset()
			r.buffers.Put(body)
		}
	}()
	if err := r.execute(body, data, parts...); err != nil {
		return err
	}
	r.Send(status, HTMLType, body.Bytes())
	return nil
}

// maxReusedBuffer is the capacity up to which the buffer of a page is used again, in bytes. Most
// pages are smaller.
const maxReusedBuffer = 256 << 10

// HTMLType is the media type of pages.
const HTMLType = "text/html; charset=utf-8"

func (r *Request) execute(w io.Writer, data *shell, parts ...string) error {
	templates, err := r.Locale.templates()
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := templates.ExecuteTemplate(w, part, data); err != nil {
			return err
		}
	}
	return nil
}

// Send sends a response with the headers for caches.
func (r *Request) Send(status int, contentType string, body []byte) {
	h := r.W.Header()
	h.Set("Content-Language", r.Locale.Name)
	// The browser asks each time, and gets 304 if nothing changed. no-store would prevent that pages come
	// from memory when people go back.
	control := "private, no-cache"
	if r.shared() {
		httpx.AddVary(h, "Accept-Language")
		if r.Config.BaseURL.String() != "" { // without it, the page may contain the host that the request names
			control = "public, max-age=0, s-maxage=60"
		}
	} else {
		httpx.AddVary(h, "Accept-Language, Cookie, HX-Request")
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", control)
	}
	httpx.WriteBody(r.W, status, contentType, body)
}

// Partial reports whether a script asked for a part of the page, to replace the element with
// this id. htmx names the element as in div#toasts.
func (r *Request) Partial(id string) bool {
	target := r.HTTP.Header.Get("HX-Target")
	return r.HTTP.Header.Get("HX-Request") == "true" && target[strings.LastIndexByte(target, '#')+1:] == id
}

// LinksPath returns the path of the page with all links that the user sees, or only their own if they have
// chosen that.
func (r *Request) LinksPath() string {
	if r.Settings.OnlyMine {
		return "/links?" + QueryOf("q", mine)
	}
	return "/links"
}

const mine = "is:mine"

// Shown returns the URL of the page that shows the response, below the path of the base URL. It is that
// of the request, or of the page whose script asked for a part.
func (r *Request) Shown() *url.URL {
	asked := r.HTTP.Header.Get("HX-Current-URL")
	shown, err := url.Parse(asked)
	if asked == "" || err != nil {
		return r.HTTP.URL
	}
	shown.Path = strings.TrimPrefix(shown.Path, r.Config.BaseURL.Path())
	return shown
}

// Redirect responds that the result of a change is at another URL of this server.
func (r *Request) Redirect(path string) error {
	http.Redirect(r.W, r.HTTP, r.URL(path), http.StatusSeeOther)
	return nil
}

// Back returns the path to return to after a change: the form field or parameter "back", if
// it is a path on this server, and fallback otherwise.
func (r *Request) Back(fallback string) string {
	if back := r.FieldOrParameter("back"); IsLocalPath(back) {
		return back
	}
	return fallback
}

// IsLocalPath reports whether a browser that is redirected to path stays on this server.
// Browsers take "//host" and "/\host" for URLs of other hosts, and ignore tabs and line
// breaks.
func IsLocalPath(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\t\r\n") {
		return false
	}
	u, err := url.Parse(path)
	return err == nil && u.Host == "" && u.Scheme == ""
}

// HasPage reports whether a browser finds a page of this server at path. A page with the errors of a form
// has the URL to which the form was sent, where there may be none.
func (r *Request) HasPage(path string) bool {
	if !IsLocalPath(path) {
		return false
	}
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, path, nil)
	if err != nil {
		return false
	}
	_, pattern := r.mux.Handler(request)
	return pattern != ""
}

// parseForm reads the fields of a form, up to the limit for bodies. That of a visitor who is not
// signed in is small and must arrive soon.
func (r *Request) parseForm() error {
	limit := int64(httpx.UserBody)
	control := http.NewResponseController(r.W)
	if !r.SignedIn() {
		limit = min(limit, httpx.GuestBody)
		control.SetReadDeadline(time.Now().Add(httpx.GuestBodyTime)) //nolint:errcheck // not every server has deadlines
	}
	r.HTTP.Body = httpx.LimitBody(r.W, r.HTTP.Body, limit)
	if err := r.HTTP.ParseForm(); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return Error{Status: http.StatusRequestEntityTooLarge}
		}
		if errors.Is(err, waymark.ErrUnavailable) {
			return err
		}
		return Error{Status: http.StatusBadRequest}
	}
	// A deadline that passes while the response is made would cancel it. After an error it stays: net/http
	// waits for the rest of the body before it sends the response.
	if !r.SignedIn() {
		control.SetReadDeadline(time.Time{}) //nolint:errcheck // as above
	}
	return nil
}

// Field returns the value of a field of the form that was sent to a route of Post.
func (r *Request) Field(name string) string { return httpx.ReplaceInvalid(r.HTTP.PostForm.Get(name)) }

// FieldOrParameter returns the value of a form's field, or of a URL's parameter.
func (r *Request) FieldOrParameter(name string) string {
	return cmp.Or(r.Field(name), r.Parameters.Get(name))
}

// ParseQuery parses the query of a URL, with invalid text replaced.
func ParseQuery(raw string) url.Values {
	parameters := httpx.ParseQuery(raw)
	for _, values := range parameters {
		for i := range values {
			values[i] = httpx.ReplaceInvalid(values[i])
		}
	}
	return parameters
}

// PathValue returns the part of the path with a name in the route.
func (r *Request) PathValue(name string) string { return httpx.ReplaceInvalid(r.HTTP.PathValue(name)) }

// PathID returns the id in the path, or waymark.ErrNotFound if it is not an id.
func PathID[T waymark.ID](r *Request) (T, error) { return NamedPathID[T](r, "id") }

// NamedPathID is PathID for the wildcard with this name.
func NamedPathID[T waymark.ID](r *Request, name string) (T, error) {
	value := r.HTTP.PathValue(name)
	id, err := strconv.ParseInt(value, 10, 64)
	if err != nil || id <= 0 || value[0] == '+' {
		return 0, waymark.ErrNotFound
	}
	return T(id), nil
}

// identify finds the user of the session cookie. Without a valid one the visitor is a guest.
func (r *Request) identify() error {
	if r.shared() {
		return nil
	}
	if token := r.Parameters.Get(FeedTokenParameter); token != "" && r.route.Access == ForReaders {
		return r.identifyReader(token)
	}
	if r.route.Access == ForCatalog {
		return r.identifyReader(r.HTTP.PathValue(FeedKey))
	}
	visitor, err := r.visitor()
	if err != nil {
		return err
	}
	if visitor.LacksFactor && r.route.Access != ForNewcomers {
		visitor = accounts.Visitor{LacksFactor: true} // permit leads them to the set-up
	}
	r.Visitor = visitor
	return nil
}

// visitor returns the user of the session cookie, or whom a proxy names. It is zero for a guest.
func (r *Request) visitor() (accounts.Visitor, error) {
	var visitor accounts.Visitor
	if secret := r.CookieValue(sessionCookie); secret != "" {
		var err error
		visitor, err = r.Accounts.Visitor(r.Context(), secret)
		switch {
		case errors.Is(err, waymark.ErrNotFound):
			r.ClearSession()
		case err != nil:
			return visitor, err
		}
	}
	return r.proxyVisitor(visitor)
}

// proxyVisitor returns the user whom a proxy names. If it names nobody, that is the visitor with the session
// of this browser, unless the proxy had begun that one.
func (r *Request) proxyVisitor(visitor accounts.Visitor) (accounts.Visitor, error) {
	name, refused := httpx.ProxyUser(r.HTTP, r.Config.SignIn.AuthHeader, r.Config.TrustedProxies)
	if refused {
		r.Log.WarnContext(r.Context(), "header with a user ignored: it is repeated, or comes from none of --trusted-proxies",
			"header", string(r.Config.SignIn.AuthHeader), "client", r.HTTP.RemoteAddr)
	}
	byProxy := visitor.Session.Method == waymark.ByHeader
	switch {
	case name == "" && !byProxy, name != "" && !visitor.LacksFactor && visitor.User.ID != waymark.Guest && waymark.Fold(visitor.User.Name) == waymark.Fold(name):
		return visitor, nil
	case name == "":
		r.ClearSession()
		return accounts.Visitor{}, nil
	}
	secret, err := r.Accounts.SignInByHeader(r.Context(), name, r.Client())
	if errors.Is(err, accounts.ErrNoIdentity) || errors.Is(err, accounts.ErrRefused) {
		r.ClearSession()
		return accounts.Visitor{}, nil
	}
	if err != nil {
		return accounts.Visitor{}, err
	}
	r.SetSession(secret, 0)
	return r.Accounts.Visitor(r.Context(), secret)
}

// FeedTokenParameter is the parameter of feeds with the token of a user, FeedKey the part of the paths of the catalogue.
const (
	FeedTokenParameter = "token"
	FeedKey            = "key"
)

// identifyReader finds the user of the token of a feed. It returns waymark.ErrNotFound if
// there is none, or if the user is disabled.
func (r *Request) identifyReader(token string) error {
	user, err := r.Store.Accounts.FeedTokenOwner(r.Context(), token)
	if err != nil {
		return err
	}
	if user.Disabled {
		return waymark.ErrNotFound
	}
	r.User = user
	return nil
}

// Client describes the browser of the request, without what it knows of earlier sessions.
func (r *Request) Client() accounts.Client {
	return accounts.Client{Address: httpx.ClientAddress(r.HTTP, r.Config.TrustedProxies), Browser: r.HTTP.UserAgent()}
}
