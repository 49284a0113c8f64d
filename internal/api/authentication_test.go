package api

import (
	"strings"
	"testing"

	"waymark/internal/store/storetest"
)

func TestAPIKeyIsSentAsBearerToken(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for _, test := range []struct {
		name, header string
		status       int
	}{
		{"usual form", "Bearer " + ann.key, 200},
		{"scheme in lower case", "bearer " + ann.key, 200},
		{"scheme in upper case", "BEARER " + ann.key, 200},
		{"several spaces", "Bearer   " + ann.key, 200},
		{"no header", "", 401},
		{"no key", "Bearer", 401},
		{"another scheme", "Basic " + ann.key, 401},
		{"no scheme", ann.key, 401},
		{"an unknown key", "Bearer wm_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 401},
		{"a key in lower case", "Bearer " + strings.ToLower(ann.key), 401},
		{"a key with another character", "Bearer " + ann.key + "x", 401},
		{"a truncated key", "Bearer " + ann.key[:20], 401},
		{"two keys", "Bearer " + ann.key + " " + ann.key, 401},
		{"invalid UTF-8", "Bearer \xff\x80", 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			var headers []string
			if test.header != "" {
				headers = []string{"Authorization: " + test.header}
			}
			got := s.withoutKey().call(t, "GET", "/links", "", headers...)
			if test.status == 200 {
				got.ok(t)
				return
			}
			got.wantError(t, 401, "Unauthenticated.")
			if got := got.header.Get("WWW-Authenticate"); got != "Bearer" {
				t.Errorf("got WWW-Authenticate %q, want Bearer", got)
			}
		})
	}
}

func TestOnlyV1AcceptsAPIKeyInQuery(t *testing.T) {
	s := testServerOn(t, v1, storetest.Open(t))
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://ann.example"}`)
	s.withoutKey().callURL(t, "GET", s.baseURL+"/api/v2/links?api_token="+ann.key, "").wantError(t, 401, "Unauthenticated.")
	s.withoutKey().get(t, "/links?api_token="+ann.key).wantValue(t, "total", "1")
	s.withoutKey().get(t, "/links?api_token=wm_wrong").wantError(t, 401, "Unauthenticated.")
	ben.get(t, "/links?api_token="+ann.key).wantValue(t, "total", "0")
	s.withoutKey().call(t, "GET", "/links?api_token="+ann.key, "", "Authorization: Bearer wm_wrong").wantError(t, 401, "Unauthenticated.")
	s.withoutKey().call(t, "POST", "/links?api_token="+ann.key, `{"url":"https://two.example"}`).ok(t)
	s.withoutKey().call(t, "DELETE", "/trash/clear?api_token="+ann.key, `{"model":"links"}`).ok(t)
}

func TestVersionWithoutPrefixNeedsNoAPIKey(t *testing.T) {
	s := newTestServer(t)
	s.withoutKey().callURL(t, "GET", s.baseURL+"/api/version", "").ok(t).wantValue(t, "version", `"v2"`)
	s.withoutKey().get(t, "/version").wantError(t, 401, "Unauthenticated.")
}
