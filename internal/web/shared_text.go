package web

import (
	"regexp"
	"strings"

	"waymark/internal/waymark"
)

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
