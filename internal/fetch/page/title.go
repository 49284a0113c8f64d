package page

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// waiting are titles of pages that are not there yet, in lower case without punctuation at the end.
var waiting = []string{
	"just a moment", "one moment", "one moment please", "please wait", "wait", "loading", "redirecting", "redirect", "you are being redirected",
	"page redirection", "checking your browser", "attention required! | cloudflare", "verifying you are human", "untitled",
	"untitled document", "making sure you're not a bot", "undefined", "null",
}

// bestTitle returns the first title that is neither the bare name of the site nor a waiting text, else such
// a first heading, else the name of the site, else a second heading, else "".
func (h *head) bestTitle(pageURL *url.URL) string {
	site := ""
	for _, title := range append(h.candidates(), h.headings[0]) {
		title = text(title, maxTitle)
		switch {
		case !visible(title) || isWaiting(title):
		case !h.isSiteName(title, pageURL):
			return title
		case site == "":
			site = title
		}
	}
	if site != "" {
		return site
	}
	if title := text(h.headings[1], maxTitle); visible(title) && !isWaiting(title) {
		return title
	}
	return ""
}

// candidates returns the titles of the page, the best first.
func (h *head) candidates() []string {
	return append(slices.Clone(h.titles), h.properties["twitter:title"], h.properties["title"], h.linkedTitle)
}

// named reports whether the page has a title that says more than the name of the site.
func (h *head) named(pageURL *url.URL) bool {
	return slices.ContainsFunc(h.candidates(), func(title string) bool {
		title = text(title, maxTitle)
		return visible(title) && !isWaiting(title) && !h.isSiteName(title, pageURL)
	})
}

// visible reports whether a title has a letter, a digit or a symbol that readers see.
func visible(title string) bool {
	return strings.ContainsFunc(title, func(r rune) bool {
		switch r {
		case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800': // fillers and a blank Braille pattern
			return false
		}
		return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) && r != '|'
	})
}

func isWaiting(title string) bool {
	return slices.Contains(waiting, strings.TrimRight(strings.ToLower(title), " .…!"))
}

// isSiteName reports whether a title is only the site's name or the page's URL, on another page than the site's
// first.
func (h *head) isSiteName(title string, pageURL *url.URL) bool {
	if strings.Trim(pageURL.Path, "/") == "" && pageURL.RawQuery == "" {
		return false
	}
	host := strings.TrimPrefix(pageURL.Hostname(), "www.")
	name, _, _ := strings.Cut(host, ".")
	return slices.ContainsFunc(append(slices.Clone(h.siteNames), host, name, pageURL.Hostname(), pageURL.String()), func(site string) bool {
		return strings.EqualFold(text(site, maxTitle), title)
	})
}
