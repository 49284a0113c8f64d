//go:build unix

package server

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/acme"

	"waymark/internal/config"
)

// writeCertificate writes a certificate of localhost that is signed by itself and valid until a time, and its key, to cert.pem and key.pem in dir.
func writeCertificate(t *testing.T, dir string, serial int64, until time.Time) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: until, BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	check(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	check(t, err)
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		check(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
	parsed, err := x509.ParseCertificate(der)
	check(t, err)
	return parsed
}

// lines is a log of which tests wait for a line.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// wait waits until the log contains text.
func (l *lines) wait(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		l.mu.Lock()
		log := l.text.String()
		l.mu.Unlock()
		if strings.Contains(log, text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the log has no %q:\n%s", text, log)
		}
	}
}

// startSecure runs a server with settings of HTTPS until the test ends.
func startSecure(t *testing.T, listen string, settings config.TLS, authority *acme.Client) (Ready, *lines) {
	t.Helper()
	s := config.Default()
	s.Listen, s.TLS, s.Store.Data = listen, settings, t.TempDir()
	s.Fetch.Metadata.Metadata, s.Fetch.Check = "off", "off"
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	started, ended, log := make(chan Ready, 1), make(chan error, 1), new(lines)
	go func() {
		ended <- run(ctx, "v1.2.3", s, authority, slog.New(slog.NewTextHandler(log, nil)), func(r Ready) { started <- r })
	}()
	select {
	case ready := <-started:
		t.Cleanup(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("stop: %v", err)
			}
		})
		return ready, log
	case err := <-ended:
		cancel()
		t.Fatalf("the server did not start: %v", err)
		return Ready{}, nil
	}
}

// secureClient returns a client that trusts one certificate and dials one address.
func secureClient(trusted *x509.Certificate, address string) *http.Client {
	pool := x509.NewCertPool()
	pool.AddCert(trusted)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool},
		ForceAttemptHTTP2: true,
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}}
}

func TestFilesOfTheCertificateAreReadAgainOnHangup(t *testing.T) {
	dir := t.TempDir()
	trusted := writeCertificate(t, dir, 1, time.Now().Add(time.Hour))
	ready, log := startSecure(t, "127.0.0.1:0", config.TLS{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}, nil)
	address, found := strings.CutPrefix(ready.URL, "https://localhost")
	if !found {
		t.Fatalf("got the URL %s, want https://localhost", ready.URL)
	}
	get := func(trusted *x509.Certificate) {
		t.Helper()
		response, err := secureClient(trusted, "127.0.0.1"+address).Get(ready.URL + "/signin")
		check(t, err)
		response.Body.Close()
		if got := response.Header.Get("Strict-Transport-Security"); response.Proto != "HTTP/2.0" || got != httpsOnly[0] {
			t.Errorf("got %s with Strict-Transport-Security %q, want HTTP/2.0 with %s", response.Proto, got, httpsOnly[0])
		}
		if got := response.TLS.PeerCertificates[0].SerialNumber; got.Cmp(trusted.SerialNumber) != 0 {
			t.Errorf("got the certificate %s, want %s", got, trusted.SerialNumber)
		}
	}
	get(trusted)

	second := writeCertificate(t, dir, 2, time.Now().Add(time.Hour))
	hangUp(t)
	log.wait(t, "the certificate was read again")
	get(second)

	check(t, os.Remove(filepath.Join(dir, "key.pem")))
	hangUp(t)
	log.wait(t, "the certificate was not read again")
	get(second)

	writeCertificate(t, dir, 3, time.Now().Add(-time.Hour))
	hangUp(t)
	log.wait(t, `msg="browsers refuse the certificate"`)
}

// hangUp sends SIGHUP to the process.
func hangUp(t *testing.T) {
	t.Helper()
	check(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
}

func TestVisitsDoNotAskAgainForACertificate(t *testing.T) {
	authority := httptest.NewServer(http.NotFoundHandler())
	defer authority.Close()
	c, err := newCertificates(config.TLS{Domain: domain}, t.TempDir(), &acme.Client{DirectoryURL: authority.URL}, slog.New(slog.DiscardHandler))
	check(t, err)
	if err := c.obtain(t.Context()); err == nil {
		t.Error("got a certificate of an authority without one")
	}
	if _, err := c.tlsConfig().GetCertificate(&tls.ClientHelloInfo{ServerName: domain}); !errors.Is(err, errNoCertificate) {
		t.Errorf("got error %v for a visit, want %v", err, errNoCertificate)
	}
}

func TestMissingCertificateIsExplained(t *testing.T) {
	_, err := newCertificates(config.TLS{Cert: "/nowhere/cert.pem", Key: "/nowhere/key.pem"}, t.TempDir(), nil, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "--tls-cert") || !strings.Contains(err.Error(), "/nowhere/cert.pem") {
		t.Errorf("got error %v, want the setting and the file", err)
	}
}

func TestHTTPRedirectsToHTTPS(t *testing.T) {
	for _, test := range []struct{ base, target, want string }{
		{"", "http://links.example.org/links?query=a%20b", "https://links.example.org/links?query=a%20b"},
		{"", "http://links.example.org:80/", "https://links.example.org/"},
		{"https://links.example.org", "http://192.0.2.1//other.example.org", "https://links.example.org//other.example.org"},
		{"https://links.example.org/way", "http://links.example.org/way/links", "https://links.example.org/way/links"},
	} {
		var base config.BaseURL
		check(t, base.UnmarshalText([]byte(test.base)))
		w := httptest.NewRecorder()
		new(certificates).redirects(base).ServeHTTP(w, httptest.NewRequest(http.MethodPost, test.target, nil))
		if got := w.Header().Get("Location"); w.Code != http.StatusPermanentRedirect || got != test.want {
			t.Errorf("base %q, %s: got %d to %s, want 308 to %s", test.base, test.target, w.Code, got, test.want)
		}
	}
}
