package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"waymark/internal/config"
	"waymark/internal/database"
)

// httpPort and httpsPort are the ports of URLs that name none.
const httpPort, httpsPort = "80", "443"

// certificateInterval is between two attempts to get the certificate: Let's Encrypt allows one in 12 minutes that fails.
const certificateInterval = 15 * time.Minute

// certificates has the certificate of a server, from files or from an ACME authority.
type certificates struct {
	settings config.TLS
	log      *slog.Logger
	files    atomic.Pointer[tls.Certificate] // of --tls-cert
	domain   *autocert.Manager               // nil without --domain
	failed   atomic.Bool                     // whether the last attempt to get the certificate failed
}

// newCertificates returns the certificates for settings, nil for a server that speaks plain HTTP. Those of the authority
// are kept in a folder of dir.
func newCertificates(settings config.TLS, dir string, authority *acme.Client, log *slog.Logger) (*certificates, error) {
	switch {
	case !settings.Enabled():
		return nil, nil
	case settings.Domain == "":
		c := &certificates{settings: settings, log: log}
		return c, c.load()
	}
	if err := database.CreateDir(dir); err != nil {
		return nil, err
	}
	return &certificates{settings: settings, log: log, domain: &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(filepath.Join(dir, "certificates")),
		HostPolicy: autocert.HostWhitelist(settings.Domain),
		Client:     authority,
	}}, nil
}

// load reads the files. After an error, the certificate that was read before stays in use.
func (c *certificates) load() error {
	pair, refused, err := c.settings.Load(time.Now())
	if err != nil {
		return err
	}
	if refused != "" {
		c.log.Warn("browsers refuse the certificate", "file", c.settings.Cert, "reason", refused)
	}
	c.files.Store(&pair)
	return nil
}

// tlsConfig returns the configuration of the HTTPS server.
func (c *certificates) tlsConfig() *tls.Config {
	if c.domain != nil {
		config := c.domain.TLSConfig()
		config.GetCertificate = c.ofDomain
		return config
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.files.Load(), nil },
	}
}

// errNoCertificate is for connections after an attempt that failed.
var errNoCertificate = errors.New("there is no certificate yet")

// ofDomain returns the certificate for a connection. After an attempt that failed, only the authority is answered: each
// visit and each health check would be an attempt.
func (c *certificates) ofDomain(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c.failed.Load() && !slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		return nil, errNoCertificate
	}
	return c.domain.GetCertificate(hello)
}

// obtain makes sure that there is a certificate of the domain. Without it, the first visitor would wait
// for one, and no log line would say why there is none.
func (c *certificates) obtain(context.Context) error {
	_, err := c.domain.GetCertificate(&tls.ClientHelloInfo{
		ServerName:       c.settings.Domain,
		SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
		SupportedCurves:  []tls.CurveID{tls.CurveP256},
		CipherSuites:     []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
	})
	c.failed.Store(err != nil)
	if err != nil {
		return fmt.Errorf("no certificate of %s: %w. The name must lead to this server, on port 80 or 443", c.settings.Domain, err)
	}
	return nil
}

// redirects returns the handler of port 80, which redirects to HTTPS and answers the authority.
func (c *certificates) redirects(base config.BaseURL) http.Handler {
	redirect := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := strings.TrimSuffix(base.String(), base.EscapedPath())
		if site == "" {
			site = "https://" + strings.TrimSuffix(r.Host, ":"+httpPort)
		}
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, site+r.URL.RequestURI(), http.StatusPermanentRedirect)
	})
	if c.domain != nil {
		return c.domain.HTTPHandler(redirect)
	}
	return redirect
}

// serveRedirects serves port 80 if the server speaks HTTPS on port 443.
func (s *server) serveRedirects(ctx context.Context) (stop func() error, err error) {
	host, port, err := net.SplitHostPort(s.settings.Listen)
	if err != nil || port != httpsPort || s.certificates == nil {
		return func() error { return nil }, err
	}
	listener, err := listen(ctx, "--listen", net.JoinHostPort(host, httpPort))
	if err != nil {
		return nil, err
	}
	redirects := newHTTPServer(s.certificates.redirects(s.settings.API.BaseURL), s.log)
	var running sync.WaitGroup
	running.Go(func() {
		if err := redirects.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("redirects to HTTPS stopped", "error", err)
		}
	})
	return func() error {
		defer running.Wait()
		return redirects.Close()
	}, nil
}

// keepCertificate gets the certificate of the domain when the server can show the authority that it has the name.
func (s *server) keepCertificate(ctx context.Context) (stop func() error, err error) {
	if s.certificates == nil || s.certificates.domain == nil {
		return func() error { return nil }, nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() {
		job{name: "get the certificate", interval: certificateInterval, run: s.certificates.obtain, atStart: true}.repeat(ctx, s.log)
	})
	return func() error {
		cancel()
		waitForJobs(&running, shutdownTimeout, s.log)
		return nil
	}, nil
}
