package api

import (
	"strings"
	"testing"
)

func TestValidURLs(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for url, title := range map[string]string{
		"https://go.dev":                     "go.dev",
		"http://localhost:8080/x":            "localhost",
		"HTTPS://EXAMPLE.org/Path":           "example.org",
		"https://user:pass@example.org:8/":   "example.org",
		"https://[2001:db8::1]:8080/":        "[2001:db8::1]",
		"https://münchen.example/straße?ü=ß": "münchen.example",
		"https://例え.テスト/パス":                  "例え.テスト",
		"https://example.org/100%":           "example.org",
		"https://example.org/a|b{c}^`\\\"<>": "example.org",
		"mailto:ann@example.org":             "mailto:ann@example.org",
		"tel:+43123456":                      "tel:+43123456",
		"ftp://ftp.example.org/x":            "ftp.example.org",
		"magnet:?xt=urn:btih:abc":            "magnet:?xt=urn:btih:abc",
		"chrome://settings":                  "settings",
		"file:///etc/hosts":                  "file:///etc/hosts",
		"web+app.x-y:z":                      "web+app.x-y:z",
		"obsidian://open?vault=a":            "open",
	} {
		got := ann.post(t, "/links", `{"url":`+jsonOf(t, url)+`}`)
		if got.status != 200 {
			t.Errorf("%s: got %d %s", url, got.status, got.body)
			continue
		}
		got.wantValue(t, "url title", jsonOf(t, []string{url, title}))
	}
}

func TestInvalidURLs(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for sent, sentence := range map[string]string{
		`null`:                                "The url field is required.",
		`""`:                                  "The url field is required.",
		`" \n"`:                               "The url field is required.",
		`5`:                                   "The url must be a string.",
		`["https://go.dev"]`:                  "The url must be a string.",
		`{}`:                                  "The url must be a string.",
		`true`:                                "The url must be a string.",
		`"go.dev"`:                            "The url format is invalid.",
		`"//go.dev"`:                          "The url format is invalid.",
		`"/path"`:                             "The url format is invalid.",
		`"https:"`:                            "The url format is invalid.",
		`"https://"`:                          "The url format is invalid.",
		`"https:///path"`:                     "The url format is invalid.",
		`"https:go.dev"`:                      "The url format is invalid.",
		`"http://:80/"`:                       "The url format is invalid.",
		`"http://?x"`:                         "The url format is invalid.",
		`"http://user@/"`:                     "The url format is invalid.",
		`"https://go.dev:port/"`:              "The url format is invalid.",
		`"https://go.dev:99999/"`:             "The url format is invalid.",
		`"https://[::1/"`:                     "The url format is invalid.",
		`"https://[nonsense]/"`:               "The url format is invalid.",
		`"1http://go.dev"`:                    "The url format is invalid.",
		`"ht tp://go.dev"`:                    "The url format is invalid.",
		`"https://go.dev/a b"`:                "The url format is invalid.",
		`"https://go.dev/a\nb"`:               "The url format is invalid.",
		`"https://go.dev/\u0000"`:             "The url format is invalid.",
		`"https://go.dev/\u007f"`:             "The url format is invalid.",
		`"https://go.dev/\u00a0x"`:            "The url format is invalid.",
		`"https://go.dev/\u3000x"`:            "The url format is invalid.",
		`"javascript:alert(1)"`:               "The url format is invalid.",
		`"JavaScript:alert(1)"`:               "The url format is invalid.",
		`" javascript:alert(1)"`:              "The url format is invalid.",
		`"java\tscript:alert(1)"`:             "The url format is invalid.",
		`"data:text/html,x"`:                  "The url format is invalid.",
		`"VBScript:x"`:                        "The url format is invalid.",
		`"https://a.example/` + x(8000) + `"`: "The url must not be greater than 8000 bytes.",
	} {
		ann.post(t, "/links", `{"url":`+sent+`}`).wantFieldErrors(t, "url: "+sentence)
	}
	ann.post(t, "/links", `{"title":"a"}`).wantFieldErrors(t, "url: The url field is required.")
	ann.get(t, "/links").wantValue(t, "total", "0")

	longest := "https://a.example/" + x(8000-18)
	ann.post(t, "/links", `{"url":"`+longest+`"}`).ok(t).wantValue(t, "url", `"`+longest+`"`)
	// The limit is in bytes.
	umlauts := "https://a.example/" + strings.Repeat("ü", (8000-18)/2)
	ann.post(t, "/links", `{"url":"`+umlauts+`"}`).ok(t)
	ann.post(t, "/links", `{"url":"`+umlauts+`ü"}`).wantFieldErrors(t, "url: The url must not be greater than 8000 bytes.")
}

func TestCheckFindsExactURL(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	id := ann.link(t, `{"url":"https://go.dev/?a=1&b=ü#x"}`)
	for url, want := range map[string]string{
		"https%3A%2F%2Fgo.dev%2F%3Fa%3D1%26b%3D%C3%BC%23x":       "true",
		"%20https%3A%2F%2Fgo.dev%2F%3Fa%3D1%26b%3D%C3%BC%23x%0A": "true",
		"https://go.dev/": "false",
		"https%3A%2F%2FGO.dev%2F%3Fa%3D1%26b%3D%C3%BC%23x": "false",
		"": "false", "%00": "false", "%FF": "false", "nonsense": "false",
	} {
		if got := ann.get(t, "/links/check?url="+url).ok(t).value(t, "linksFound"); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
	ann.get(t, "/links/check").wantValue(t, "linksFound", "false")
	ann.delete(t, "/links/"+id, "").ok(t)
	ann.get(t, "/links/check?url=https%3A%2F%2Fgo.dev%2F%3Fa%3D1%26b%3D%C3%BC%23x").wantValue(t, "linksFound", "false")
}

// x returns the letter x n times.
func x(n int) string { return strings.Repeat("x", n) }
