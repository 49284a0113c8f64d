package auth_test

import (
	"bytes"
	"crypto/sha256"
	"regexp"
	"strings"
	"testing"

	"waymark/internal/auth"
)

func TestNewKeyMatchesItsHash(t *testing.T) {
	secret, hash := auth.NewKey()
	if !regexp.MustCompile(`^wm_[A-Za-z0-9_-]{43}$`).MatchString(secret) {
		t.Errorf("got key %q, want wm_ and 43 characters for 256 bits", secret)
	}
	if want := sha256.Sum256([]byte(secret)); !bytes.Equal(hash, want[:]) {
		t.Errorf("got hash %x, want the SHA-256 of the key", hash)
	}
	if other, _ := auth.NewKey(); other == secret {
		t.Errorf("got %q twice", secret)
	}
	if got, ok := auth.KeyHash(secret); !ok || !bytes.Equal(got, hash) {
		t.Errorf("got %x, %t, want the hash of the new key", got, ok)
	}
}

func TestKeyHashRejectsMalformedKeys(t *testing.T) {
	secret, _ := auth.NewKey()
	for name, text := range map[string]string{
		"empty":          "",
		"prefix only":    "wm_",
		"another prefix": "xx_" + secret[3:],
		"too short":      secret[:len(secret)-1],
		"too long":       secret + "A",
		"bad character":  secret[:len(secret)-1] + "!",
		"line break":     secret[:len(secret)-1] + "\n",
		"unused bits":    secret[:len(secret)-1] + "B",
		"very long":      "wm_" + strings.Repeat("A", 1<<20),
	} {
		if hash, ok := auth.KeyHash(text); ok {
			t.Errorf("%s: got %x, want none", name, hash)
		}
	}
}

func TestSitesThatHavePasskeys(t *testing.T) {
	for base, want := range map[string]string{
		"https://Links.example.org:8443/waymark": "links.example.org", "http://localhost:8080": "localhost",
		"http://links.example.org": "", "https://[2001:db8::1]:8443": "", "": "",
	} {
		site, ok := auth.NewPasskeySite(base)
		if site.Host != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", base, site.Host, ok, want)
		}
	}
}
