package identity

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

// Claims are what a provider says about a person.
type Claims struct {
	Subject  string    // the provider's name for the account, which never changes
	AuthTime time.Time // when the person last proved to the provider who they are; zero if it does not say
	IDToken  string    // with which the provider knows what to sign out; "" if it is longer than MaxIDToken

	values map[string]any
}

// Username returns the name that the person has chosen at the provider, "" if it does not say. It identifies
// nobody.
func (c Claims) Username() string { return c.text("preferred_username") }

// Label returns what to call the account in the settings of the person.
func (c Claims) Label() string {
	label := cmp.Or(c.Username(), c.text("email"), c.text("name"), c.Subject)
	if runes := []rune(label); len(runes) > waymark.MaxIdentityName {
		label = string(runes[:waymark.MaxIdentityName])
	}
	return label
}

func (c Claims) text(claim string) string {
	text, _ := c.values[claim].(string)
	if !storable(text) {
		return ""
	}
	return text
}

// storable reports whether databases can store a text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// In reports whether the person is in a group. known is false if the provider does not say: Microsoft Entra
// sends no groups at all for people in more than 200.
func (c Claims) In(group config.Group) (member, known bool) {
	value, ok := c.at(group.Claim)
	if !ok {
		elsewhere, _ := c.values["_claim_names"].(map[string]any)
		_, overage := elsewhere[group.Claim]
		return false, !overage
	}
	switch value := value.(type) {
	case string:
		return value == group.Name, true
	case []any:
		return slices.Contains(value, any(group.Name)), true
	case map[string]any: // such as the roles of Zitadel, which are objects
		role, ok := value[group.Name]
		return ok && !slices.Contains([]any{nil, false, 0.0, "", "false"}, role), true
	}
	return false, true
}

// at returns the value of a claim. Its name may contain dots, or be a path to a claim in another one.
func (c Claims) at(claim string) (any, bool) {
	if value, ok := c.values[claim]; ok {
		return value, true
	}
	var value any = c.values
	for name := range strings.SplitSeq(claim, ".") {
		object, _ := value.(map[string]any)
		inner, ok := object[name]
		if !ok {
			return nil, false
		}
		value = inner
	}
	return value, true
}

// addUserInfo adds the claims that the provider has only in its user info. Those of the ID token stay: they
// are signed.
func (p *Provider) addUserInfo(ctx context.Context, d *document, c Claims, accessToken string) error {
	values, err := p.getObject(ctx, d.userInfo, accessToken, d.keys)
	if err != nil {
		return err
	}
	if values["sub"] != c.Subject {
		return errors.New("it is about another subject")
	}
	for name, value := range values {
		if _, ok := c.values[name]; !ok {
			c.values[name] = value
		}
	}
	return nil
}
