package bookmarks

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// foundLink is a link in a line of text.
type foundLink struct {
	url      string
	title    string // "" for none
	isMarkup bool   // the title belongs to the URL, so that the text around it does not

	isImage    bool
	imageStart int // in the text before the URL
}

// texts returns the title of a link and its description. rest is the text after it.
func (l foundLink) texts(rest string) (title, description string) {
	title = cleanTitle(l.title)
	if l.isMarkup {
		title = strings.Trim(cleanLine(l.title), "*_` ")
	}
	if slices.Contains(urlNames, normalName(title)) { // url: https://example.com/
		title = ""
	}
	if title == "" && !l.isMarkup {
		return cleanTitle(rest), ""
	}
	return title, cleanTitle(rest)
}

// linksOf returns the bookmarks in a line of text.
func linksOf(number int, line string) (all []Bookmark) {
	links, rest := findLinks(line)
	for i, link := range links {
		after := ""
		if i == len(links)-1 {
			after = rest
		}
		b := Bookmark{Line: number, URL: cleanURL(link.url)}
		b.Title, b.Description = link.texts(after)
		all = append(all, b)
	}
	return all
}

// Signs of lists, headings and tasks, which are no part of a title.
var listSign = regexp.MustCompile(`^(?:[-*+•>=|#:~–—\s]+|\d+[.)](?:\s|$)|\[[ xX]?\](?:\s|$))+`)

// cleanTitle returns a title without the markup around it.
func cleanTitle(text string) string {
	text = listSign.ReplaceAllString(cleanLine(text), "")
	text = strings.TrimRight(text, "-*•|:<[({ \t–—_`“„«：（「『《【")
	text = strings.TrimLeft(text, "*_`]})>”»,;:.| \t，。、；：）」』》】")
	if !strings.Contains(text, "[") { // of MediaWiki
		text = strings.TrimRight(text, "]")
	}
	if strings.Count(text, `"`)%2 == 1 {
		text = strings.Trim(text, `"`)
	}
	if strings.IndexFunc(text, func(c rune) bool { return isLetterOrDigit(c) || unicode.IsSymbol(c) }) < 0 {
		return ""
	}
	return cleanLine(text)
}

// nextURL returns where the first URL of the web begins in a text, -1 for none.
func nextURL(text string) int {
	for end := 0; ; end += len("://") {
		i := strings.Index(text[end:], "://")
		if i < 0 {
			return -1
		}
		end += i
		for _, scheme := range []string{"https", "http"} {
			if start := end - len(scheme); start >= 0 && strings.EqualFold(text[start:end], scheme) {
				return start
			}
		}
	}
}

// findLinks returns the links of a line, and the text after the last one.
func findLinks(line string) (links []foundLink, rest string) {
	from, at := 0, 0 // the text before the next URL begins at from
	for {
		next := nextURL(line[at:])
		if next < 0 {
			return links, line[from:]
		}
		before, text := line[from:at+next], line[at+next:]
		link, rest := readLink(before, text)
		at = len(line) - len(rest)
		switch {
		case link.isImage && strings.HasSuffix(before[:link.imageStart], "["): // [![image](URL)](URL)
			from += link.imageStart - 1
		case link.isImage:
			from = at
		default:
			links = append(links, link)
			from = at
		}
	}
}

var (
	markdownStart  = regexp.MustCompile(`\]\(\s*<?$`)
	hrefStart      = regexp.MustCompile(`(?i)<a\s[^<>]*href\s*=\s*["']?$`)
	asciidocText   = regexp.MustCompile(`^\[([^\[\]]*)\](?:[\s.,;:!?)]|$)`)
	afterCloseHTML = regexp.MustCompile(`(?i)^[^<>]*>(.*?)</a\s*>`)
	innerTags      = regexp.MustCompile(`<[^<>]*>|!\[([^\[\]]*)\]\([^()]*\)`)
)

