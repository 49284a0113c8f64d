// Package identity asks an OpenID Connect provider who somebody is. It knows no users: what a provider says
// about a person becomes Claims, and package accounts decides whose account that is.
package identity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

// ErrNoAnswer means that the provider cannot be reached, or that it does not work. Passwords still do.
var ErrNoAnswer = errors.New("the sign-in provider does not answer")

// ErrInvalid means that the provider's response does not prove who somebody is.
var ErrInvalid = errors.New("the response of the sign-in provider is not valid")

// The limits of requests to the provider.
const (
	requestTimeout = 10 * time.Second
	signInTimeout  = 20 * time.Second // of all requests for one sign-in
	maxResponse    = 1 << 20          // in bytes
	retryPause     = 5 * time.Second  // after a failed request for its document
)

// ClockSkew is the difference between the clock of the provider and ours that does not matter.
const ClockSkew = time.Minute

// maxSeconds is the latest time that is read, in seconds since 1970: the year 9999.
const maxSeconds = 253402300800

// MaxIDToken is the length up to which an ID token is sent back in a URL, in bytes. Servers refuse long URLs.
const MaxIDToken = 4096

// algorithms are the signatures of ID tokens that are accepted: asymmetric ones only. With "none" or with
// the client's secret as the key, the client could have written the token itself.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// Provider is an OpenID Connect provider. Its document is requested when it is first needed, and again
// after a failure.
type Provider struct {
	settings config.OIDC
	redirect string // the URL to which the provider sends people back
	client   *http.Client
	now      func() time.Time
	log      *slog.Logger

	mu       sync.Mutex // guards the fields below, and lets one request for the document run
	found    *document
	failed   error
	failedAt time.Time
}

// document is what the provider says about itself. An entry that cannot be understood is as if it was missing.
type document struct {
	oauth    oauth2.Config
	keys     oidc.KeySet
	verifier *oidc.IDTokenVerifier

	userInfo, signOut string // endpoints, or ""
	namesItself       bool   // in each response: RFC 9207
}

// CallbackPath is the path to which the provider sends people back, below the base URL.
const CallbackPath = "/signin/callback"

// Options are what a provider needs besides its settings.
type Options struct {
	BaseURL string           // of this server
	Now     func() time.Time // nil for the clock of this machine
	Log     *slog.Logger
}

