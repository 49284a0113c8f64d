package check

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Signs of a page that is only a challenge: it has hardly any text, no description and no field to fill in. Its title
// asks for a proof, or it has the element of a service that tests visitors.
var (
	wallTitle   = regexp.MustCompile(`(?i)captcha|challenge|\b(?:ro)?bots?\b|\bhumans?\b|humanity|humain|menschlich|v[ée]rif[iy]|überprüf|sicherheits(?:check|prüfung)|security check|checking your browser|access denied|been (?:blocked|denied)|unusual traffic|pardon our interruption|attention required|request rejected|one more step|before you continue|bevor sie|avant de continuer|ddos|protection|just a moment|one moment, please|being redirected|einen moment|un (?:instant|moment)|um moment|even geduld|chwileczk|bir dakika|un attimo|ett ögonblick|et øjeblik|cierpliwości|okamžik|pillanat|hetkinen|μια στιγμή|browser check|один момент|робот|验证|驗證|请稍候|請稍候|しばらくお待ち|잠시만`)
	wallElement = regexp.MustCompile(`(?i)captcha|challenge-(?:form|container|running|error|stage)|turnstile|_incapsula_resource|\bsec-(?:if-)?cpt|arkose|geetest|//consent\.`)
	// described are the names of <meta> elements that a challenge does not have.
	described = regexp.MustCompile(`(?i)^(?:description|og:.*|twitter:.*|author|keywords)$`)
)

// maxWallText is the maximum number of characters of the text of a challenge, and maxWallTitle that of its title.
const (
	maxWallText  = 1000
	maxWallTitle = 80
)

// isWall reports whether HTML has the signs of a challenge.
func isWall(page []byte) bool {
	title, text, hasElement, hidden := "", 0, false, ""
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			isTitle := utf8.RuneCountInString(title) <= maxWallTitle && wallTitle.MatchString(title)
			return text <= maxWallText && (isTitle || hasElement)
		case html.TextToken:
			words := strings.Join(strings.Fields(string(z.Text())), " ")
			switch hidden {
			case "":
				text += utf8.RuneCountInString(words)
			case "title":
				title += words
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == hidden {
				hidden = ""
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			attribute := func(name string) string {
				i := slices.IndexFunc(t.Attr, func(a html.Attribute) bool { return a.Key == name })
				if i < 0 {
					return ""
				}
				return t.Attr[i].Val
			}
			switch t.Data {
			case "title", "script", "style", "noscript":
				if kind == html.StartTagToken && hidden == "" {
					hidden = t.Data
				}
			case "meta":
				if described.MatchString(attribute("name")) || described.MatchString(attribute("property")) {
					return false
				}
			case "textarea", "article":
				return false
			case "input":
				if wallElement.MatchString(attribute("name") + " " + attribute("id")) {
					hasElement = true
				} else if slices.Contains([]string{"", "text", "password", "email", "search", "tel", "url"}, strings.ToLower(attribute("type"))) {
					return false
				}
			case "div", "form", "iframe", "span":
				hasElement = hasElement || wallElement.MatchString(attribute("class")+" "+attribute("id")+" "+attribute("src")+" "+attribute("action"))
			}
		}
	}
}