// readLink reads the link whose URL begins text, after the text before it.
func readLink(before, text string) (link foundLink, rest string) {
	switch {
	case markdownStart.MatchString(before):
		return markdownLink(before, text)
	case hrefStart.MatchString(before):
		link.url, rest = cutURL(text)
		if match := afterCloseHTML.FindStringSubmatchIndex(rest); match != nil {
			link.title, rest = innerTags.ReplaceAllString(rest[match[2]:match[3]], ""), rest[match[1]:]
		}
	case strings.HasSuffix(before, "[["): // Org
		link.url, rest = cutURL(text)
		if title, after, ok := strings.Cut(strings.TrimPrefix(rest, "]["), "]]"); ok && strings.HasPrefix(rest, "][") {
			link.title, rest = title, after
		}
		rest = strings.TrimPrefix(rest, "]]")
	default:
		return bareLink(before, text)
	}
	link.isMarkup = true
	return link, rest
}

// bareLink reads a URL without markup, with the text in brackets after it, as in AsciiDoc, or before it.
func bareLink(before, text string) (link foundLink, rest string) {
	link.url, rest = cutURL(text)
	match := asciidocText.FindStringSubmatchIndex(rest)
	switch {
	case strings.HasSuffix(before, "[") && strings.HasPrefix(rest, "](") && nextURL(rest) == len("]("): // its title is a URL
		return markdownLink(before+link.url+"](", rest[len("]("):])
	case match != nil:
		link.title, rest = strings.TrimSuffix(rest[match[2]:match[3]], "^"), rest[match[3]+1:]
		link.isMarkup = link.title != ""
	default:
		link.title = strings.TrimSuffix(strings.TrimSpace(before), "link:")
		if rest == "" && strings.ContainsFunc(before, isLetterOrDigit) { // the end of a sentence
			link.url = strings.TrimRight(link.url, ".!?:")
		}
	}
	return link, rest
}

// afterMarkdownURL is what can follow the URL of a Markdown link.
var afterMarkdownURL = regexp.MustCompile(`^>?\s*(?:"[^"]*"|'[^']*'|\([^()]*\))?\s*\)`)

// markdownLink reads [title](URL "another title").
func markdownLink(before, text string) (link foundLink, rest string) {
	link.url, rest = cutURL(text)
	rest = rest[len(afterMarkdownURL.FindString(rest)):]
	titleEnd := strings.LastIndex(before, "](")
	start, depth := titleEnd, 1
	for start > 0 && depth > 0 {
		start--
		switch isEscaped := start > 0 && before[start-1] == '\\'; {
		case isEscaped:
		case before[start] == ']':
			depth++
		case before[start] == '[':
			depth--
		}
	}
	title := strings.TrimPrefix(before[start:titleEnd], "[")
	link.title = strings.NewReplacer(`\[`, "[", `\]`, "]").Replace(innerTags.ReplaceAllString(title, "$1"))
	link.isMarkup = true
	if start > 0 && before[start-1] == '!' {
		link.isImage, link.imageStart = true, start-1
	}
	return link, rest
}

// cutURL cuts a text after the URL that begins it. What separates texts or closes a bracket around the
// URL is not a part of it.
func cutURL(text string) (rawURL, rest string) {
	end := urlEnd(text)
	if next := joinedURL.FindStringIndex(text[:end]); next != nil {
		end = next[0]
	}
	trimmed := strings.TrimRight(text[:end], ",;'*`’”»")
	if end < len(text) && trimmed == text[:end] {
		trimmed = strings.TrimRight(trimmed, ".!?:")
	}
	return trimmed, text[len(trimmed):]
}

func isLetterOrDigit(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// joinedURL is a separator between two URLs.
var joinedURL = regexp.MustCompile(`(?i)[,;]https?://`)

// urlEnd returns where the first character is that a URL does not contain, or a closing bracket that
// was not opened in it.
func urlEnd(text string) int {
	start := strings.Index(text, "://") + len("://")
	round, square, curly := 0, 0, 0
	for i, c := range text {
		switch {
		case i < start:
		case unicode.IsSpace(c), c == utf8.RuneError, strings.ContainsRune("<>\"`|“”„«»。，、；！？」』》】", c):
			return i
		case c == '(', c == '（':
			round++
		case c == ')', c == '）':
			if round--; round < 0 {
				return i
			}
		case c == '{':
			curly++
		case c == '}': // of BibTeX
			if curly--; curly < 0 {
				return i
			}
		case c == '[':
			if i > start && asciidocText.MatchString(text[i:]) {
				return i
			}
			square++
		case c == ']':
			if square--; square < 0 {
				return i
			}
		}
	}
	return len(text)
}
