// Package identitytest has an OpenID Connect provider for tests, which can also be hostile.
package identitytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"waymark/internal/config"
)

// The client of the tests.
const (
	ClientID     = "waymark"
	ClientSecret = "client secret"
)

// Provider is an OpenID Connect provider at which everyone is signed in as the person in its fields.
type Provider struct {
	*httptest.Server

	mu       sync.Mutex
	keys     *oidctest.Server
	key      *ecdsa.PrivateKey
	requests map[string]url.Values // of people who have come, by code
	person   Person
	hostile  Hostile
	down     bool
	document map[string]any // what differs in the document
	calls    map[string]int // requests by path
}

// Person is who signs in.
type Person struct {
	Subject, Username string
	Claims            map[string]any // more claims of the ID token
	UserInfo          map[string]any // claims of the user info only
}

// Hostile says what the provider does wrong.
type Hostile struct {
	Claims func(claims map[string]any)              // changes the claims of the ID token
	Sign   func(p *Provider, claims string) string  // signs the ID token in another way
	Token  func(w http.ResponseWriter, code string) // replaces the response to a code
	Keys   []any                                    // more keys of the provider
	Codes  bool                                     // codes can be used again
	Return func(callback url.Values, back *url.URL) // changes the parameters of the response
}

// New starts a provider that ends with the test.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, requests: map[string]url.Values{}, calls: map[string]int{}, person: Person{Subject: "1", Username: "ada"}}
	p.keys = &oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: "key", Algorithm: oidc.ES256}}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.serveDocument)
	mux.HandleFunc("GET /keys", p.serveKeys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", p.userInfo)
	mux.HandleFunc("GET /signout", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("id_token_hint") == "" { // as Authentik and Pocket ID require
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, r.URL.Query().Get("post_logout_redirect_uri"), http.StatusFound)
	})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.calls[r.URL.Path]++
		down := p.down
		p.mu.Unlock()
		if down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	p.keys.SetIssuer(p.URL)
	t.Cleanup(p.Close)
	return p
}

// Settings returns the settings of a server that uses the provider.
func (p *Provider) Settings() config.OIDC {
	return config.OIDC{Issuer: config.IssuerURL(p.URL), ClientID: ClientID, ClientSecret: ClientSecret, Name: "Company"}
}

// SetPerson sets who signs in from now on.
func (p *Provider) SetPerson(person Person) { p.change(func() { p.person = person }) }

// SetHostile sets what the provider does wrong from now on.
func (p *Provider) SetHostile(h Hostile) { p.change(func() { p.hostile = h }) }

// SetDown makes the provider respond to nothing, or again.
func (p *Provider) SetDown(down bool) { p.change(func() { p.down = down }) }

// SetDocument replaces fields of the document that describes the provider.
func (p *Provider) SetDocument(fields map[string]any) { p.change(func() { p.document = fields }) }

// Calls returns the number of requests for a path.
func (p *Provider) Calls(path string) (n int) {
	p.change(func() { n = p.calls[path] })
	return n
}

func (p *Provider) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func (p *Provider) serveDocument(w http.ResponseWriter, _ *http.Request) {
	document := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"userinfo_endpoint": p.URL + "/userinfo", "end_session_endpoint": p.URL + "/signout?x=1",
		"id_token_signing_alg_values_supported": []string{oidc.ES256}, "scopes_supported": []string{"openid", "profile", "groups"},
	}
	p.change(func() { maps.Copy(document, p.document) })
	writeJSON(w, http.StatusOK, document)
}

// serveKeys serves the key that signs ID tokens after those of Hostile.
func (p *Provider) serveKeys(w http.ResponseWriter, r *http.Request) {
	recorder := httptest.NewRecorder()
	p.keys.ServeHTTP(recorder, r)
	var set struct {
		Keys []any `json:"keys"`
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &set); err != nil {
		panic(err) // the library is another one
	}
	p.change(func() { set.Keys = append(slices.Clone(p.hostile.Keys), set.Keys...) })
	writeJSON(w, http.StatusOK, set)
}

// authorize sends the browser back with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, p.Authorize(r.URL.String()), http.StatusFound)
}

// Authorize returns the URL to which the provider sends a browser back that comes to a URL.
func (p *Provider) Authorize(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return ""
	}
	query := u.Query()
	back, err := url.Parse(query.Get("redirect_uri"))
	if err != nil {
		return ""
	}
	code := rand.Text()
	values := url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {p.URL}}
	if query.Get("max_age") == "0" { // no sign-in is so recent, as Authelia and Glewlwyd see it
		values.Del("code")
		values.Set("error", "login_required")
	}
	p.change(func() {
		p.requests[code] = query
		if p.hostile.Return != nil {
			p.hostile.Return(values, back)
		}
	})
	back.RawQuery = values.Encode()
	return back.String()
}

// token exchanges a code for an ID token, if the client, its secret and the verifier of PKCE are right.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, secret, ok := r.BasicAuth()
	if !ok {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if secret, _ = url.QueryUnescape(secret); id != ClientID || secret != ClientSecret {
		writeJSON(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	code := r.PostFormValue("code")
	request, ok := p.requests[code]
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || request.Get("code_challenge_method") != "S256" || request.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) ||
		request.Get("redirect_uri") != r.PostFormValue("redirect_uri") {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	if !p.hostile.Codes {
		delete(p.requests, code)
	}
	if p.hostile.Token != nil {
		p.hostile.Token(w, code)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": p.idToken(request)})
}

// idToken returns the ID token for a request. p is locked.
func (p *Provider) idToken(request url.Values) string {
	now := time.Now()
	claims := map[string]any{
		"iss": p.URL, "aud": ClientID, "sub": p.person.Subject, "nonce": request.Get("nonce"), "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}
	if p.person.Username != "" {
		claims["preferred_username"] = p.person.Username
	}
	maps.Copy(claims, p.person.Claims)
	if p.hostile.Claims != nil {
		p.hostile.Claims(claims)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err) // the test is wrong
	}
	if p.hostile.Sign != nil {
		return p.hostile.Sign(p, string(text))
	}
	return oidctest.SignIDToken(p.key, "key", oidc.ES256, string(text))
}

func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer access" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	info := map[string]any{"sub": p.person.Subject}
	maps.Copy(info, p.person.UserInfo)
	writeJSON(w, http.StatusOK, info)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value) //nolint:errcheck // the client notices
}
