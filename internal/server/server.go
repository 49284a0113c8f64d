// Package server assembles the program: it opens the store, connects the interfaces to the store,
// runs background jobs, and serves HTTP until its context ends.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"waymark/internal/accounts"
	"waymark/internal/api"
	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/identity"
	"waymark/internal/karakeep"
	"waymark/internal/linkding"
	"waymark/internal/mcp"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
	"waymark/internal/web"
	"waymark/internal/web/page"
)

// Ready describes a server that has started.
type Ready struct {
	URL     string // without a slash at the end
	Metrics string // the URL of the metrics, "" if they are disabled
	Setup   string // the URL at which the first user creates an account, "" if there is a user
}

// Run starts the server and calls ready when it accepts requests. When ctx ends it
// stops accepting connections, finishes running requests within the shutdown timeout,
// and closes the store. If ctx ends earlier, Run returns nil too. Its errors are for the operator.
func Run(ctx context.Context, version string, settings config.Serve, log *slog.Logger, ready func(Ready)) error {
	return run(ctx, version, settings, &acme.Client{DirectoryURL: cmp.Or(settings.TLS.ACME, autocert.DefaultACMEDirectory)}, log, ready)
}

// run is Run with the authority that gives certificates to a domain.
func run(ctx context.Context, version string, settings config.Serve, authority *acme.Client, log *slog.Logger, ready func(Ready)) error {
	settings = settings.WithDomain()
	s := &server{version: version, settings: settings, log: slog.New(requestIDHandler{log.Handler()}), failed: make(chan error, 1)}
	var err error
	if s.certificates, err = newCertificates(settings.TLS, settings.Store.Data, authority, s.log); err != nil {
		return err
	}
	parts := []part{s.handleHangups, s.listen, s.openStore, s.buildSearchIndex, s.runJobs, s.runUploads, s.serveMetrics, s.serveHTTP, s.serveRedirects, s.keepCertificate}
	return runParts(ctx, parts, func() error {
		ready(s.ready)
		debug.FreeOSMemory() // releases what the start used
		s.tellSystemd(ctx, "READY=1")
		defer s.tellSystemd(context.WithoutCancel(ctx), "STOPPING=1")
		select {
		case err := <-s.failed:
			return fmt.Errorf("serve %s: %w", settings.Listen, err)
		case <-ctx.Done():
			s.log.Info("server stopping", "timeout", shutdownTimeout)
			return nil
		}
	})
}

// part starts one part of the server and returns a function that stops it. Goroutines
// of the part have ended when stop returns.
type part func(ctx context.Context) (stop func() error, err error)

