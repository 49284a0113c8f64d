package karakeep

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// A browser can hold what Waymark cannot, and floccus compares texts exactly. So this API takes everything, keeps what
// is nearest to it, and sends back the text that was sent as long as the nearest one is kept.

// fieldJoined is the id of the bookmark that another one was joined with.
const fieldJoined waymark.Field = "joined"

// sentTexts are the texts of a link or a list as a program has sent them.
type sentTexts map[waymark.Field]waymark.SentText

// shown returns the text of a field to send: the one that was sent, if kept is what was made of it, and else kept.
func (s sentTexts) shown(field waymark.Field, kept string) string {
	if t, ok := s[field]; ok && t.Kept == kept {
		return t.Sent
	}
	return kept
}

// sentTextsOf returns a function that reads the texts of one of a user's links or lists.
func (a *API) sentTextsOf(ctx context.Context, user waymark.User, kind waymark.EntityKind) (func(id int64) (sentTexts, error), error) {
	have, err := a.Store.WithSentTexts(ctx, user.ID, kind)
	return func(id int64) (sentTexts, error) {
		if !have[id] {
			return nil, nil
		}
		return a.Store.SentTexts(ctx, kind, id)
	}, err
}

// sentOf returns the text of a field that a request has sent, nil if it has not.
func sentOf(kind waymark.EntityKind, id int64, field waymark.Field, sent *string, kept string) []waymark.SentText {
	if sent == nil {
		return nil
	}
	return []waymark.SentText{{SentField: waymark.SentField{Kind: kind, ID: id, Field: field}, Sent: *sent, Kept: kept}}
}

// untitled stands for a title that nobody has typed: it is that of the page, which may change.
const untitled = "\x01"

// typedTitle returns the title of a link that a person or a program has given it, or untitled.
func typedTitle(link *waymark.Link) string {
	if link.FromPage.Has(waymark.TitleText) {
		return untitled
	}
	return link.Title
}

// keptText returns a text without control characters, of at most limit characters.
func keptText(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) > limit {
		text = string([]rune(text)[:limit])
	}
	return text
}

// noName is the name of a list whose folder has none.
const noName = "(no name)"

func keptName(name string) string {
	if name = strings.TrimSpace(keptText(waymark.NormalizeName(name), waymark.MaxName)); name == "" {
		return noName
	}
	return name
}

// keptURL returns the URL of a link for any URL: with escapes for spaces, and a hash instead of what is too long. One
// with a scheme that no link can have, such as javascript, becomes one that leads nowhere.
func keptURL(url string) string {
	if waymark.ValidURL(url) {
		return url
	}
	hash := fmt.Sprintf("#%x", sha256.Sum256([]byte(url)))
	var b strings.Builder
	for _, r := range strings.TrimSpace(url) {
		if !unicode.IsSpace(r) && !unicode.IsControl(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	kept := b.String()
	if len(kept) > waymark.MaxURL {
		kept = strings.ToValidUTF8(kept[:waymark.MaxURL-len(hash)], "") + hash
	}
	if _, _, ok := waymark.SplitScheme(kept); !ok || waymark.ValidURL(kept) {
		return kept
	}
	return "about:invalid" + hash
}
