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

// addressCard is what is known of an address in the field at the top.
type addressCard struct {
	URL     string
	ID      waymark.LinkID // of the saved link, 0 if there is none
	Saved   string         // when it was saved
	Trashed bool           // it is in the trash
	Offered bool           // a form for a new link offers to restore it from the trash instead
}

// newAddressCard returns the card for an http or https address, and nil for other texts.
func newAddressCard(r *page.Request, text string) (*addressCard, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(text, " \t\r\n") {
		return nil, nil //nolint:nilerr // it is not an address
	}
	card := &addressCard{URL: text}
	link, err := r.Store.LinkByURL(r.Context(), r.User.ID, text)
	if errors.Is(err, waymark.ErrNotFound) {
		return card, nil
	}
	if err != nil {
		return nil, err
	}
	card.ID, card.Trashed, card.Saved = link.ID, link.DeletedAt != 0, r.Moment(link.CreatedAt).Full
	return card, nil
}

// unsavedAddress returns a text with a scheme if it is an address without one, such as
// example.org/page, and "" otherwise.
func unsavedAddress(text string) string {
	address := withScheme(text)
	if _, err := url.Parse(address); err != nil || address == text || !bareAddress.MatchString(text) {
		return ""
	}
	return address
}

// bareAddress matches an address without a scheme: a name with a dot, localhost or an IPv4 address,
// and possibly a port and a path.
var bareAddress = regexp.MustCompile(`^([\pL\d-]+(\.[\pL\d-]+)*\.\pL{2,}|(?i:localhost)|\d+(\.\d+){3})(:\d+)?([/?#]\S*)?$`)

// typedAddress returns the address that a form for a link saves. The address that the link has already
// stays as it is.
func typedAddress(text string, link waymark.Link) string {
	text = strings.TrimSpace(text)
	if text == link.URL {
		return text
	}
	return withScheme(text)
}

// withScheme returns an address with a scheme if it is written without one, as people write
// addresses: https://example.org/page for example.org/page. As in Chromium, IP addresses and hosts
// with a port other than 443 get http://.
func withScheme(address string) string {
	host := address
	if end := strings.IndexAny(address, "/?#"); end >= 0 {
		host = address[:end]
	}
	name, port, hasPort := strings.Cut(host, ":")
	local := hasPort && strings.EqualFold(name, "localhost")
	if !local && !strings.Contains(strings.Trim(name, "."), ".") || strings.ContainsAny(name, " @") {
		return address
	}
	if _, err := strconv.ParseUint(port, 10, 16); hasPort && err != nil {
		return address // it has another scheme
	}
	if _, err := netip.ParseAddr(name); err == nil || hasPort && port != "443" {
		return "http://" + address
	}
	return "https://" + address
}
