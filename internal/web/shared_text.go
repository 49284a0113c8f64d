package web

import "strings"

// addressIn returns the first address in a text, or "". Many apps share an address as a part of a text.
func addressIn(text string) string {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 1 && isWebAddress(words[0]) {
			return words[0] // also if it ends with a full stop
		}
		for _, word := range words {
			if address := addressOf(word); address != "" {
				return address
			}
		}
	}
	return ""
}

func isWebAddress(word string) bool {
	return strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")
}

// addressOf returns the address in a word of a sentence, without the brackets and punctuation marks around
// it, or "" if the word is no address. A closing bracket stays if it has an opening one in the address, as
// in https://en.wikipedia.org/wiki/Go_(game).
func addressOf(word string) string {
	const opening, closing = "([{", ")]}"
	word = strings.TrimLeft(word, `(<[{"'“”„‘’‚«»‹›「『`)
	if !isWebAddress(word) {
		return ""
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

// withoutFragmentDirective returns an address without the part that selects text on the page for the
// browser, such as #:~:text=word. It is not a part of the address of the document:
// https://wicg.github.io/scroll-to-text-fragment/#the-fragment-directive.
func withoutFragmentDirective(address string) string {
	page, fragment, _ := strings.Cut(address, "#")
	fragment, _, found := strings.Cut(fragment, ":~:")
	switch {
	case !found:
		return address
	case fragment == "":
		return page
	}
	return page + "#" + fragment
}
