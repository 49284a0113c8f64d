// Package check requests a URL and reports whether its page still exists. It tells pages that are
// gone from servers which refuse automated requests.
package check

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"waymark/internal/fetch"
	"waymark/internal/waymark"
)

// Reasons of results, in addition to the reasons of package fetch.
const (
	Status    = "status"    // the HTTP status
	Challenge = "challenge" // a page that wants visitors to prove that they are human
	Moved     = "redirect"  // a permanent redirect, or one that does not lead to the page
)

// maxRetryAfter is the maximum of LastCheck.RetryAfter.
const maxRetryAfter = 30 * 24 * time.Hour

// maxChallenge is the number of bytes of a page in which IsChallenge searches.
const maxChallenge = 64 << 10

// URL requests a URL, and reads at most the first 64 KiB of its page. The result is the zero value if ctx ended.
func URL(ctx context.Context, client *fetch.Client, rawURL string, now func() waymark.Time) waymark.LastCheck {
	found := request(ctx, client, rawURL, now)
	if ctx.Err() != nil {
		return waymark.LastCheck{}
	}
	found.At = now()
	return found
}

func request(ctx context.Context, client *fetch.Client, rawURL string, now func() waymark.Time) waymark.LastCheck {
	response, err := client.Get(ctx, rawURL)
	if err != nil {
		return failed(err)
	}
	defer response.Body.Close()
	found := judge(response)
	found.Code = response.Status
	found.RetryAfter = fetch.RetryAfter(response.Header, now().Time(), maxRetryAfter)
	if found.Result == waymark.CheckOK && len(response.Redirects) > 0 {
		judgeRedirects(&found, rawURL, response)
	}
	return found
}

// judgeRedirects sets the result on a response after redirects. Where the last one leads decides first: a
// temporary redirect to a sign-in does not show that the page is there.
func judgeRedirects(found *waymark.LastCheck, rawURL string, response *fetch.Response) {
	if last := withoutSession(response.URL.String()); last != rawURL {
		if result := resultOfMove(rawURL, last); result != waymark.CheckMoved {
			found.Result, found.Reason = result, Moved
			return
		}
	}
	if to := movedTo(rawURL, response.Redirects); to != "" {
		found.Reason = Moved
		if found.Result = resultOfMove(rawURL, to); found.Result == waymark.CheckMoved {
			found.NewURL = to
		}
	}
}

// failed returns the result of a request without a response.
func failed(err error) waymark.LastCheck {
	reason := fetch.BadResponse
	if failure, ok := errors.AsType[*fetch.Error](err); ok {
		reason = failure.Reason
	}
	found := waymark.LastCheck{Reason: string(reason), Check: waymark.Check{Result: waymark.CheckUnsure}}
	if reason == fetch.NoSuchHost || reason == fetch.Refused {
		found.Result = waymark.CheckDead
	}
	return found
}

func judge(response *fetch.Response) waymark.LastCheck {
	result := func(v waymark.CheckResult, reason string) waymark.LastCheck {
		return waymark.LastCheck{Reason: reason, Check: waymark.Check{Result: v}}
	}
	status := response.Status
	switch {
	case status == http.StatusNotFound, status == http.StatusGone:
		return result(waymark.CheckDead, Status)
	case isChallenge(response):
		return result(waymark.CheckBlocked, Challenge)
	case status >= 200 && status < 300:
		return result(waymark.CheckOK, "")
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status < 400, status >= 500 && status < 600:
		return result(waymark.CheckUnsure, Status)
	}
	// The server refuses robots, visitors who are not signed in, or this kind of request. Some
	// servers use statuses of 600 and above for that.
	return result(waymark.CheckBlocked, Status)
}

// challengeHeaders are headers that only challenges have, and their values; "" for any value.
var challengeHeaders = map[string]string{
	"Cf-Mitigated":      "challenge", // Cloudflare
	"X-Amzn-Waf-Action": "",          // Amazon
}

