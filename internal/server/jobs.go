package server

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"waymark/internal/waymark"
)

// job is work that the server does in the background.
type job struct {
	name     string
	interval time.Duration
	timeout  time.Duration               // the longest time of a pass; 0 for the interval, or shortestTimeout
	run      func(context.Context) error // one pass
	atStart  bool                        // run it also when the server starts, before the first interval
	atStop   bool                        // run it once more when the server stops
}

// shortestTimeout is for jobs with a short interval: on a busy machine, a pass after a large change takes seconds.
const shortestTimeout = time.Minute

// repeatedError is the minimum time between two log lines for the same error of a job.
const repeatedError = time.Minute

// repeat runs the job at its interval until ctx ends.
func (j job) repeat(ctx context.Context, log *slog.Logger) {
	var logged time.Time
	var last string // the error that was logged
	pass := func() {
		err := j.once(ctx, cmp.Or(j.timeout, max(j.interval, shortestTimeout)))
		if err == nil || ctx.Err() != nil || err.Error() == last && time.Since(logged) < repeatedError {
			return
		}
		logged, last = time.Now(), err.Error()
		log.Error("background job failed", "job", j.name, "error", err)
	}
	if j.atStart {
		pass()
	}
	ticker := time.NewTicker(j.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			pass()
		}
	}
}

func (j job) once(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return j.run(ctx)
}

// waitForJobs waits until all jobs have ended, or for timeout: decoding cannot be interrupted.
func waitForJobs(running *sync.WaitGroup, timeout time.Duration, log *slog.Logger) {
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(timeout):
		log.Warn("a background job did not end in time")
	}
}

// runAtStop runs the jobs that must run once more when the server stops. It only logs their errors:
// the database may be unreachable, and no acknowledged change is lost.
func runAtStop(ctx context.Context, jobs []job, timeout time.Duration, log *slog.Logger) {
	for _, j := range jobs {
		if !j.atStop {
			continue
		}
		if err := j.once(ctx, timeout); err != nil {
			log.Warn("background job failed when the server stopped", "job", j.name, "error", err)
		}
	}
}

// logAuditEvents logs the changes of users, API keys and one-time tokens since its last call,
// including changes made by commands. While the log level omits such lines, the events stay in the database.
func (s *server) logAuditEvents(ctx context.Context) error {
	if !s.log.Enabled(ctx, slog.LevelInfo) {
		return nil
	}
	return s.store.Accounts.TakeAuditEvents(ctx, func(e waymark.AuditEvent) {
		attrs := []slog.Attr{slog.String("event", e.Event), slog.String("user", e.User)}
		if e.Key != "" {
			attrs = append(attrs, slog.String("key", e.Key))
		}
		if e.Detail != "" {
			attrs = append(attrs, slog.String("detail", e.Detail))
		}
		s.log.LogAttrs(ctx, slog.LevelInfo, "audit", append(attrs, slog.String("at", e.At.String()))...)
	})
}
