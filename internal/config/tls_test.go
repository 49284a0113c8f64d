package config_test

import (
	"strings"
	"testing"
)

func TestDomainImpliesAddressAndBaseURL(t *testing.T) {
	for _, test := range []struct{ args, listen, base string }{
		{"", "127.0.0.1:8080", ""},
		{"--domain=links.example.org", ":443", "https://links.example.org"},
		{"--domain=links.example.org --listen=192.0.2.1:443", "192.0.2.1:443", "https://links.example.org"},
		{"--domain=links.example.org --base-url=https://links.example.org/way", ":443", "https://links.example.org/way"},
		{"--tls-cert=/c --tls-key=/k", "127.0.0.1:8080", ""},
	} {
		settings, err := parse(t, strings.Fields(test.args)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := settings.WithDomain(); got.Listen != test.listen || got.API.BaseURL.String() != test.base {
			t.Errorf("%s: got %s and %q, want %s and %q", test.args, got.Listen, got.API.BaseURL, test.listen, test.base)
		}
	}
}

func TestInvalidSettingsOfHTTPSAreRejected(t *testing.T) {
	for args, want := range map[string]string{
		"--tls-cert=/c": "--tls-cert and --tls-key belong together",
		"--tls-key=/k":  "--tls-cert and --tls-key belong together",
		"--domain=a.example --tls-cert=/c --tls-key=/k":   "use either --domain, or --tls-cert and --tls-key",
		"--domain=https://links.example.org":              `invalid --domain "https://links.example.org": use a host name such as links.example.org`,
		"--domain=localhost":                              "invalid --domain",
		"--domain=192.0.2.1":                              "invalid --domain",
		"--domain=Links.example.org":                      "invalid --domain",
		"--domain=links.example.org:443":                  "invalid --domain",
		"--domain=a.example --base-url=http://a.example":  "--base-url http://a.example is not under --domain: leave it out, or use https://a.example",
		"--domain=a.example --base-url=https://b.example": "--base-url https://b.example is not under --domain",
	} {
		_, err := parse(t, strings.Fields(args)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one that says %q", args, err, want)
		}
	}
}
