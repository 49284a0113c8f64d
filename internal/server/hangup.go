package server

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// handleHangups handles SIGHUP instead of ending the program: a server that was started in a terminal continues
// when the terminal is closed. It also continues when the program has ended that reads its log from a pipe.
func (s *server) handleHangups(context.Context) (stop func() error, err error) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE)
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-hangups:
				s.hangUp()
			case <-done:
				return
			}
		}
	})
	return func() error {
		signal.Stop(hangups)
		close(done)
		running.Wait()
		return nil
	}, nil
}

// hangUp reads the files of the certificate again. Without such files there is nothing to read, because settings
// come from flags and the environment.
func (s *server) hangUp() {
	c := s.certificates
	if c == nil || c.domain != nil {
		s.log.Warn("SIGHUP ignored: restart the server to change its settings")
		return
	}
	if err := c.load(); err != nil {
		s.log.Error("the certificate was not read again", "error", err)
		return
	}
	s.log.Info("the certificate was read again", "file", c.settings.Cert, "until", c.files.Load().Leaf.NotAfter)
}
