package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// BaseURL is the public URL of the server: scheme, host and an optional path, without
// a slash at the end. The zero value is none: each request has its own.
type BaseURL struct {
	text          string
	path, rawPath string // as in url.URL
}

// UnmarshalText parses an http or https URL without user, query and fragment.
func (b *BaseURL) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*b = BaseURL{}
		return nil
	}
	u, err := url.Parse(string(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("invalid base URL %q: use for example https://links.example.org", text)
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(string(text), "#") {
		return fmt.Errorf("invalid base URL %q: remove the user, query and fragment", text)
	}
	*b = BaseURL{path: strings.TrimRight(u.Path, "/"), rawPath: strings.TrimRight(u.EscapedPath(), "/")}
	// Browsers omit the default port, too: https://url.spec.whatwg.org/#url-port
	host := strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	b.text = u.Scheme + "://" + host + b.rawPath
	return nil
}

// String returns the URL, or "" if none is set.
func (b BaseURL) String() string { return b.text }

// Host returns the host without a port, "" if there is no base URL.
func (b BaseURL) Host() string {
	u, err := url.Parse(b.text)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Path returns the path of the URL, such as "/bookmarks", or "".
func (b BaseURL) Path() string { return b.path }

// EscapedPath returns the path as it is written in the URL.
func (b BaseURL) EscapedPath() string { return b.rawPath }

// IsPostgresURL reports whether text is a URL of a PostgreSQL database.
func IsPostgresURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// validPostgresURL reports whether text is a URL of a PostgreSQL database whose hosts and
// ports can be used. Several hosts are separated by commas, which url.Parse rejects.
func validPostgresURL(text string) bool {
	if !IsPostgresURL(text) {
		return false
	}
	_, rest, _ := strings.Cut(text, "://")
	hosts, _, _ := strings.Cut(rest, "/")
	hosts, _, _ = strings.Cut(hosts, "?")
	for host := range strings.SplitSeq(hosts[strings.LastIndex(hosts, "@")+1:], ",") {
		if i := strings.LastIndex(host, ":"); i > strings.LastIndex(host, "]") && host[i+1:] != "" && !ValidPort(host[i+1:]) {
			return false
		}
	}
	return true
}

// ValidPort reports whether text is a port to connect to.
func ValidPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// Networks are networks of IP addresses.
type Networks []netip.Prefix

// UnmarshalText parses comma-separated addresses and networks: 127.0.0.1,10.0.0.0/8.
func (n *Networks) UnmarshalText(text []byte) error {
	*n = nil
	for part := range strings.SplitSeq(string(text), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		network, err := parseNetwork(part)
		if err != nil {
			return fmt.Errorf("invalid network %q: use an IP address such as 127.0.0.1 or a network such as 10.0.0.0/8", part)
		}
		*n = append(*n, network)
	}
	return nil
}

func parseNetwork(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		network, err := netip.ParsePrefix(text)
		return network.Masked(), err
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	address = address.Unmap()
	return netip.PrefixFrom(address, address.BitLen()), nil
}

// TrustedProxies are the networks of the proxies whose headers are trusted.
type TrustedProxies Networks

// UnmarshalText parses the form of Networks.
func (p *TrustedProxies) UnmarshalText(text []byte) error { return (*Networks)(p).UnmarshalText(text) }

// Contains reports whether a trusted proxy has this address.
func (p TrustedProxies) Contains(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}
