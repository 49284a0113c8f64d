package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"waymark/tools/bench"
)

// syncCreates is the number of creates for which syncs of the disk are counted.
const syncCreates = 20

// countSyncs counts with strace how often the server syncs the disk while it creates
// links, one after the other.
func (s *server) countSyncs(ctx context.Context, operations []*operation) error {
	strace, err := exec.LookPath("strace")
	if errors.Is(err, exec.ErrNotFound) {
		s.syncs = "not counted: strace is not installed"
		return nil
	}
	if err != nil {
		return err
	}
	summary := filepath.Clean(s.dir + ".strace")
	command := exec.Command(strace, "-f", "-c", "-e", "trace=fsync,fdatasync", "-o", summary, "-p", strconv.Itoa(s.process.Pid)) //nolint:noctx // it is interrupted below
	output, err := command.StderrPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	attached := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(output)
		lines.Scan()
		attached <- lines.Text()
		for lines.Scan() { // until it ends
		}
	}()
	var first string
	select {
	case first = <-attached:
	case <-time.After(10 * time.Second):
	}
	if strings.Contains(first, "attached") {
		err = s.createSome(ctx, operations)
	}
	command.Process.Signal(os.Interrupt) //nolint:errcheck // it may have ended
	command.Wait()                       //nolint:errcheck // it was interrupted
	if err != nil {
		return err
	}
	if !strings.Contains(first, "attached") {
		s.syncs = "not counted: " + first
		return nil
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		return err
	}
	count := syncCount(string(text))
	s.syncs, s.counted, s.noSync = strconv.Itoa(count), true, count < syncCreates
	return nil
}

func (s *server) createSome(ctx context.Context, operations []*operation) error {
	client, err := bench.Dial(ctx, s.address, s.key)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // all responses are complete
	for _, o := range operations {
		if o.kind != createKind {
			continue
		}
		for range syncCreates {
			if _, err := s.request(client, o); err != nil {
				return fmt.Errorf("%s: %w", o.name, err)
			}
		}
	}
	return nil
}

// syncCount returns the number of calls in a summary of strace. Its lines have the
// percentage, seconds, microseconds per call, calls, errors if any, and the name.
func syncCount(summary string) (count int) {
	for line := range strings.Lines(summary) {
		fields := strings.Fields(line)
		if len(fields) < 5 || !strings.HasSuffix(fields[len(fields)-1], "sync") {
			continue
		}
		if calls, err := strconv.Atoi(fields[3]); err == nil {
			count += calls
		}
	}
	return count
}
