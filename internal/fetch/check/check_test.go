package check_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"waymark/internal/fetch"
	"waymark/internal/fetch/check"
	"waymark/internal/waymark"
)

// statuses has one path for each way in which a server can respond. Servers that misbehave are in the
// tests of package service.
func statuses(t *testing.T) *http.ServeMux {
	t.Helper()
	mux := http.NewServeMux()
	html := func(w http.ResponseWriter, status int, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
	mux.HandleFunc("/ok", func(w http.ResponseWriter, _ *http.Request) { html(w, 200, "<title>Here</title>") })
	mux.HandleFunc("/status/{status}", func(w http.ResponseWriter, r *http.Request) {
		status := 0
		fmt.Sscan(r.PathValue("status"), &status)
		html(w, status, "")
	})
	mux.HandleFunc("/reset", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })

	redirect := func(path, to string, status int) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, status) })
	}
	redirect("/301", "/ok", 301)
	redirect("/302", "/ok", 302)
	redirect("/301-session", "/ok?PHPSESSID=0123&x=1", 301)
	redirect("/301-suspended", "/cgi-sys/suspendedpage.cgi", 301)
	redirect("/301-default", "/cgi-sys/defaultwebpage.cgi", 301)
	mux.HandleFunc("/same-session", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "" {
			html(w, 200, "<title>Here</title>")
			return
		}
		http.Redirect(w, r, "/same-session?PHPSESSID=0123", http.StatusMovedPermanently)
	})
	mux.HandleFunc("/cgi-sys/", func(w http.ResponseWriter, _ *http.Request) { html(w, 200, "<title>Sorry</title>") })
	redirect("/308", "/ok", 308)
	redirect("/301-301", "/301", 301)
	redirect("/301-302", "/302", 301)
	redirect("/302-301", "/301", 302)
	redirect("/301-404", "/status/404", 301)
	redirect("/301-403", "/status/403", 301)
	redirect("/301-500", "/status/500", 301)
	redirect("/301-fragment", "/ok#new", 301)
	redirect("/301-long", "/ok?"+strings.Repeat("a", waymark.MaxURL), 301)
	redirect("/to-other-scheme", "ftp://127.0.0.1/", 301)

	mux.HandleFunc("/cloudflare", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cf-Mitigated", "challenge")
		html(w, 403, "<title>Just a moment...</title>")
	})
	mux.HandleFunc("/cloudflare-503", func(w http.ResponseWriter, _ *http.Request) {
		html(w, 503, "<script>window._cf_chl_opt = {}</script>")
	})
	mux.HandleFunc("/challenge-200", func(w http.ResponseWriter, _ *http.Request) {
		html(w, 200, `<script id="anubis_challenge" type="application/json">{}</script>`)
	})
	for name, page := range map[string]string{
		"akamai":    `<title>Challenge Validation</title><div id="sec-if-cpt-container"></div>`,
		"imperva":   `<html><head><META NAME="robots" CONTENT="noindex,nofollow"></head><iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=9">Request unsuccessful</iframe>`,
		"hcaptcha":  `<title>shop.example</title><form method=post><div class="h-captcha" data-sitekey="x"></div><input type=submit></form>`,
		"turnstile": `<title>Hold on</title><div class="cf-turnstile" data-sitekey="x"></div>`,
		"pressed":   `<title>Access to this page has been denied</title><meta name="description" content="px-captcha">`,
		"datadome":  `<title>shop.example</title><script data-cfasync="false" src="https://ct.captcha-delivery.com/c.js"></script>`,
		"german":    `<title>Sicherheitsüberprüfung</title><p>Bitte warten`,
		"consent":   `<title>Weiter zu Google</title><form action="https://consent.google.com/save"><button>Alle akzeptieren</button></form>`,
		"reddit":    `<title>Reddit - Prove your humanity</title>`,
		"imunify":   `<title>One moment, please...</title><script></script>`,
		"french":    `<title>Un instant…</title>`,
		"japanese":  `<title>しばらくお待ちください...</title>`,
		"chinese":   `<title>百度安全验证</title>`,
		"russian":   `<title>Вы не робот?</title>`,
		"sucuri":    `<title>You are being redirected...</title><noscript>Javascript is required.</noscript>`,
		"aws":       `<title></title><div id="challenge-container"></div>`,
		"amazon":    `<title>Amazon.com</title><form action="/check"><input type="text" id="captchacharacters" name="field-keywords"></form>`,
		"blocked":   `<title>Sorry, you have been blocked</title>`,
		"verify":    `<title>Verify you are human</title><p>Press and hold the button</p>`,
	} {
		mux.HandleFunc("/wall-"+name, func(w http.ResponseWriter, _ *http.Request) { html(w, 200, page) })
	}
	for name, page := range map[string]string{
		"article": `<title>How captchas work</title><article>` + strings.Repeat("Text. ", 300),
		"long":    `<title>Access denied: a history</title><p>` + strings.Repeat("Text. ", 300),
		"form":    `<title>Contact</title><form><input name=email><textarea></textarea><div class="g-recaptcha"></div></form>`,
		"shell":   `<title>Shop</title><script src="https://www.google.com/recaptcha/api.js"></script><div id="root"></div>`,
		"login":   `<title>One moment in time</title><form><input name="user"><input type=password></form>`,
		"short":   `<title>Robots in the news</title><meta name=description content="What they do"><p>Soon.</p>`,
	} {
		mux.HandleFunc("/page-"+name, func(w http.ResponseWriter, _ *http.Request) { html(w, 200, page) })
	}
	mux.HandleFunc("/challenge-html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "Text/HTML")
		io.WriteString(w, "<title>Request Rejected</title>Your support ID is: 1")
	})
	return mux
}

