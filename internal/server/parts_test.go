package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestPartsStopInReverseOrder(t *testing.T) {
	startErr, stopErr, waitErr := errors.New("start"), errors.New("stop"), errors.New("wait")
	for _, test := range []struct {
		name  string
		fails int // the part that does not start, from 1
		want  []string
		errs  []error
	}{
		{"all parts start", 0, []string{"start 1", "start 2", "start 3", "wait", "stop 3", "stop 2", "stop 1"}, []error{waitErr, stopErr}},
		{"the third part fails", 3, []string{"start 1", "start 2", "start 3", "stop 2", "stop 1"}, []error{startErr, stopErr}},
		{"the first part fails", 1, []string{"start 1"}, []error{startErr}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			var parts []part
			for n, name := range []string{"1", "2", "3"} {
				parts = append(parts, func(context.Context) (func() error, error) {
					got = append(got, "start "+name)
					if n+1 == test.fails {
						return nil, startErr
					}
					return func() error {
						got = append(got, "stop "+name)
						return stopErr
					}, nil
				})
			}
			err := runParts(t.Context(), parts, func() error {
				got = append(got, "wait")
				return waitErr
			})
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			for _, want := range test.errs {
				if !errors.Is(err, want) {
					t.Errorf("got error %v, want %v in it", err, want)
				}
			}
		})
	}
}

func TestErrorOfAJobIsNotLoggedEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
		defer cancel()
		runs := 0
		j := job{name: "test", interval: time.Second, run: func(context.Context) error {
			if runs++; runs == 100 {
				return errors.New("another one")
			}
			return errors.New("broken")
		}}
		j.repeat(ctx, slog.New(slog.NewTextHandler(&log, nil)))
		// At 1 s and 61 s, the other one at 100 s, then the first one again at 101 s.
		if got := strings.Count(log.String(), "background job failed"); got != 4 || runs < 149 {
			t.Errorf("got %d lines of %d failures, want 4:\n%s", got, runs, &log)
		}
	})
}

// A pass after a large change takes longer than a second.
func TestJobMayTakeLongerThanItsInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		j := job{name: "test", interval: time.Second, run: func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(20 * time.Second):
				return nil
			}
		}}
		j.repeat(ctx, slog.New(slog.NewTextHandler(&log, nil)))
		if log.Len() > 0 {
			t.Errorf("got the log %s, want none", &log)
		}
	})
}

func TestStopWaitsForJobsUntilATimeLimit(t *testing.T) {
	for name, test := range map[string]struct {
		pass time.Duration // how long a pass takes that does not end with its context
		want time.Duration
		log  string
	}{
		"a pass that ends":        {5 * time.Second, 4 * time.Second, ""},
		"a pass that goes on":     {time.Hour, 20 * time.Second, "did not end in time"},
		"no pass when it stopped": {0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var log bytes.Buffer
				var running sync.WaitGroup
				j := job{name: "test", interval: time.Hour, atStart: true, run: func(context.Context) error {
					time.Sleep(test.pass)
					return nil
				}}
				running.Go(func() { j.repeat(ctx, slog.New(slog.DiscardHandler)) })
				time.Sleep(time.Second)
				cancel()
				began := time.Now()
				waitForJobs(&running, 20*time.Second, slog.New(slog.NewTextHandler(&log, nil)))
				if got := time.Since(began); got != test.want || strings.Contains(log.String(), "did not end in time") != (test.log != "") {
					t.Errorf("got %s and the log %q, want %s and %q", got, &log, test.want, test.log)
				}
				running.Wait()
				synctest.Wait()
			})
		})
	}
}

func TestRequestsGetAResponseWhenTheShutdownTimeoutEnds(t *testing.T) {
	started := make(chan struct{})
	requests, abort := context.WithCancel(t.Context())
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done() // such as a write whose COMMIT waits
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	s.Config.BaseContext = func(net.Listener) context.Context { return requests }
	s.Start()
	defer s.Close()
	status := make(chan int, 1)
	go func() {
		response, err := s.Client().Get(s.URL)
		if err != nil {
			t.Error(err)
			close(status)
			return
		}
		response.Body.Close()
		status <- response.StatusCode
	}()
	<-started
	shutDown(t.Context(), s.Config, time.Millisecond, abort, slog.New(slog.DiscardHandler))
	if got := <-status; got != http.StatusServiceUnavailable {
		t.Errorf("got %d, want 503", got)
	}
}
