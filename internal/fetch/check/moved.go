package check

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// Names in the paths of pages to which servers redirect instead of to the page, in lower case.
var (
	signIns    = []string{"login", "log-in", "log_in", "signin", "sign-in", "sign_in", "wp-login", "auth", "authenticate", "sso", "oauth", "register", "signup", "anmelden", "authwall", "captcha", "showcaptcha", "sorry", "consent", "zustimmung", "cookiewall", "paywall", "privacy-wall"}
	errorPages = []string{"401", "403", "404", "410", "500", "502", "503", "error", "errors", "notfound", "not-found", "not_found", "page-not-found", "pagenotfound", "404error", "error404", "error-404", "gone", "unavailable", "expired", "forbidden", "denied", "access-denied", "blocked", "maintenance", "unsupported", "suspended", "suspendedpage", "account-suspended", "accountsuspended", "defaultwebpage", "cgi-sys", "parked", "parking"}
	searches   = []string{"search", "suche", "sitemap"}
	indexes    = []string{"", ".", "index", "default", "home", "start", "main", "welcome"}
)

// IsWall reports whether the page of a URL redirects to one that asks visitors to sign in or to consent,
// which is not the page of the link.
func IsWall(from string, to *url.URL) bool {
	source, err := url.Parse(from)
	return err == nil && signsIn(to) && !signsIn(source)
}

// resultOfMove returns the result for a page that redirects from one URL to another: CheckMoved, or
// CheckBlocked for a sign-in, or CheckUnsure for an error page, a search, the first page of the site, or the index above the page. Those
// do not replace the page.
func resultOfMove(from, to string) waymark.CheckResult {
	source, err := url.Parse(from)
	target, err2 := url.Parse(to)
	if err != nil || err2 != nil {
		return waymark.CheckUnsure
	}
	switch {
	case signsIn(target) && !signsIn(source):
		return waymark.CheckBlocked
	case names(target, errorPages) && !names(source, errorPages), names(target, searches) && !names(source, searches):
		return waymark.CheckUnsure
	}
	before, after := directory(source), directory(target)
	pageInQuery := pageParameter.MatchString(target.RawQuery) && target.Path != source.Path
	switch {
	case after == "" && before != "" && !pageInQuery,
		source.Hostname() == target.Hostname() && strings.HasPrefix(before, after+"/") && path.Base(before) != "amp" && !pageInQuery:
		return waymark.CheckUnsure
	}
	return waymark.CheckMoved
}

// session is the name of a session in a URL, of PHP, Java, ASP or ColdFusion, with the separator before it.
var session = regexp.MustCompile(`(?i)(?:;(jsessionid)=[^?#&;]*|([?&])(?:phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|sid|cfid|cftoken|zenid|oscsid)=[^&#]*(&|))`)

// withoutSession returns a URL without the session that a server has begun.
func withoutSession(rawURL string) string {
	for {
		match := session.FindStringSubmatchIndex(rawURL)
		if match == nil {
			return rawURL
		}
		rest := rawURL[match[1]:]
		if match[4] >= 0 && match[7] > match[6] { // others follow
			rest = rawURL[match[4]:match[5]] + rest
		}
		rawURL = rawURL[:match[0]] + rest
	}
}

// pageParameter is a parameter that says which page it is, as in /?p=12. Others say where the visitor came from.
var pageParameter = regexp.MustCompile(`(?i)(?:^|&)(?:p|t|v|page|post|article|story|title|topic|[a-z]?id|(?:page|post|article|story|topic|node|item)_id)=`)

// languageRoot is the first page of a site in a language.
var languageRoot = regexp.MustCompile(`(?i)^/(?:ar|cs|da|de|el|en|es|fi|fr|he|hu|it|ja|ko|nb|nl|no|pl|pt|ro|ru|sv|tr|uk|zh)(?:[-_][a-z]{2,4})?$`)

// signsIn reports whether a URL is that of a sign-in or a request for consent, by its path or host.
func signsIn(u *url.URL) bool {
	label, _, _ := strings.Cut(u.Hostname(), ".")
	return label == "accounts" || label == "guce" || slices.Contains(signIns, label) || names(u, signIns)
}

// names reports whether a part of a URL's path has one of the names, without an extension.
func names(u *url.URL, of []string) bool {
	for part := range strings.SplitSeq(strings.ToLower(u.Path), "/") {
		if slices.Contains(of, strings.TrimSuffix(part, path.Ext(part))) {
			return true
		}
	}
	return false
}

// directory returns a URL's path without the name of an index and without a slash at the end, "" for the
// site's first page.
func directory(u *url.URL) string {
	dir := strings.TrimRight(u.Path, "/")
	name := strings.ToLower(path.Base(dir))
	if slices.Contains(indexes, strings.TrimSuffix(name, path.Ext(name))) {
		dir = strings.TrimRight(path.Dir(dir), "/.")
	}
	if languageRoot.MatchString(dir) {
		return ""
	}
	return dir
}