// runParts starts parts in order, calls wait, and stops in reverse order the parts that
// were started. It is no error if a part was not started because ctx has ended.
func runParts(ctx context.Context, parts []part, wait func() error) (err error) {
	for _, start := range parts {
		stop, startErr := start(ctx)
		switch {
		case startErr != nil && ctx.Err() != nil && errors.Is(startErr, context.Canceled):
			return nil
		case startErr != nil:
			return startErr
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	return wait()
}

// server is the state that the parts share. A part may use what earlier parts have set.
type server struct {
	version  string // of Waymark
	settings config.Serve
	log      *slog.Logger

	certificates    *certificates // nil if the server speaks plain HTTP
	listener        net.Listener
	metricsListener net.Listener // nil if metrics are disabled
	store           *store.Store
	service         *service.Service
	accounts        *accounts.Accounts
	crawler         *crawl.Crawler
	provider        *identity.Provider // nil if there is none
	transfer        *transfer.Transfer
	uploads         *transfer.Uploads
	backups         *backups // nil if there are none
	metrics         *metrics // nil if metrics are disabled
	ready           Ready
	failed          chan error // the error with which serving ended
}

// listen is the first part, so that nothing is changed if an address is in use.
func (s *server) listen(ctx context.Context) (stop func() error, err error) {
	if s.listener, err = listen(ctx, "--listen", s.settings.Listen); err != nil {
		return nil, err
	}
	s.ready.URL = publicURL(s.settings.API.BaseURL, s.settings.TLS.Enabled(), s.listener.Addr())
	if s.settings.MetricsListen != "" {
		if s.metricsListener, err = listen(ctx, "--metrics-listen", s.settings.MetricsListen); err != nil {
			return nil, errors.Join(err, s.listener.Close())
		}
		s.ready.Metrics = publicURL(config.BaseURL{}, false, s.metricsListener.Addr()) + "/metrics"
	}
	return func() error {
		for _, l := range []net.Listener{s.listener, s.metricsListener} {
			if l != nil {
				l.Close() //nolint:errcheck // already closed if it was served
			}
		}
		return nil
	}, nil
}

// failedSignIn is longer than to check a bcrypt hash of the usual costs, 10 to 12.
const failedSignIn = 500 * time.Millisecond

func (s *server) openStore(ctx context.Context) (stop func() error, err error) {
	s.store, err = store.Open(ctx, store.Options{
		Dir:         s.settings.Store.Data,
		Database:    s.settings.Store.Database,
		Connections: s.settings.Store.DatabaseConnections,
		Serve:       true,
		Fetch:       waymark.FetchPolicy{Parts: PageParts(s.settings.Fetch.Metadata, s.settings.Fetch.Pictures)},

		Log: s.log,
	})
	if err != nil {
		return nil, err
	}
	s.service = service.New(s.store)
	s.transfer = transfer.New(s.store, int64(s.settings.Fetch.Metadata.SnapshotsQuota))
	crawling := CrawlOptions(s.settings.Fetch, s.settings.API.BaseURL, s.version)
	crawling.Log = s.log
	s.crawler = crawl.New(s.store, crawling)
	if s.crawler.FetchesPages() || s.crawler.ChecksLinks() {
		warnWithoutRootCertificates(s.log)
	}
	signIn := s.settings.API.SignIn
	if signIn.OIDC.On() {
		s.provider = identity.New(signIn.OIDC, identity.Options{BaseURL: s.settings.API.BaseURL.String(), Log: s.log})
	}
	s.accounts = accounts.New(s.store, accounts.Options{
		SessionIdle: time.Duration(s.settings.API.SessionIdle), SessionLifetime: time.Duration(s.settings.API.SessionLifetime),
		FailedSignIn: failedSignIn, Log: s.log, SignIn: signIn, Provider: s.provider,
	})
	if err := s.accounts.CheckAdministrators(ctx); err != nil {
		return nil, errors.Join(err, s.store.Close())
	}
	token, err := s.accounts.SetupToken(ctx)
	switch {
	case err == nil:
		s.ready.Setup = s.ready.URL + "/setup/" + token
	case !errors.Is(err, waymark.ErrConflict):
		return nil, errors.Join(err, s.store.Close())
	}
	return func() error {
		s.crawler.Close()
		s.provider.Close()
		return s.store.Close()
	}, nil
}

// runJobs runs the background jobs.
func (s *server) runJobs(ctx context.Context) (stop func() error, err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if s.settings.Backup.Dir != "" {
		s.backups = s.newBackups()
	}
	jobs := s.jobs()
	var running sync.WaitGroup
	for _, j := range jobs {
		running.Go(func() { j.repeat(ctx, s.log) })
	}
	return func() error {
		cancel()
		waitForJobs(&running, shutdownTimeout, s.log)
		runAtStop(context.WithoutCancel(ctx), jobs, shutdownTimeout, s.log)
		return s.backups.close()
	}, nil
}

// jobs returns the background jobs that the settings ask for.
func (s *server) jobs() []job {
	all := []job{
		// The last use of a key, as in `waymark key list`, is accurate to this interval.
		{name: "save key use", interval: time.Minute, run: s.accounts.SaveAPIKeyUse, atStop: true},
		{name: "save session use", interval: time.Minute, run: s.accounts.SaveSessionUse, atStop: true},
		{name: "prune hosts", interval: time.Minute, run: s.store.Queue.PruneHosts},
		{name: "prune credentials", interval: time.Minute, run: s.accounts.PruneCredentials, atStart: true},
		{name: "log audit events", interval: time.Second, run: s.logAuditEvents, atStart: true, atStop: true},
		// A search applies the latest changes to the index; this job leaves few changes for it.
		{name: "refresh the search index", interval: time.Second, run: s.refreshSearchIndex},
		{name: "prune the log of changes", interval: time.Minute, run: s.store.PruneChanges, atStart: true},
		{name: "prune pictures", interval: 10 * time.Minute, run: s.store.Snapshots.PrunePictures},
		{name: "prune undo records", interval: 10 * time.Minute, run: s.store.PruneUndoRecords, atStart: true},
		// Deleted or overwritten data is removed from the log after about this time.
		{name: "empty the write-ahead log", interval: time.Minute, run: s.store.EmptyWAL},
	}
	if s.backups != nil {
		all = append(all, job{name: "make a backup", interval: time.Minute, timeout: time.Duration(s.settings.Backup.Every), run: s.backups.run, atStart: true})
	}
	if interval := watchdogInterval(); interval > 0 {
		all = append(all, job{name: "watchdog", interval: interval, run: s.signOfLife, atStart: true})
	}
	if s.crawler.FetchesPages() {
		for range FetchConnections {
			all = append(all, job{name: "fetch pages", interval: time.Second, timeout: 10 * time.Minute, run: s.crawler.FetchPages, atStart: true})
		}
		all = append(all, job{name: "fetch pages saved by hand", interval: time.Second, timeout: 10 * time.Minute, run: s.crawler.FetchPagesByHand, atStart: true})
	}
	if s.crawler.ChecksLinks() {
		all = append(all, job{name: "plan link checks", interval: time.Minute, run: s.crawler.PlanChecks, atStart: true})
		for range FetchConnections {
			all = append(all, job{name: "check links", interval: time.Second, timeout: 10 * time.Minute, run: s.crawler.CheckLinks, atStart: true})
		}
	}
	return all
}

// runUploads imports the files that users send.
func (s *server) runUploads(context.Context) (stop func() error, err error) {
	dir := filepath.Join(s.settings.Store.Data, "uploads")
	if s.uploads, err = s.transfer.NewUploads(dir, transfer.MaxUploads, s.log); err != nil {
		return nil, err
	}
	return s.uploads.Close, nil
}

// serveMetrics serves /metrics on its own listener. The server goes on if that fails.
func (s *server) serveMetrics(context.Context) (stop func() error, err error) {
	if s.metricsListener == nil {
		return func() error { return nil }, nil
	}
	s.metrics = s.newMetrics()
	metricsServer := s.metrics.newHTTPServer(s.log)
	var running sync.WaitGroup
	running.Go(func() {
		if err := metricsServer.Serve(s.metricsListener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("metrics server stopped", "error", err)
		}
	})
	s.log.Info("metrics ready", "address", s.metricsListener.Addr().String())
	return func() error {
		defer running.Wait()
		return metricsServer.Close()
	}, nil
}

func (s *server) serveHTTP(ctx context.Context) (stop func() error, err error) {
	memory := httpx.NewMemory(httpx.BodyMemory)
	guests := httpx.NewGuestLimit(s.settings.API.GuestRateLimit, s.settings.API.TrustedProxies)
	guard := rest.Guard{Authenticate: s.accounts.Authenticate, Users: httpx.NewUserLimit(s.settings.API.RateLimit), Guests: guests, Memory: memory}
	pages, err := web.New(page.Options{
		Service: s.service, Accounts: s.accounts, Crawler: s.crawler, Transfer: s.transfer, Uploads: s.uploads, Store: s.store,
		Config: s.settings.API, Memory: memory, Guests: guests, Log: s.log, Version: s.version,
	})
	if err != nil {
		return nil, err
	}
	router := &router{
		api: api.New(api.Options{
			Service: s.service, Accounts: s.accounts, Crawler: s.crawler, Transfer: s.transfer, Uploads: s.uploads, Store: s.store,
			Settings: s.settings.API, Guard: guard, Version: s.version, Log: s.log,
		}),
		linkding: linkding.New(linkding.Options{
			Service: s.service, Crawler: s.crawler, Uploads: s.uploads, Store: s.store, Settings: s.settings.API, Guard: guard, Log: s.log,
		}),
		karakeep: karakeep.New(karakeep.Options{
			Service: s.service, Store: s.store, Settings: s.settings.API, Guard: guard, Log: s.log,
		}),
		mcp: mcp.New(mcp.Options{
			Service: s.service, Store: s.store, Guard: guard, Version: s.version, Log: s.log,
		}),
		pages:     pages,
		showError: pages.ShowError,
		ping:      s.store.Ping,
		base:      s.settings.API.BaseURL,
	}
	handler := &instrument{
		next:    httpx.Represent(router, s.settings.HTTP.Compression),
		fail:    router.fail,
		timeout: s.settings.HTTP.RequestTimeout,
		log:     s.log,
		metrics: s.metrics,
		trusted: s.settings.API.TrustedProxies,
	}
	httpServer := newHTTPServer(handler, s.log)
	requests, abort := context.WithCancel(context.WithoutCancel(ctx))
	httpServer.BaseContext = func(net.Listener) context.Context { return httpx.BaseContext(requests) }
	var running sync.WaitGroup
	running.Go(func() {
		if s.certificates == nil {
			s.failed <- httpServer.Serve(s.listener)
			return
		}
		httpServer.TLSConfig = s.certificates.tlsConfig()
		s.failed <- httpServer.ServeTLS(s.listener, "", "")
	})
	s.log.Info("server ready", "address", s.listener.Addr().String())
	return func() error {
		defer running.Wait()
		defer abort()
		shutDown(context.WithoutCancel(ctx), httpServer, shutdownTimeout, abort, s.log)
		return nil
	}, nil
}

// shutdownTimeout is how long running requests may take when the server stops.
const shutdownTimeout = 20 * time.Second

// abortTimeout is the time that aborted requests have to end when the server stops.
const abortTimeout = 2 * time.Second

// shutDown stops a server. Requests that have not ended after the timeout are aborted, so that
// their clients get a response with status 503, even if a COMMIT still waits.
func shutDown(ctx context.Context, httpServer *http.Server, timeout time.Duration, abort func(), log *slog.Logger) {
	wait := func(timeout time.Duration) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return httpServer.Shutdown(ctx)
	}
	err := wait(timeout)
	if err == nil {
		return
	}
	log.Warn("shutdown timeout: requests aborted", "error", err)
	abort()
	if err := wait(abortTimeout); err != nil {
		log.Warn("connections closed without a response", "error", err)
		httpServer.Close() //nolint:errcheck // the connections are gone either way
	}
}

// The limits of the server for slow clients and large requests.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = time.Minute      // of a whole request, unless its body is an import
	writeTimeout      = 90 * time.Second // from the end of the header to the end of the response, unless it is a stream
	idleTimeout       = 2 * time.Minute  // of a connection without a request
	maxHeader         = 64 << 10         // of the request line and the headers, in bytes
)

func newHTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		ConnContext:       httpx.ConnContext,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