// New returns the provider with these settings. It sends no request.
func New(settings config.OIDC, o Options) *Provider {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Provider{settings: settings, redirect: o.BaseURL + CallbackPath, now: o.Now, log: o.Log, client: &http.Client{
		Timeout:   requestTimeout,
		Transport: limitedTransport{http.DefaultTransport.(*http.Transport).Clone()},
		// A redirect could take the secret to another server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// limitedTransport limits the size of responses. The provider is chosen by the operator and may have a
// private address, unlike the pages of links.
type limitedTransport struct{ http.RoundTripper }

func (t limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = http.MaxBytesReader(nil, response.Body, maxResponse)
	return response, nil
}

// Close closes idle connections to the provider. p may be nil.
func (p *Provider) Close() {
	if p != nil {
		p.client.CloseIdleConnections()
	}
}

// Issuer returns the URL with which the provider identifies itself.
func (p *Provider) Issuer() string { return string(p.settings.Issuer) }

// Name returns what the pages call the provider.
func (p *Provider) Name() string { return p.settings.Provider() }

// discover returns the provider's document. Requests that begin while another waits for it, or soon after
// it has failed, have its result.
func (p *Provider) discover(ctx context.Context) (*document, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	if p.failed != nil && p.now().Sub(p.failedAt) < retryPause {
		return nil, p.failed
	}
	// The person who has asked may go away, and others still wait.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	defer cancel()
	found, err := p.requestDocument(oidc.ClientContext(ctx, p.client))
	if err != nil {
		p.log.WarnContext(ctx, "the sign-in provider cannot be used", "issuer", p.Issuer(), "error", err)
		p.failed, p.failedAt = fmt.Errorf("%w: %w", ErrNoAnswer, err), p.now()
		return nil, p.failed
	}
	p.found, p.failed = found, nil
	return found, nil
}

func (p *Provider) requestDocument(ctx context.Context) (*document, error) {
	entries, err := p.getObject(ctx, strings.TrimSuffix(p.Issuer(), "/")+"/.well-known/openid-configuration", "", nil)
	if err != nil {
		return nil, err
	}
	text := func(name string) string { text, _ := entries[name].(string); return text }
	if issuer := text("issuer"); issuer != p.Issuer() {
		return nil, fmt.Errorf("it names itself %q, not %q", issuer, p.Issuer())
	}
	authorize, token, keys := text("authorization_endpoint"), text("token_endpoint"), text("jwks_uri")
	for _, endpoint := range []string{authorize, token, keys} {
		if !p.safeEndpoint(endpoint) {
			return nil, fmt.Errorf("its document names the endpoint %q, which is not an https URL", endpoint)
		}
	}
	d := &document{userInfo: text("userinfo_endpoint"), signOut: text("end_session_endpoint")}
	for _, optional := range []*string{&d.signOut, &d.userInfo} {
		if !p.safeEndpoint(*optional) {
			*optional = ""
		}
	}
	d.namesItself, _ = entries["authorization_response_iss_parameter_supported"].(bool)
	scopes, _ := entries["scopes_supported"].([]any)
	d.oauth = oauth2.Config{
		ClientID: p.settings.ClientID, ClientSecret: string(p.settings.ClientSecret), RedirectURL: p.redirect,
		Endpoint: oauth2.Endpoint{AuthURL: authorize, TokenURL: token}, Scopes: p.scopes(scopes),
	}
	if p.settings.ClientSecret == "" {
		d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	keyClient := *p.client
	keyClient.Transport = readableKeys{p.client.Transport}
	d.keys = oidc.NewRemoteKeySet(oidc.ClientContext(ctx, &keyClient), keys)
	d.verifier = oidc.NewVerifier(p.Issuer(), d.keys, &oidc.Config{
		ClientID: p.settings.ClientID, SupportedSigningAlgs: algorithms,
		Now: func() time.Time { return p.now().Add(-ClockSkew) },
	})
	return d, nil
}

// getObject requests a JSON object, with a token if it is not empty. A response that is a JWT must be signed with keys.
func (p *Provider) getObject(ctx context.Context, address, token string, keys oidc.KeySet) (map[string]any, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, body, err := readBody(p.client.Do(r)) //nolint:bodyclose // readBody closes it
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: got status %s", address, response.Status)
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/jwt") && keys != nil {
		if body, err = keys.VerifySignature(ctx, string(body)); err != nil {
			return nil, err
		}
	}
	var object map[string]any
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return object, nil
}

func readBody(response *http.Response, err error) (*http.Response, []byte, error) {
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

// readableKeys removes from responses with sets of keys those keys that cannot be read, such as those of an unknown
// curve: RFC 7517, section 5. The library refuses a set that has one.
type readableKeys struct{ http.RoundTripper }

func (t readableKeys) RoundTrip(r *http.Request) (*http.Response, error) {
	response, body, err := readBody(t.RoundTripper.RoundTrip(r))
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(body, &set) == nil {
		set.Keys = slices.DeleteFunc(set.Keys, func(key json.RawMessage) bool { return json.Unmarshal(key, new(jose.JSONWebKey)) != nil })
		if body, err = json.Marshal(set); err != nil {
			return nil, err
		}
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return response, nil
}

// safeEndpoint reports whether an endpoint is reached as safely as the issuer.
func (p *Provider) safeEndpoint(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(p.Issuer(), "http://"))
}

// scopes are what Waymark asks the provider about people: who they are, their names, and their groups if
// they matter and the provider has a scope for them.
func (p *Provider) scopes(supported []any) []string {
	scopes := []string{oidc.ScopeOpenID, oidc.ScopeProfile}
	needsGroups := p.settings.AdminGroup != (config.Group{}) || p.settings.AllowGroup != (config.Group{})
	if needsGroups && slices.Contains(supported, any("groups")) {
		scopes = append(scopes, "groups")
	}
	return scopes
}

// Begin returns the URL at which a person signs in at the provider. The state and the nonce come back in the
// response and in the ID token; verifier is that of PKCE. With again, the provider is to ask for the
// person's password or the like, even if it knows them already.
func (p *Provider) Begin(ctx context.Context, state, nonce, verifier string, again bool) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)}
	if again {
		prompt := "login"
		if p.Issuer() == "https://accounts.google.com" {
			prompt = "select_account" // it has no prompt for the password
		}
		// Some providers ignore prompt, and some say when the person has signed in only if they are asked for
		// max_age. With 0, Authelia and Glewlwyd never find a sign-in recent enough.
		maxAge := strconv.Itoa(int(ClockSkew.Seconds()))
		options = append(options, oauth2.SetAuthURLParam("prompt", prompt), oauth2.SetAuthURLParam("max_age", maxAge))
	}
	return d.oauth.AuthCodeURL(state, options...), nil
}

// SignOutURL returns the URL at which a person signs out at the provider and then goes to back. It returns "" if the
// provider has none or does not answer. idToken is that of the sign-in. Without it, Keycloak asks the person, and
// Authentik and Pocket ID refuse.
func (p *Provider) SignOutURL(ctx context.Context, idToken, back string) string {
	d, err := p.discover(ctx)
	if err != nil || d.signOut == "" {
		return ""
	}
	u, err := url.Parse(d.signOut)
	if err != nil {
		return ""
	}
	query := u.Query()
	query.Set("client_id", p.settings.ClientID)
	query.Set("post_logout_redirect_uri", back)
	if idToken != "" {
		query.Set("id_token_hint", idToken)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// Response is what the browser of a person brings back from the provider.
type Response struct {
	Code   string
	Issuer string // the parameter iss of RFC 9207, "" if there is none
}

// Finish exchanges the code in a response for an ID token, verifies it and returns what it says. Its error
// is ErrNoAnswer or ErrInvalid; the log says more.
func (p *Provider) Finish(ctx context.Context, r Response, nonce, verifier string) (Claims, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), signInTimeout)
	defer cancel()
	d, err := p.discover(ctx)
	if err != nil {
		return Claims{}, err
	}
	claims, err := p.finish(ctx, d, r, nonce, verifier)
	if err != nil {
		p.log.WarnContext(ctx, "sign-in at the provider failed", "issuer", p.Issuer(), "error", err)
	}
	return claims, err
}

func (p *Provider) finish(ctx context.Context, d *document, r Response, nonce, verifier string) (Claims, error) {
	// A response of another provider would send its code to this one, which could then use it there.
	if r.Issuer != p.Issuer() && (r.Issuer != "" || d.namesItself) {
		return Claims{}, fmt.Errorf("%w: it comes from the issuer %q", ErrInvalid, r.Issuer)
	}
	if r.Code == "" {
		return Claims{}, fmt.Errorf("%w: it has no code", ErrInvalid)
	}
	tokens, err := d.oauth.Exchange(ctx, r.Code, oauth2.VerifierOption(verifier))
	if err != nil {
		return Claims{}, exchangeError(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return Claims{}, fmt.Errorf("%w: there is no ID token", ErrInvalid)
	}
	token, err := d.verifier.Verify(ctx, raw)
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	claims, err := p.verify(token, nonce, tokens.AccessToken)
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if len(raw) <= MaxIDToken {
		claims.IDToken = raw
	}
	if d.userInfo != "" && p.incomplete(claims) {
		if err := p.addUserInfo(ctx, d, claims, tokens.AccessToken); err != nil {
			return Claims{}, fmt.Errorf("%w: user info: %w", ErrNoAnswer, err)
		}
	}
	return claims, nil
}

// exchangeError is ErrInvalid if the provider has refused a code, and ErrNoAnswer otherwise. It does not
// contain the provider's response, which may contain a token.
func exchangeError(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) || refused.Response == nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	kind := ErrInvalid
	if refused.Response.StatusCode >= http.StatusInternalServerError {
		kind = ErrNoAnswer
	}
	return fmt.Errorf("%w: the code was refused: %s %s %s", kind, refused.Response.Status, refused.ErrorCode, refused.ErrorDescription)
}

// verify checks what the library leaves to its caller.
func (p *Provider) verify(token *oidc.IDToken, nonce, accessToken string) (Claims, error) {
	var claims Claims
	if err := token.Claims(&claims.values); err != nil {
		return Claims{}, err
	}
	if seconds, ok := claims.values["auth_time"].(float64); ok && seconds > 0 {
		claims.AuthTime = time.Unix(int64(min(seconds, maxSeconds)), 0)
	}
	party := claims.values["azp"]
	named := party != nil && party != ""
	latest := p.now().Add(ClockSkew)
	switch {
	case token.Nonce != nonce:
		return Claims{}, errors.New("the nonce is another one")
	case named && party != p.settings.ClientID, !named && len(token.Audience) > 1:
		return Claims{}, fmt.Errorf("the token is for the client %v", party)
	case token.IssuedAt.After(latest):
		return Claims{}, fmt.Errorf("the token is issued in the future, at %s", token.IssuedAt)
	case claims.AuthTime.After(latest):
		return Claims{}, fmt.Errorf("the person signs in in the future, at %s", claims.AuthTime)
	case token.Subject == "" || len(token.Subject) > waymark.MaxSubject || !storable(token.Subject):
		return Claims{}, errors.New("the subject is empty or too long")
	}
	if token.AccessTokenHash != "" {
		if err := token.VerifyAccessToken(accessToken); err != nil {
			return Claims{}, err
		}
	}
	claims.Subject = token.Subject
	return claims, nil
}

// incomplete reports whether the user info may have something that the ID token does not.
func (p *Provider) incomplete(c Claims) bool {
	if c.Username() == "" {
		return true
	}
	for _, group := range []config.Group{p.settings.AdminGroup, p.settings.AllowGroup} {
		if _, ok := c.at(group.Claim); group != (config.Group{}) && !ok {
			return true
		}
	}
	return false
}
