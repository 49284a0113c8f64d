package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// BaseURL is where people reach the server: scheme, host and perhaps a path,
// without a slash at the end. Empty where each request tells.
type BaseURL string

// UnmarshalText understands an http or https URL that has nothing behind its path.
func (b *BaseURL) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*b = ""
		return nil
	}
	u, err := url.Parse(string(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("base URL %q is not understood: write it as https://links.example.org", text)
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(string(text), "#") {
		return fmt.Errorf("base URL %q must end after its path, and name no user", text)
	}
	*b = BaseURL(u.Scheme + "://" + strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/"))
	return nil
}

// TrustedProxies are the networks that trusted proxies stand in.
type TrustedProxies []netip.Prefix

// UnmarshalText understands addresses and networks with commas between them:
// 127.0.0.1,10.0.0.0/8.
func (p *TrustedProxies) UnmarshalText(text []byte) error {
	var all TrustedProxies
	for piece := range strings.SplitSeq(string(text), ",") {
		piece = strings.TrimSpace(piece)
		if piece == "" {
			continue
		}
		network, err := parseNetwork(piece)
		if err != nil {
			return fmt.Errorf("proxy %q is not understood: write it as 127.0.0.1 or 10.0.0.0/8", piece)
		}
		all = append(all, network)
	}
	*p = all
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
	return netip.PrefixFrom(address, address.BitLen()), nil
}

// Contains tells whether address is one of the proxies.
func (p TrustedProxies) Contains(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}
