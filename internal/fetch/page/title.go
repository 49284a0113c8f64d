package page

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// waiting are titles of pages that are not there yet, in lower case without punctuation at the end.
var waiting = []string{
	"just a moment", "one moment", "one moment please", "please wait", "wait", "loading", "redirecting", "redirect", "you are being redirected",
	"page redirection", "checking your browser", "attention required! | cloudflare", "verifying you are human", "untitled",
	"untitled document", "making sure you're not a bot", "undefined", "null",
}

// generic are titles that a page has before its script or its author gives it one, as in waiting.
var generic = []string{
	"home", "homepage", "home page", "startseite", "accueil", "start", "index", "index.html", "welcome", "main", "app", "my app", "page", "title", "document",
	"new page", "new tab", "untitled page", "no title", "default", "sign in", "log in", "login", "sign up", "anmelden", "connexion", "access denied", "forbidden", "vite + react", "vite + react + ts", "create next app", "angular", "website", "error",
}

// genericTitle are other such titles: of frameworks, of pages for browsers without scripts, and of templates that were not filled in.
var genericTitle = regexp.MustCompile(`(?i)^(?:vite|react|vue|nuxt|next\.?js|svelte(?:kit)?|angular|ionic|expo|flutter)[ -]app\W*$|^(?:please )?(?:enable|turn on) javascript|^javascript (?:is )?(?:not available|disabled|off|required)|^(?:\{\{.*\}\}|\$\{.*\}|<%.*%>|%\w+%|\[object object\]|nan)$`)

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
	return append(slices.Clone(h.titles), h.properties["twitter:title"], h.properties["title"], h.linkedTitle,
		h.properties["headline"], h.properties["dc.title"], h.properties["dc:title"], h.properties["dcterms.title"], h.properties["dcterms:title"], h.properties["citation_title"],
		h.properties["parsely-title"], h.properties["sailthru.title"])
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

func isWaiting(title string) bool { return isOneOf(waiting, title) }

func isOneOf(titles []string, title string) bool {
	return slices.Contains(titles, strings.TrimRight(strings.ToLower(title), " .…!"))
}

// separators are the characters between the parts of a title.
const separators = " -|–—·•:»«/"

// isSiteName reports whether a title is generic, or only the site's name or the page's URL, on another page than the
// site's first. A title such as "- YouTube" has no other part, and one such as "X" is at the end of another title.
func (h *head) isSiteName(title string, pageURL *url.URL) bool {
	if isOneOf(generic, title) || genericTitle.MatchString(title) {
		return true
	}
	if strings.Trim(pageURL.Path, "/") == "" && pageURL.RawQuery == "" {
		return false
	}
	name := strings.Trim(title, separators)
	if name != title && !strings.ContainsAny(name, separators) || utf8.RuneCountInString(name) < 2 {
		return true
	}
	names := append(slices.Clone(h.siteNames), pageURL.Hostname(), strings.TrimPrefix(pageURL.Hostname(), "www."), pageURL.String())
	if labels := strings.Split(pageURL.Hostname(), "."); len(labels) > 1 {
		names = append(names, labels[:len(labels)-1]...)
	}
	if slices.ContainsFunc(names, func(site string) bool {
		return strings.EqualFold(text(site, maxTitle), name) || strings.EqualFold(site, title)
	}) {
		return true
	}
	if first, slogan, ok := strings.Cut(title, " "); ok && slices.ContainsFunc(names, func(site string) bool { return strings.EqualFold(site, first) }) && h.hasOther(slogan) {
		return true
	}
	return slices.ContainsFunc(h.candidates(), func(other string) bool {
		before, found := cutSuffixFold(text(other, maxTitle), name)
		return found && before != "" && strings.TrimRight(before, separators) != before || strings.Contains(other, " on "+name+":")
	})
}

// hasOther reports whether what follows the name of the site in a title is only a slogan, as in "TikTok - Make Your Day":
// it begins with a separator, and the title for other sites has none of its words.
func (h *head) hasOther(slogan string) bool {
	words := strings.Fields(strings.ToLower(strings.TrimLeft(slogan, separators)))
	if len(words) < 2 || !strings.ContainsRune(separators, []rune(slogan)[0]) {
		return false
	}
	return slices.ContainsFunc(h.titles[1:], func(other string) bool {
		in := strings.Fields(strings.ToLower(other))
		return len(in) > 1 && !slices.ContainsFunc(words, func(word string) bool { return slices.Contains(in, word) })
	})
}

// cutSuffixFold is strings.CutSuffix, ignoring case.
func cutSuffixFold(s, suffix string) (before string, found bool) {
	at := len(s) - len(suffix)
	if at < 0 || !strings.EqualFold(s[at:], suffix) {
		return s, false
	}
	return s[:at], true
}
