// Package server builds every room, listens, and shuts down. It gives each request
// its id, its time limit and its log line; what a request means is decided in the
// doors behind it.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/linkace"
	"waymark/internal/service"
	"waymark/internal/store"
)

// saveEvery is how old the last use of a key that `waymark key list` shows may be.
const saveEvery = time.Minute

// Ready is what there is to tell once the server answers.
type Ready struct {
	URL     string // where to reach it, without a slash at the end
	Metrics string // where Prometheus finds the metrics, "" for nowhere
	NoUsers bool   // nobody has an account yet
}

// Run opens the store and serves until ctx ends. Then it listens no more, finishes
// the running requests as long as the settings allow, and closes the store. It
// calls ready once it answers. Its errors are sentences for the operator.
func Run(ctx context.Context, settings config.Serve, log *slog.Logger, ready func(Ready)) (err error) {
	listener, err := listen(ctx, "--listen", settings.Listen)
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // serving closes it; this is for what fails before
	var metricsListener net.Listener
	if settings.MetricsListen != "" {
		if metricsListener, err = listen(ctx, "--metrics-listen", settings.MetricsListen); err != nil {
			return err
		}
		defer metricsListener.Close() //nolint:errcheck // as above
	}

	s, err := store.Open(ctx, store.Options{
		Dir:         settings.Store.Data,
		Database:    settings.Store.Database,
		Connections: settings.Store.DatabaseConnections,
		Serve:       true,
		Log:         log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	users, err := s.Users(ctx)
	if err != nil {
		return err
	}
	lib := service.New(s)
	log = slog.New(requestIDHandler{log.Handler()})
	doors := &router{
		api:      linkace.New(lib, s, settings.API, log, httpx.SetRoute),
		ping:     s.Ping,
		base:     settings.API.BaseURL,
		urlLimit: settings.HTTP.URLLimit,
	}
	front := &instrument{next: doors, timeout: settings.HTTP.RequestTimeout, log: log}
	server := newHTTPServer(front, settings.HTTP, log)

	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	is := Ready{URL: reach(settings.API.BaseURL, listener.Addr()), NoUsers: len(users) == 0}
	if metricsListener != nil {
		is.Metrics = reach(config.BaseURL{}, metricsListener.Addr()) + "/metrics"
		front.metrics = newMetrics(s.Stats)
		running.Go(func() { front.metrics.serve(background, metricsListener, log) })
	}
	running.Go(func() { every(background, saveEvery, log, "saving key use", lib.SaveAPIKeyUse) })
	defer func() {
		stop()
		running.Wait()
		err = errors.Join(err, within(context.WithoutCancel(ctx), settings.HTTP.ShutdownTimeout, lib.SaveAPIKeyUse))
	}()

	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	log.Info("server ready", "address", listener.Addr().String())
	ready(is)

	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", settings.Listen, err)
	case <-ctx.Done():
	}
	log.Info("server stopping", "timeout", settings.HTTP.ShutdownTimeout)
	shutDown(ctx, server, settings.HTTP.ShutdownTimeout, log)
	<-served
	return nil
}

func newHTTPServer(handler http.Handler, limits config.HTTP, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: limits.ReadHeaderTimeout,
		ReadTimeout:       limits.ReadTimeout,
		WriteTimeout:      limits.WriteTimeout,
		IdleTimeout:       limits.IdleTimeout,
		MaxHeaderBytes:    int(limits.HeaderLimit),
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// shutDown lets the running requests finish, and cuts them off when that takes
// longer than patience.
func shutDown(ctx context.Context, server *http.Server, patience time.Duration, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		log.Warn("running requests cut off", "error", err)
		server.Close() //nolint:errcheck // the process is about to end
	}
}

// every runs one pass of background work again and again until ctx ends.
func every(ctx context.Context, pause time.Duration, log *slog.Logger, what string, pass func(context.Context) error) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := within(ctx, pause, pass); err != nil && ctx.Err() == nil {
				log.Error("background work", "what", what, "error", err)
			}
		}
	}
}

// within gives work that nobody waits for an end all the same.
func within(ctx context.Context, limit time.Duration, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return work(ctx)
}
