package config

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// TLS holds the settings of a server that speaks HTTPS itself. Zero is plain HTTP.
type TLS struct {
	Domain string `help:"Host name for HTTPS with a certificate of Let's Encrypt. --listen is then :443." env:"WAYMARK_DOMAIN" placeholder:"HOST" group:"Basics"`
	ACME   string `name:"acme-directory" help:"URL of another ACME directory, such as that of your own authority. Default: Let's Encrypt." env:"WAYMARK_ACME_DIRECTORY" placeholder:"URL" group:"HTTPS and proxies"`
	Cert   string `name:"tls-cert" help:"File with your certificate and its chain." type:"path" env:"WAYMARK_TLS_CERT" placeholder:"FILE" group:"HTTPS and proxies"`
	Key    string `name:"tls-key" help:"File with the private key of --tls-cert." type:"path" env:"WAYMARK_TLS_KEY" placeholder:"FILE" group:"HTTPS and proxies"`
}

// Enabled reports whether the server speaks HTTPS.
func (t TLS) Enabled() bool { return t.Domain != "" || t.Cert != "" }

// defaultListen is the default of --listen.
const defaultListen = "127.0.0.1:8080"

// ListenAddress returns the address to listen on if --listen is listen. Only this machine could reach a domain on
// the default address, and a certificate is given only to a server on port 443.
func (t TLS) ListenAddress(listen string) string {
	if t.Domain != "" && listen == defaultListen {
		return ":443"
	}
	return listen
}

// Validate returns an error for values that cannot work.
func (t TLS) Validate() error {
	switch {
	case (t.Cert == "") != (t.Key == ""):
		return errors.New("--tls-cert and --tls-key belong together: set both")
	case t.Domain != "" && t.Cert != "":
		return errors.New("--domain gets a certificate itself: use either --domain, or --tls-cert and --tls-key")
	case t.Domain == "" && t.ACME != "":
		return errors.New("--acme-directory needs --domain: it is where the certificate comes from")
	case t.Domain == "":
		return nil
	case t.ACME != "" && !strings.HasPrefix(t.ACME, "https://"):
		return fmt.Errorf("invalid --acme-directory %q: use an https URL", t.ACME)
	}
	ascii, err := idna.Lookup.ToASCII(t.Domain)
	if err != nil || ascii != t.Domain || !strings.Contains(strings.Trim(t.Domain, "."), ".") || strings.HasSuffix(t.Domain, ".") || strings.Trim(t.Domain, "0123456789.") == "" {
		return fmt.Errorf("invalid --domain %q: use a host name such as links.example.org", t.Domain)
	}
	return nil
}

// Load reads the files of --tls-cert and --tls-key. If browsers refuse the certificate at a time, it says why.
func (t TLS) Load(at time.Time) (pair tls.Certificate, refused string, err error) {
	if pair, err = tls.LoadX509KeyPair(t.Cert, t.Key); err != nil {
		return pair, "", fmt.Errorf("read --tls-cert and --tls-key: %w", err)
	}
	if from, until := pair.Leaf.NotBefore, pair.Leaf.NotAfter; at.Before(from) || at.After(until) {
		refused = fmt.Sprintf("it is valid from %s until %s", from.Format(time.RFC3339), until.Format(time.RFC3339))
	}
	return pair, refused, nil
}

// WithDomain returns the settings with the address and the base URL that --domain implies.
func (s Serve) WithDomain() Serve {
	s.Listen = s.TLS.ListenAddress(s.Listen)
	if s.TLS.Domain != "" && s.API.BaseURL == (BaseURL{}) {
		s.API.BaseURL = BaseURL{text: "https://" + s.TLS.Domain}
	}
	return s
}

// validateBaseURL returns an error for a base URL that is not one of the domain: forms would not work.
func (s Serve) validateBaseURL() error {
	base := s.API.BaseURL.String()
	if s.TLS.Domain == "" || base == "" {
		return nil
	}
	if u, err := url.Parse(base); err != nil || u.Scheme != "https" || u.Hostname() != s.TLS.Domain {
		return fmt.Errorf("--base-url %s is not under --domain: leave it out, or use https://%s", base, s.TLS.Domain)
	}
	return nil
}