func client() *fetch.Client { return fetch.New(options()) }

func options() fetch.Options {
	return fetch.Options{
		Allow:     []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		UserAgent: "Waymark/test",
		Timeout:   time.Minute, Bytes: 1 << 20, Redirects: 5, HeaderBytes: 64 << 10, Ratio: 200,
	}
}

func TestResult(t *testing.T) {
	server := httptest.NewServer(statuses(t))
	defer server.Close()
	const (
		ok, moved, dead = waymark.CheckOK, waymark.CheckMoved, waymark.CheckDead
		blocked, unsure = waymark.CheckBlocked, waymark.CheckUnsure
	)
	for _, test := range []struct {
		path   string
		result waymark.CheckResult
		reason string
		code   int
		newURL string
	}{
		{"/ok", ok, "", 200, ""},
		{"/status/204", ok, "", 204, ""},

		{"/status/404", dead, "status", 404, ""},
		{"/status/410", dead, "status", 410, ""},
		{"/301-404", dead, "status", 404, ""},

		{"/status/401", blocked, "status", 401, ""},
		{"/status/403", blocked, "status", 403, ""},
		{"/status/429", blocked, "status", 429, ""},
		{"/status/999", blocked, "status", 999, ""},
		{"/301-403", blocked, "status", 403, ""},
		{"/cloudflare", blocked, "challenge", 403, ""},
		{"/cloudflare-503", blocked, "challenge", 503, ""},
		{"/challenge-200", blocked, "challenge", 200, ""},
		{"/challenge-html", blocked, "challenge", 200, ""},
		{"/wall-akamai", blocked, "challenge", 200, ""},
		{"/wall-imperva", blocked, "challenge", 200, ""},
		{"/wall-hcaptcha", blocked, "challenge", 200, ""},
		{"/wall-turnstile", blocked, "challenge", 200, ""},
		{"/wall-consent", blocked, "challenge", 200, ""},
		{"/wall-verify", blocked, "challenge", 200, ""},
		{"/wall-reddit", blocked, "challenge", 200, ""},
		{"/wall-imunify", blocked, "challenge", 200, ""},
		{"/wall-french", blocked, "challenge", 200, ""},
		{"/wall-japanese", blocked, "challenge", 200, ""},
		{"/wall-chinese", blocked, "challenge", 200, ""},
		{"/wall-russian", blocked, "challenge", 200, ""},
		{"/wall-sucuri", blocked, "challenge", 200, ""},
		{"/wall-aws", blocked, "challenge", 200, ""},
		{"/wall-amazon", blocked, "challenge", 200, ""},
		{"/wall-blocked", blocked, "challenge", 200, ""},
		{"/wall-pressed", blocked, "challenge", 200, ""},
		{"/wall-datadome", blocked, "challenge", 200, ""},
		{"/wall-german", blocked, "challenge", 200, ""},
		{"/page-article", ok, "", 200, ""},
		{"/page-long", ok, "", 200, ""},
		{"/page-form", ok, "", 200, ""},
		{"/page-shell", ok, "", 200, ""},
		{"/page-short", ok, "", 200, ""},
		{"/page-login", ok, "", 200, ""},

		{"/status/408", unsure, "status", 408, ""},
		{"/status/500", unsure, "status", 500, ""},
		{"/status/304", unsure, "status", 304, ""},
		{"/301-500", unsure, "status", 500, ""},
		{"/reset", unsure, "interrupted", 0, ""},
		{"/to-other-scheme", unsure, "forbidden", 0, ""},

		{"/301", moved, "redirect", 200, "/ok"},
		{"/301-session", moved, "redirect", 200, "/ok?x=1"},
		{"/same-session", ok, "", 200, ""},
		{"/301-suspended", unsure, "redirect", 200, ""},
		{"/301-default", unsure, "redirect", 200, ""},
		{"/308", moved, "redirect", 200, "/ok"},
		{"/301-301", moved, "redirect", 200, "/ok"},
		{"/301-302", moved, "redirect", 200, "/302"},
		{"/301#part", moved, "redirect", 200, "/ok#part"},
		{"/301-fragment#part", moved, "redirect", 200, "/ok#new"},
		{"/301-long", ok, "", 200, ""},
		{"/302", ok, "", 200, ""},
		{"/302-301", ok, "", 200, ""},
	} {
		want := waymark.LastCheck{Reason: test.reason, Check: waymark.Check{At: 7, Result: test.result, Code: test.code}}
		if test.newURL != "" {
			want.NewURL = server.URL + test.newURL
		}
		if got := checkURL(t, client(), server.URL+test.path); got != want {
			t.Errorf("%s: got %+v, want %+v", test.path, got, want)
		}
	}
}

