package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// SignIn holds the settings of how people sign in.
type SignIn struct {
	OIDC OIDC `embed:""`

	AuthHeader     HeaderName `help:"Header in which one of --trusted-proxies names the user, such as Remote-User." env:"WAYMARK_AUTH_HEADER" placeholder:"NAME" group:"Sign-in"`
	NewUsers       string     `help:"New accounts on sign-in: for the invited, for all (create), for nobody (off)." enum:"invite,create,off" default:"invite" env:"WAYMARK_NEW_USERS" group:"Sign-in"`
	PasswordSignIn string     `help:"Sign-in with passwords: on or off." enum:"on,off" default:"on" env:"WAYMARK_PASSWORD_SIGN_IN" group:"Sign-in"`
}

// The values of NewUsers. With a third one, "invite", people need an invitation.
const (
	CreateUsers = "create" // everyone who signs in elsewhere gets an account
	NoUsers     = "off"    // nobody does
)

// OIDC holds the settings of a sign-in provider with OpenID Connect.
type OIDC struct {
	Issuer       IssuerURL `name:"oidc-issuer" help:"URL of the OpenID Connect provider, as it names itself. Needs --base-url." env:"WAYMARK_OIDC_ISSUER" placeholder:"URL" group:"Sign-in"`
	ClientID     string    `name:"oidc-client-id" help:"Name of this Waymark at the provider." env:"WAYMARK_OIDC_CLIENT_ID" placeholder:"ID" group:"Sign-in"`
	ClientSecret Secret    `name:"oidc-client-secret" help:"Secret at the provider, or file:PATH to read it. Default: a public client." env:"WAYMARK_OIDC_CLIENT_SECRET" placeholder:"SECRET" group:"Sign-in"`
	Name         string    `name:"oidc-name" help:"Name of the provider. Default: its host." env:"WAYMARK_OIDC_NAME" placeholder:"NAME" group:"Sign-in"`
	AdminGroup   Group     `name:"oidc-admin-group" help:"Group of administrators: NAME or CLAIM=NAME. Default: chosen in Waymark." env:"WAYMARK_OIDC_ADMIN_GROUP" placeholder:"GROUP" group:"Sign-in"`
	AllowGroup   Group     `name:"oidc-allow-group" help:"Group that may sign in: NAME or CLAIM=NAME. Default: everyone." env:"WAYMARK_OIDC_ALLOW_GROUP" placeholder:"GROUP" group:"Sign-in"`
}

// On reports whether people can sign in at a provider.
func (o OIDC) On() bool { return o.Issuer != "" }

// Provider returns what the pages call the provider, "" if there is none.
func (o OIDC) Provider() string {
	if !o.On() {
		return ""
	}
	u, err := url.Parse(string(o.Issuer))
	if err != nil {
		return o.Name
	}
	return cmp.Or(o.Name, u.Host)
}

// Passwords reports whether people can sign in with a password.
func (s SignIn) Passwords() bool { return s.PasswordSignIn != "off" }

// Validate returns an error for values that cannot work.
func (o OIDC) Validate() error {
	switch {
	case o.On() && o.ClientID == "":
		return errors.New("--oidc-issuer needs --oidc-client-id: the provider shows it where Waymark is registered")
	case !o.On() && (o.ClientID != "" || o.ClientSecret != "" || o.Name != "" || o.AdminGroup != Group{} || o.AllowGroup != Group{}):
		return errors.New("--oidc-client-id, --oidc-client-secret, --oidc-name and groups need --oidc-issuer")
	}
	return nil
}

// validate returns an error for settings that let nobody sign in, or everyone as another user.
func (s SignIn) validate(base BaseURL, proxies TrustedProxies) error {
	switch {
	case s.OIDC.On() && base == (BaseURL{}):
		return errors.New("--oidc-issuer needs --base-url: the provider sends people back to it")
	case s.AuthHeader != "" && len(proxies) == 0:
		return errors.New("--auth-header needs --trusted-proxies: without it, everyone could send the header")
	case s.AuthHeader != "" && proxies.everyone():
		return errors.New("--auth-header needs --trusted-proxies that are proxies only: a network with all addresses lets everyone send the header")
	case !s.Passwords() && !s.OIDC.On() && s.AuthHeader == "":
		return errors.New("--password-sign-in=off would lock out everyone: it needs --oidc-issuer or --auth-header")
	}
	return nil
}

// everyone reports whether one of the networks has all addresses.
func (p TrustedProxies) everyone() bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Bits() == 0 })
}

// IssuerURL is the URL of a provider, which must be equal to what the provider calls itself, byte by byte.
type IssuerURL string

// UnmarshalText parses an https URL. One with http is allowed on this machine only: whoever reads the
// traffic could sign in as anyone.
func (i *IssuerURL) UnmarshalText(text []byte) error {
	*i = IssuerURL(text)
	if len(text) == 0 {
		return nil
	}
	u, err := url.Parse(string(text))
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || strings.Contains(string(text), "#") || u.Scheme != "https" && (u.Scheme != "http" || !isLocalHost(u.Hostname())) {
		return fmt.Errorf("invalid issuer %q: use an https URL without a query, such as https://sso.example.org", text)
	}
	if strings.HasSuffix(u.Path, "/.well-known/openid-configuration") {
		return fmt.Errorf("invalid issuer %q: remove /.well-known/openid-configuration", text)
	}
	return nil
}

func isLocalHost(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Secret is a value that nobody else may know.
type Secret string

// maxSecretFile is the maximum size of the file of a secret, in bytes.
const maxSecretFile = 4 << 10

// UnmarshalText takes the secret, or reads it from the file after "file:". Its errors do not contain the
// secret.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = Secret(text)
	path, ok := strings.CutPrefix(string(text), "file:")
	if !ok {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(content) > maxSecretFile {
		return fmt.Errorf("%s has %d bytes: a secret has %d at most", path, len(content), maxSecretFile)
	}
	*s = Secret(strings.TrimSpace(string(content)))
	if *s == "" {
		return fmt.Errorf("%s is empty", path)
	}
	return nil
}

// String hides the secret in logs.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "…"
}

// Group is a group of people at a provider.
type Group struct {
	Claim string // the claim that lists it, or its path: realm_access.roles
	Name  string
}

// groupsClaim is the claim that lists groups at most providers.
const groupsClaim = "groups"

// UnmarshalText parses NAME, in the claim groups, or CLAIM=NAME.
func (g *Group) UnmarshalText(text []byte) error {
	*g = Group{}
	if len(text) == 0 {
		return nil
	}
	claim, name, ok := strings.Cut(string(text), "=")
	if !ok {
		claim, name = groupsClaim, claim
	}
	if claim == "" || name == "" {
		return fmt.Errorf("invalid group %q: use NAME, or CLAIM=NAME such as roles=admin", text)
	}
	*g = Group{claim, name}
	return nil
}

// HeaderName is the name of a header.
type HeaderName string

// UnmarshalText parses the name of a header that a proxy can add.
func (h *HeaderName) UnmarshalText(text []byte) error {
	*h = HeaderName(text)
	if len(text) > 0 && !httpguts.ValidHeaderFieldName(string(text)) {
		return fmt.Errorf("invalid header %q: use for example Remote-User", text)
	}
	return nil
}