// challengeTexts are texts that occur only in challenges.
var challengeTexts = [][]byte{
	[]byte("_cf_chl_opt"),                                // Cloudflare
	[]byte("<title>Just a moment...</title>"),            // Cloudflare
	[]byte("window.gokuProps"),                           // Amazon
	[]byte(`id="anubis_challenge"`),                      // Anubis
	[]byte("sucuri_cloudproxy_js"),                       // Sucuri
	[]byte("Incapsula incident ID"),                      // Imperva
	[]byte("_Incapsula_Resource?SWUDNSAI"),               // Imperva
	[]byte("geo.captcha-delivery.com"),                   // DataDome
	[]byte("ct.captcha-delivery.com"),                    // DataDome
	[]byte(`"px-captcha"`),                               // PerimeterX
	[]byte("<title>Access to this page has been denied"), // PerimeterX
	[]byte("KPSDK.start="),                               // Kasada
	[]byte("/_sec/verify?provider="),                     // Akamai
	[]byte("/errors/validateCaptcha"),                    // Amazon
	[]byte("/git/go-away/"),                              // go-away
	[]byte("<title>DDoS-Guard</title>"),
	[]byte("<title>Pardon Our Interruption"),  // Imperva
	[]byte("reeseSkipExpirationCheck"),        // Imperva
	[]byte("bm-verify="),                      // Akamai
	[]byte("<title>Client Challenge</title>"), // Fastly
	[]byte("<title>Robot Check</title>"),      // Amazon
	[]byte("<title>Human Verification</title>"),
	[]byte("<title>Vercel Security Checkpoint</title>"),
	[]byte("<title>Reddit - Please wait for verification</title>"),
	[]byte("<title>Reddit - Prove your humanity</title>"),
	[]byte("<title>Attention Required! | Cloudflare</title>"),
	[]byte("<title>Request Rejected</title>"),             // F5
	[]byte("<title>Establishing a secure connection ..."), // Bunny
	[]byte("<title>Checking your browser"),                // several
	[]byte("<title>Bot Verification</title>"),             // several
	[]byte("Are you a robot?</title>"),                    // Bloomberg
	[]byte("/.well-known/sgcaptcha/"),                     // SiteGround
	[]byte(`id="checkbox-captcha-form"`),                  // Yandex
}

func isChallenge(response *fetch.Response) bool {
	if IsChallenge(response.Header, nil) {
		return true
	}
	if !isHTML(response.Header) {
		return false
	}
	// An error of reading does not matter: the server has responded.
	page, _ := io.ReadAll(io.LimitReader(response.Body, maxChallenge))
	return IsChallenge(response.Header, page)
}

// IsChallenge reports whether a response is a challenge, which visitors pass by proving that they
// are human. It examines the header and the first 64 KiB of the page.
func IsChallenge(header http.Header, page []byte) bool {
	for name, value := range challengeHeaders {
		if got := header.Get(name); got != "" && (value == "" || strings.EqualFold(got, value)) {
			return true
		}
	}
	if !isHTML(header) {
		return false
	}
	page = page[:min(len(page), maxChallenge)]
	return slices.ContainsFunc(challengeTexts, func(text []byte) bool { return bytes.Contains(page, text) }) || isWall(page)
}

func isHTML(header http.Header) bool {
	mediaType := strings.ToLower(header.Get("Content-Type"))
	return mediaType == "" || strings.HasPrefix(mediaType, "text/html")
}

// movedTo returns the target of the last permanent redirect before the first temporary one, "" for none. It must be
// another URL than rawURL, and one that a link can have.
func movedTo(rawURL string, redirects []fetch.Redirect) string {
	moved := ""
	for _, r := range redirects {
		if r.Status != http.StatusMovedPermanently && r.Status != http.StatusPermanentRedirect {
			break
		}
		moved = withoutSession(r.To.String())
	}
	if moved == "" {
		return ""
	}
	// As in a browser, the fragment is kept unless the redirect has one.
	if _, fragment, ok := strings.Cut(rawURL, "#"); ok && !strings.Contains(moved, "#") {
		moved += "#" + fragment
	}
	if moved == rawURL || !waymark.ValidURL(moved) {
		return ""
	}
	return moved
}
