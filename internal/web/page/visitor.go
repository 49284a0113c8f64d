package page

import (
	"errors"

	"waymark/internal/accounts"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

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
