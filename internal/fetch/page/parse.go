package page

import (
	"errors"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ErrTooLarge means that a page has too many elements, or takes too long to parse.
var ErrTooLarge = errors.New("the page has too many elements")

// maxParsing is the maximum time to parse a page. Most take less than a tenth of a second. The parser
// joins texts between tags, and needs time that grows with the square of their number.
const maxParsing = 10 * time.Second

// ForParser limits the memory that html.Parse needs, usually a hundred times the size of the HTML.
// html.Parse repeats unclosed formatting elements such as <b> in every following element. If that
// could add more than maxRepeated elements, ForParser replaces them by <span>.
//
// ForParser returns ErrTooLarge if the HTML has more than maxTokens tags, texts and comments, more than
// maxAttributes attributes, or more than maxRootTags tags <html> and <body>. The reader returns it if parsing takes longer than
// maxParsing.
func ForParser(content string, maxTokens int) (io.Reader, error) {
	// In elements such as <style>, the tokenizer finds no tags, but in SVG the parser does.
	tags := strings.Count(content, "<")
	if tags > maxTokens {
		return nil, ErrTooLarge
	}
	if !fewParts(content, maxTokens, false) || foreignTag.MatchString(content) && !fewParts(content, maxTokens, true) {
		return nil, ErrTooLarge
	}
	if len(rootTag.FindAllStringIndex(content, maxRootTags+1)) > maxRootTags {
		return nil, ErrTooLarge
	}
	if openFormatting(content)*tags > maxRepeated {
		content = formattingTag.ReplaceAllString(content, "<${1}span$2")
	}
	return &parserReader{strings.NewReader(content), time.Now().Add(maxParsing)}, nil
}

// fewParts reports whether HTML has at most maxTokens tags, texts and comments, and maxAttributes attributes. In
// SVG and MathML, foreign, <style> and its like contain tags.
func fewParts(content string, maxTokens int, foreign bool) bool {
	z := html.NewTokenizer(strings.NewReader(content))
	for tokens, read := 0, 0; tokens <= maxTokens && read <= maxAttributes; tokens++ {
		switch z.Next() {
		case html.ErrorToken:
			return true
		case html.StartTagToken, html.SelfClosingTagToken:
			for _, more := z.TagName(); more; read++ {
				_, _, more = z.TagAttr()
			}
			if foreign {
				z.NextIsNotRawText()
			}
		}
	}
	return false
}

// maxAttributes is the maximum number of attributes of a page. Each takes about 200 bytes while its page is read.
const maxAttributes = 250_000

// maxRepeated is the maximum number of elements that unclosed formatting elements can add to a page.
const maxRepeated = 500_000

// maxRootTags is the maximum number of tags <html> and <body>. For each of them, the parser
// compares its attributes with those of every earlier one.
const maxRootTags = 200

// maxRepeatedEqual is how often the parser repeats equal elements.
const maxRepeatedEqual = 3

// formatting are the elements that the parser repeats, except <a> and <nobr>, which it repeats once.
var formatting = map[atom.Atom]bool{
	atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true, atom.S: true, atom.Small: true,
	atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

var (
	// formattingTag matches the beginning of a tag of such an element.
	formattingTag = regexp.MustCompile(`(?i)<(/?)(?:b|big|code|em|font|i|s|small|strike|strong|tt|u)([ \n\r\t\f/>])`)
	foreignTag    = regexp.MustCompile(`(?i)<(?:svg|math)[ \n\r\t\f/>]`)
	rootTag       = regexp.MustCompile(`(?i)<(?:html|body)[ \n\r\t\f/]`)
	// plainTag matches a start tag whose attributes are of the usual form. It is the same tag wherever
	// the parser finds it. The text after it is the only group.
	plainTag = regexp.MustCompile(`^<[a-zA-Z]+(?:[ \n\r\t\f]+[\w:.-]+(?:=(?:"[^"<>]*"|'[^'<>]*'|[^ \n\r\t\f"'<>=]+))?)*[ \n\r\t\f]*>([^<]*)`)
)

// openFormatting returns the maximum number of formatting elements that the parser repeats in one
// element. An element counts as closed only if its end tag follows its text: other end tags can be in
// a comment, a script or an attribute.
func openFormatting(content string) int {
	n := 0
	seen := map[string]int{}
	for {
		_, after, found := strings.Cut(content, "<")
		if !found {
			return n
		}
		tag := content[len(content)-len(after)-1:]
		content = after
		if !formatting[tagName(after)] {
			continue
		}
		match := plainTag.FindStringSubmatchIndex(tag)
		if match == nil {
			n++
			continue
		}
		if end, ok := strings.CutPrefix(tag[match[1]:], "</"); ok && tagName(end) == tagName(after) {
			continue
		}
		start := tag[:match[2]]
		if seen[start] < maxRepeatedEqual {
			seen[start]++
			n++
		}
	}
}

// tagName returns the name at the beginning of content, 0 if it is not the name of an element.
func tagName(content string) atom.Atom {
	const longest = len("strike")
	end := strings.IndexAny(content[:min(len(content), longest+1)], " \n\r\t\f/>")
	if end < 0 {
		return 0
	}
	return atom.Lookup([]byte(strings.ToLower(content[:end])))
}

// parserReader is the reader of ForParser.
type parserReader struct {
	content io.Reader
	until   time.Time
}

func (r *parserReader) Read(p []byte) (int, error) {
	if time.Now().After(r.until) {
		return 0, ErrTooLarge
	}
	return r.content.Read(p)
}

// maxRefresh is the maximum delay of a refresh to another page in seconds. Longer ones update a page.
const maxRefresh = 10

var refreshValue = regexp.MustCompile(`(?i)^\s*([0-9]*)(?:\.[0-9.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)"?|'([^']*)'?|([^"'].*))$`)

// Refresh returns the URL in the value of the header Refresh, or of its <meta> element, on a page at
// base, "" for none. The URL of the page itself, and one after more than 10 seconds, are none.
func Refresh(base *url.URL, value string) string {
	match := refreshValue.FindStringSubmatch(value)
	if match == nil {
		return ""
	}
	if delay, err := strconv.Atoi(match[1]); match[1] != "" && (err != nil || delay > maxRefresh) {
		return ""
	}
	to := absolute(base, match[2]+match[3]+match[4])
	if to == base.String() {
		return ""
	}
	return to
}
