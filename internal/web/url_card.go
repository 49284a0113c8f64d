package web

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// urlCard is what is known of a URL in the field at the top.
type urlCard struct {
	URL     string
	ID      waymark.LinkID // of the saved link, 0 if there is none
	Saved   string         // when it was saved
	Trashed bool           // it is in the trash
	Offered bool           // a form for a new link offers to restore it from the trash instead
	Near    *nearLink      // if there is no link with the URL
}

// nearLink is a link of the same page with another URL: see waymark.URLKey.
type nearLink struct {
	ID    waymark.LinkID
	URL   string
	Owner string // of a link in the same list that another person has saved with the same URL, otherwise ""
}

// knownURL returns the user's link with a URL, in the trash, too, or else their oldest link of the same page.
func knownURL(r *page.Request, rawURL string) (urlCard, error) {
	card := urlCard{URL: rawURL}
	link, err := r.Store.LinkByURL(r.Context(), r.User.ID, rawURL)
	if errors.Is(err, waymark.ErrNotFound) {
		similar, err := r.Store.SimilarURLs(r.Context(), r.User.ID, rawURL)
		if len(similar) > 0 {
			card.Near = &nearLink{ID: similar[0].Link, URL: similar[0].URL}
		}
		return card, err
	}
	card.ID, card.Trashed, card.Saved = link.ID, link.DeletedAt != 0, r.Moment(link.CreatedAt).Full
	return card, err
}

// newURLCard returns the card for an http or https URL, and nil for other texts.
func newURLCard(r *page.Request, text string) (*urlCard, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(text, " \t\r\n") {
		return nil, nil //nolint:nilerr // it is not a URL
	}
	card, err := knownURL(r, text)
	return &card, err
}

// unsavedURL returns a text with a scheme if it is a URL without one, such as
// example.org/page, and "" otherwise.
func unsavedURL(text string) string {
	rawURL := withScheme(text)
	if _, err := url.Parse(rawURL); err != nil || rawURL == text || !bareURL.MatchString(text) {
		return ""
	}
	return rawURL
}

// bareURL matches a URL without a scheme: a name with a dot, localhost or an IPv4 address,
// and possibly a port and a path.
var bareURL = regexp.MustCompile(`^([\pL\d-]+(\.[\pL\d-]+)*\.\pL{2,}|(?i:localhost)|\d+(\.\d+){3})(:\d+)?([/?#]\S*)?$`)

// typedURL returns the URL that a form for a link saves. The URL that the link has already
// stays as it is.
func typedURL(text string, link waymark.Link) string {
	text = waymark.TrimInvisible(text)
	if text == link.URL {
		return text
	}
	return withScheme(text)
}

// withScheme returns a URL with a scheme if it is written without one, as people write
// URLs: https://example.org/page for example.org/page. As in Chromium, IP addresses and hosts
// with a port other than 443 get http://.
func withScheme(rawURL string) string {
	host := rawURL
	if end := strings.IndexAny(rawURL, "/?#"); end >= 0 {
		host = rawURL[:end]
	}
	name, port, hasPort := strings.Cut(host, ":")
	local := hasPort && strings.EqualFold(name, "localhost")
	if !local && !strings.Contains(strings.Trim(name, "."), ".") || strings.ContainsAny(name, " @") {
		return rawURL
	}
	if _, err := strconv.ParseUint(port, 10, 16); hasPort && err != nil {
		return rawURL // it has another scheme
	}
	if _, err := netip.ParseAddr(name); err == nil || hasPort && port != "443" {
		return "http://" + rawURL
	}
	return "https://" + rawURL
}

// urlIn returns the first URL in a text, or "". Many apps share a URL as a part of a text.
func urlIn(text string) string {
	for line := range strings.Lines(text) {
		words := strings.Fields(waymark.TrimInvisible(line))
		if len(words) == 1 && isWebURL(words[0]) {
			return words[0] // also if it ends with a full stop
		}
		for _, word := range words {
			if rawURL := urlOf(word); rawURL != "" {
				return rawURL
			}
		}
	}
	return ""
}

func isWebURL(word string) bool {
	word = strings.ToLower(word)
	return strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")
}

// A URL can begin right after another character, as in Markdown and in Chinese, and ends before a mark
// of Chinese or Japanese.
var (
	urlStart = regexp.MustCompile(`(?:^|[^A-Za-z0-9/:=?&#.+_-])((?i:https?://|www\.[^\s.]+\.)\S+)`)
	cjkMark  = regexp.MustCompile(`[。，、；！？」』》】].*`)
)

// urlOf returns the URL in a word of a sentence, without the brackets and punctuation marks around
// it, or "" if the word is no URL. A closing bracket stays if it has an opening one in the URL, as
// in https://en.wikipedia.org/wiki/Go_(game).
func urlOf(word string) string {
	word = waymark.TrimInvisible(word)
	const opening, closing = "([{", ")]}"
	match := urlStart.FindStringSubmatch(word)
	if match == nil {
		return ""
	}
	word = cjkMark.ReplaceAllString(match[1], "")
	if end := strings.Index(word, ")"); end > 0 && !strings.Contains(word[:end], "(") {
		word = word[:end]
	}
	unopened := make([]int, len(closing))
	for i := range closing {
		unopened[i] = strings.Count(word, closing[i:i+1]) - strings.Count(word, opening[i:i+1])
	}
	for {
		word = strings.TrimRight(word, `.,;:!?>"'“”‘’«»‹›…。、，！？」』`)
		i := strings.IndexByte(closing, word[len(word)-1])
		if i < 0 || unopened[i] <= 0 {
			return word
		}
		unopened[i]--
		word = word[:len(word)-1]
	}
}

// withoutFragmentDirective returns a URL without the part that selects text on the page for the
// browser, such as #:~:text=word. It is not a part of the URL of the document:
// https://wicg.github.io/scroll-to-text-fragment/#the-fragment-directive.
func withoutFragmentDirective(rawURL string) string {
	page, fragment, _ := strings.Cut(rawURL, "#")
	fragment, _, found := strings.Cut(fragment, ":~:")
	switch {
	case !found:
		return rawURL
	case fragment == "":
		return page
	}
	return page + "#" + fragment
}
