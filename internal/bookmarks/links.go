package bookmarks

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// foundLink is a link in a line of text.
type foundLink struct {
	url      string
	title    string // "" for none
	isMarkup bool   // the title belongs to the URL, so that the text around it does not
}

// labels are what RIS and BibTeX have before a URL. The rest of such a line belongs to other fields.
var labels = regexp.MustCompile(`^UR$|\\url$`)

// texts returns the title of a link and its description. rest is the text after it.
func (l foundLink) texts(rest string) (title, description string) {
	title = cleanTitle(l.title)
	if l.isMarkup {
		title = strings.Trim(cleanLine(l.title), "*_` ")
	}
	if labels.MatchString(title) {
		return "", ""
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

// The patterns of links. Brackets in a URL are pairs. In the title of a link can be images.
const (
	urlPattern = "(https?://(?:[^\\s\\p{Z}\\x{200b}-\\x{200f}\\x{2060}\\x{feff}<>\"`|“”„«»‹›…。，、；！？」』》】(){}\\[\\]（）]" +
		`|\((?:[^\s()]|\([^\s()]*\))*\)|（[^\s（）]*）|\[[^\s\[\]]*\]|\{[^\s{}]*\})+)`
	titlePattern = `((?:\\.|[^\[\]\\]|!?\[(?:\\.|[^\[\]\\])*\](?:\([^()]*\))?)*)`
)

// linkPattern is a link or an image of Markdown, a link of Org or HTML, or a URL.
var linkPattern = regexp.MustCompile(`(?i)(!?)\[` + titlePattern + `\]\(\s*<?` + urlPattern + `>?\s*(?:"[^"]*"|'[^']*'|\([^()]*\))?\s*\)?` +
	`|\[\[` + urlPattern + `(?:\]\[` + titlePattern + `)?\]\]` +
	`|<a\s[^<>]*?href\s*=\s*["']?` + urlPattern + `["']?[^<>]*>(?:((?:[^<]|<[^aA])*?)</a\s*>)?` +
	`|` + urlPattern)

// joinedURL is a separator between two URLs.
var joinedURL = regexp.MustCompile(`(?i)([,;])(https?://)`)

// innerTags are tags and images in a title.
var innerTags = regexp.MustCompile(`<[^<>]*>|!\[([^\[\]]*)\]\([^()]*\)`)

// findLinks returns the links of a line, and the text after the last one.
func findLinks(line string) (links []foundLink, rest string) {
	for rest = joinedURL.ReplaceAllString(line, "$1 $2"); ; {
		match := linkPattern.FindStringSubmatchIndex(rest)
		if match == nil {
			return links, rest
		}
		group := func(i int) string { return rest[max(0, match[2*i]):max(0, match[2*i+1])] }
		before, after := rest[:match[0]], rest[match[1]:]
		link := foundLink{url: strings.TrimRight(group(3)+group(4)+group(6), "'"), title: group(2) + group(5) + group(7), isMarkup: true}
		if bare := group(8); bare != "" {
			link, after = bareLink(before, rest[match[0]:], len(bare))
		} else {
			link.title = strings.NewReplacer(`\[`, "[", `\]`, "]").Replace(innerTags.ReplaceAllString(link.title, "$1"))
		}
		if group(1) != "!" { // an image
			links = append(links, link)
		}
		rest = after
	}
}

// bareLink returns the link of a URL without markup, which begins text and has n bytes. Its title can be the text before it. What
// separates texts is not a part of the URL.
func bareLink(before, text string, n int) (link foundLink, rest string) {
	rawURL := strings.TrimRight(text[:n], ",;'*’—")
	inSentence := n < len(text) || strings.ContainsFunc(before, isLetterOrDigit)
	if inSentence && len(rawURL) == n {
		rawURL = strings.TrimRight(rawURL, ".!?:")
	}
	return foundLink{url: rawURL, title: strings.TrimSpace(before)}, text[len(rawURL):]
}

func isLetterOrDigit(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