func checkURL(t *testing.T, c *fetch.Client, rawURL string) waymark.LastCheck {
	t.Helper()
	return check.URL(t.Context(), c, rawURL, func() waymark.Time { return 7 })
}

func TestUnreachableProxyMakesNoLinkDead(t *testing.T) {
	proxy := httptest.NewServer(nil)
	proxy.Close()
	for _, scheme := range []string{"http", "https", "socks5"} {
		o := options()
		o.Proxy = &url.URL{Scheme: scheme, Host: proxy.Listener.Addr().String()}
		for _, rawURL := range []string{"http://127.0.0.1:2000/", "https://127.0.0.1:2000/"} {
			if got := checkURL(t, fetch.New(o), rawURL); got.Result != waymark.CheckUnsure || got.Reason != "proxy" {
				t.Errorf("%s through %s: got %+v, want unsure, proxy", rawURL, o.Proxy, got)
			}
		}
	}
}

func TestRetryAfterIsReported(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	if got := checkURL(t, client(), server.URL); got.RetryAfter != time.Hour || got.Result != waymark.CheckUnsure {
		t.Errorf("got %+v, want unsure, retry after an hour", got)
	}
	if requests != 1 {
		t.Errorf("got %d requests, want 1: the server wants no more for an hour", requests)
	}
}

func TestAnInterruptedCheckHasNoResult(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel(errors.New("the server stops"))
		<-r.Context().Done()
	}))
	defer server.Close()
	if got := check.URL(ctx, client(), server.URL, func() waymark.Time { return 7 }); got != (waymark.LastCheck{}) {
		t.Errorf("got %+v, want no result", got)
	}
}
