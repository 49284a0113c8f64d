package identity_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"waymark/internal/config"
	"waymark/internal/identity"
	"waymark/internal/identity/identitytest"
)

const (
	baseURL  = "https://links.example.org/below"
	callback = baseURL + "/signin/callback"
	verifier = "a verifier of at least forty-three characters"
)

// newProvider returns the provider as a server with these settings sees it.
func newProvider(t *testing.T, settings config.OIDC) *identity.Provider {
	t.Helper()
	p := identity.New(settings, identity.Options{BaseURL: baseURL, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	t.Cleanup(p.Close)
	return p
}

// signIn signs a person in at the provider. edit changes the response that the browser brings back.
func signIn(t *testing.T, there *identitytest.Provider, here *identity.Provider, edit func(*identity.Response)) (identity.Claims, error) {
	t.Helper()
	location, err := here.Begin(t.Context(), "state", "nonce", verifier, false)
	if err != nil {
		t.Fatal(err)
	}
	back, err := url.Parse(there.Authorize(location))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(back.String(), callback+"?") || back.Query().Get("state") != "state" {
		t.Fatalf("got %s, want %s with the state", back, callback)
	}
	response := identity.Response{Code: back.Query().Get("code"), Issuer: back.Query().Get("iss")}
	if edit != nil {
		edit(&response)
	}
	return here.Finish(t.Context(), response, "nonce", verifier)
}

func TestProviderSaysWhoSomebodyIs(t *testing.T) {
	there := identitytest.New(t)
	here := newProvider(t, there.Settings())
	if there.Calls("/.well-known/openid-configuration") != 0 {
		t.Error("the document was requested before it was needed")
	}
	for range 2 {
		claims, err := signIn(t, there, here, nil)
		if err != nil || claims.Subject != "1" || claims.Username() != "ada" {
			t.Fatalf("got %+v, %v, want ada", claims, err)
		}
	}
	if n := there.Calls("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("the document was requested %d times, want once", n)
	}
	for length, want := range map[int]bool{100: true, identity.MaxIDToken: false} {
		there.SetPerson(identitytest.Person{Subject: "1", Username: "ada", Claims: map[string]any{"roles": strings.Repeat("x", length)}})
		claims, err := signIn(t, there, here, nil)
		if err != nil || (claims.IDToken != "") != want {
			t.Errorf("a claim of %d bytes: got an ID token of %d bytes, %v", length, len(claims.IDToken), err)
		}
	}
	public := there.Settings()
	public.ClientSecret = ""
	if _, err := signIn(t, there, newProvider(t, public), nil); !errors.Is(err, identity.ErrInvalid) {
		t.Errorf("without the secret: got error %v, want ErrInvalid", err)
	}
	for token, hint := range map[string]string{"": "", "a.b.c": "&id_token_hint=a.b.c"} {
		got := here.SignOutURL(t.Context(), token, "https://links.example.org/signin")
		if want := there.URL + "/signout?client_id=waymark" + hint + "&post_logout_redirect_uri=https%3A%2F%2Flinks.example.org%2Fsignin&x=1"; got != want {
			t.Errorf("sign out: got %s, want %s", got, want)
		}
	}
}

// set returns a function that sets a claim.
func set(name string, value any) func(map[string]any) {
	return func(claims map[string]any) { claims[name] = value }
}

func TestHostileTokensAreRefused(t *testing.T) {
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(key any, alg string) func(*identitytest.Provider, string) string {
		return func(_ *identitytest.Provider, claims string) string {
			return oidctest.SignIDToken(key, "key", alg, claims)
		}
	}
	unsigned := func(_ *identitytest.Provider, claims string) string {
		encode := base64.RawURLEncoding.EncodeToString
		return encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(claims)) + "."
	}
	now := time.Now()
	for name, hostile := range map[string]identitytest.Hostile{
		"audience":           {Claims: set("aud", "another client")},
		"several audiences":  {Claims: set("aud", []string{identitytest.ClientID, "another client"})},
		"authorized party":   {Claims: set("azp", "another client")},
		"issuer":             {Claims: set("iss", "https://evil.example")},
		"nonce":              {Claims: set("nonce", "another nonce")},
		"no nonce":           {Claims: func(claims map[string]any) { delete(claims, "nonce") }},
		"expired":            {Claims: set("exp", now.Add(-identity.ClockSkew-10*time.Second).Unix())},
		"issued later":       {Claims: set("iat", now.Add(identity.ClockSkew+10*time.Second).Unix())},
		"signed in later":    {Claims: set("auth_time", now.Add(identity.ClockSkew+10*time.Second).Unix())},
		"signed in at last":  {Claims: set("auth_time", 1e18)},
		"not valid yet":      {Claims: set("nbf", now.Add(10*time.Minute).Unix())},
		"no subject":         {Claims: set("sub", "")},
		"long subject":       {Claims: set("sub", strings.Repeat("1", 256))},
		"subject with NUL":   {Claims: set("sub", "1\x00")},
		"other access token": {Claims: set("at_hash", "AAAAAAAAAAAAAAAAAAAAAA")},
		"other key":          {Sign: sign(other, oidc.RS256)},
		"secret as the key":  {Sign: sign([]byte("client secret, which must be long enough"), "HS256")},
		"no algorithm":       {Sign: unsigned},
		"no ID token": {Token: func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"access_token":"a"}`))
		}},
		"code refused": {Token: func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusBadRequest) }},
	} {
		t.Run(name, func(t *testing.T) {
			there := identitytest.New(t)
			there.SetHostile(hostile)
			if claims, err := signIn(t, there, newProvider(t, there.Settings()), nil); !errors.Is(err, identity.ErrInvalid) {
				t.Errorf("got %+v, %v, want ErrInvalid", claims, err)
			}
		})
	}
}

func TestClockMayDifferByAMinute(t *testing.T) {
	there := identitytest.New(t)
	for name, claims := range map[string]func(map[string]any){
		"expired":      set("exp", time.Now().Add(-identity.ClockSkew/2).Unix()),
		"issued later": set("iat", time.Now().Add(identity.ClockSkew/2).Unix()),
	} {
		there.SetHostile(identitytest.Hostile{Claims: claims})
		if _, err := signIn(t, there, newProvider(t, there.Settings()), nil); err != nil {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

// Mix-up: the response comes from another provider than the one that was asked.
func TestResponseOfAnotherProviderIsRefused(t *testing.T) {
	there := identitytest.New(t)
	here := newProvider(t, there.Settings())
	issuer := func(issuer string) func(*identity.Response) {
		return func(r *identity.Response) { r.Issuer = issuer }
	}
	if _, err := signIn(t, there, here, issuer("https://evil.example")); !errors.Is(err, identity.ErrInvalid) || there.Calls("/token") != 0 {
		t.Errorf("got error %v after %d requests with the code, want ErrInvalid and none", err, there.Calls("/token"))
	}
	if _, err := signIn(t, there, here, issuer("")); err != nil {
		t.Errorf("a provider that does not name itself: got error %v", err)
	}
	there.SetDocument(map[string]any{"authorization_response_iss_parameter_supported": true})
	if _, err := signIn(t, there, newProvider(t, there.Settings()), issuer("")); !errors.Is(err, identity.ErrInvalid) {
		t.Errorf("a provider that always names itself: got error %v, want ErrInvalid", err)
	}
}

func TestProviderThatIsDownIsAskedAgainLater(t *testing.T) {
	there := identitytest.New(t)
	there.SetDown(true)
	now := time.Now()
	here := identity.New(there.Settings(), identity.Options{BaseURL: baseURL, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	t.Cleanup(here.Close)
	begin := func() error {
		_, err := here.Begin(t.Context(), "state", "nonce", verifier, false)
		return err
	}
	for range 3 {
		if err := begin(); !errors.Is(err, identity.ErrNoAnswer) {
			t.Fatalf("got error %v, want ErrNoAnswer", err)
		}
	}
	if n := there.Calls("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("the provider was asked %d times within seconds, want once", n)
	}
	there.SetDown(false)
	now = now.Add(time.Minute)
	if err := begin(); err != nil {
		t.Errorf("when it is up again: got error %v", err)
	}
	there.SetDown(true)
	if _, err := here.Finish(t.Context(), identity.Response{Code: "x", Issuer: there.URL}, "nonce", verifier); !errors.Is(err, identity.ErrNoAnswer) {
		t.Errorf("down again: got error %v, want ErrNoAnswer", err)
	}
}

func TestUnsafeDocumentsAreRefused(t *testing.T) {
	for name, fields := range map[string]map[string]any{
		"another issuer": {"issuer": "https://evil.example"},
		"script":         {"authorization_endpoint": "javascript:alert(1)"},
		"large":          {"x": strings.Repeat("x", 2<<20)},
	} {
		there := identitytest.New(t)
		there.SetDocument(fields)
		if location, err := newProvider(t, there.Settings()).Begin(t.Context(), "state", "nonce", verifier, false); !errors.Is(err, identity.ErrNoAnswer) {
			t.Errorf("%s: got %s, %v, want ErrNoAnswer", name, location, err)
		}
	}
}

func TestGroups(t *testing.T) {
	groups, roles := config.Group{Claim: "groups", Name: "admins"}, config.Group{Claim: "realm_access.roles", Name: "admins"}
	for name, test := range map[string]struct {
		person        identitytest.Person
		group         config.Group
		member, known bool
	}{
		"array":        {identitytest.Person{Claims: map[string]any{"groups": []string{"staff", "admins"}}}, groups, true, true},
		"string":       {identitytest.Person{Claims: map[string]any{"groups": "admins"}}, groups, true, true},
		"other string": {identitytest.Person{Claims: map[string]any{"groups": "no admins"}}, groups, false, true},
		"object":       {identitytest.Person{Claims: map[string]any{"groups": map[string]any{"admins": 1}}}, groups, true, true},
		"no role":      {identitytest.Person{Claims: map[string]any{"groups": map[string]any{"admins": false}}}, groups, false, true},
		"empty role":   {identitytest.Person{Claims: map[string]any{"groups": map[string]any{"admins": nil}}}, groups, false, true},
		"number":       {identitytest.Person{Claims: map[string]any{"groups": 7}}, groups, false, true},
		"none":         {identitytest.Person{}, groups, false, true},
		"nested":       {identitytest.Person{Claims: map[string]any{"realm_access": map[string]any{"roles": []string{"admins"}}}}, roles, true, true},
		"with a dot":   {identitytest.Person{Claims: map[string]any{"realm_access.roles": []string{"admins"}}}, roles, true, true},
		"user info":    {identitytest.Person{UserInfo: map[string]any{"groups": []string{"admins"}}}, groups, true, true},
		"signed first": {identitytest.Person{Claims: map[string]any{"groups": []string{}}, UserInfo: map[string]any{"groups": []string{"admins"}}}, groups, false, true},
		"too many": {identitytest.Person{Claims: map[string]any{
			"_claim_names": map[string]any{"groups": "src1"}, "_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://graph.example/"}},
		}}, groups, false, false},
	} {
		there := identitytest.New(t)
		test.person.Subject, test.person.Username = "1", "ada"
		there.SetPerson(test.person)
		settings := there.Settings()
		settings.AdminGroup = test.group
		claims, err := signIn(t, there, newProvider(t, settings), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if member, known := claims.In(test.group); member != test.member || known != test.known {
			t.Errorf("%s: got %t, known %t, want %t, known %t", name, member, known, test.member, test.known)
		}
	}
}

// What a provider says besides what is needed can have any form.
func TestWhatIsNotUnderstoodIsSkipped(t *testing.T) {
	there := identitytest.New(t)
	there.SetDocument(map[string]any{
		"scopes_supported": "openid", "id_token_signing_alg_values_supported": 7, "end_session_endpoint": []string{"x"},
		"device_authorization_endpoint": false, "authorization_response_iss_parameter_supported": "yes",
	})
	there.SetHostile(identitytest.Hostile{
		Claims: func(claims map[string]any) {
			claims["auth_time"], claims["azp"], claims["email_verified"], claims["name"] = "yesterday", nil, "perhaps", 7
		},
		Keys: []any{
			map[string]any{"kty": "EC", "crv": "secp256k1", "kid": "key", "x": "AQ", "y": "AQ"},
			map[string]any{"kty": "EC", "crv": "P-256", "kid": "key", "x": "AA", "y": "AA"},
			map[string]any{"kty": "RSA", "kid": "key", "n": "AQAB", "e": "AQAB", "x5c": []string{"!!"}},
			map[string]any{"kid": "key"}, "a text", nil,
		},
	})
	there.SetPerson(identitytest.Person{Subject: "1", UserInfo: map[string]any{
		"preferred_username": "ada", "email_verified": "perhaps", "email": 7, "profile": []string{},
	}})
	claims, err := signIn(t, there, newProvider(t, there.Settings()), nil)
	if err != nil || claims.Username() != "ada" || !claims.AuthTime.IsZero() {
		t.Errorf("got %+v, %v, want ada", claims, err)
	}
}

func TestUserInfoIsAboutTheSamePerson(t *testing.T) {
	there := identitytest.New(t)
	there.SetPerson(identitytest.Person{Subject: "1", UserInfo: map[string]any{"preferred_username": "ada"}})
	here := newProvider(t, there.Settings())
	if claims, err := signIn(t, there, here, nil); err != nil || claims.Username() != "ada" {
		t.Errorf("got %+v, %v, want the name of the user info", claims, err)
	}
	there.SetPerson(identitytest.Person{Subject: "1", UserInfo: map[string]any{"sub": "2", "preferred_username": "eve"}})
	if claims, err := signIn(t, there, here, nil); err == nil {
		t.Errorf("got %+v, want an error", claims)
	}
}
