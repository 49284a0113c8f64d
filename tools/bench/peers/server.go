package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"waymark/tools/bench"
)

// server is a running program and what was measured about it.
type server struct {
	program
	about   about
	file    string // the program
	dir     string // its data
	address string
	key     string // sent as a bearer token
	process *os.Process
	exited  chan struct{}
	log     *os.File

	loaded  []string // ids of the links that it was given
	mu      sync.Mutex
	created []string // ids of the links that were created and not deleted
	changed int64    // numbers creates and updates
	cells   map[cellKey]*cell
	totals  map[string]string // of the searched texts

	loadTime                 time.Duration
	fileSize, dataSize       int64
	idleMemory, loadedMemory int64
	broken                   error // why it was not measured to the end
}

// setUp builds and starts the program and gives it the links.
func (s *server) setUp(ctx context.Context, cache string, links []link, loadFor time.Duration) (err error) {
	if s.file, err = s.about.build(ctx, cache); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: load %d links\n", s.about.name, len(links))
	since := time.Now()
	if err := s.prepare(ctx, s, links); err != nil {
		return err
	}
	prepared := time.Since(since)
	if err := s.start(ctx); err != nil {
		return err
	}
	if s.idleMemory, _, err = bench.ProcessMemory(s.process.Pid); err != nil {
		return err
	}
	since = time.Now()
	if s.loaded, err = s.load(ctx, s, links, since.Add(loadFor)); err != nil {
		return err
	}
	if len(s.loaded) == 0 {
		return errors.New("it has no links")
	}
	s.loadTime = prepared + time.Since(since)
	if s.loadedMemory, _, err = bench.ProcessMemory(s.process.Pid); err != nil {
		return err
	}
	info, err := os.Stat(s.file)
	if err != nil {
		return err
	}
	s.fileSize = info.Size()
	if s.dataSize, err = diskUsage(s.dir); err != nil {
		return err
	}
	s.cells, s.totals = map[cellKey]*cell{}, map[string]string{}
	fmt.Fprintf(os.Stderr, "%s: %d links in %.1f s\n", s.about.name, len(s.loaded), s.loadTime.Seconds())
	return nil
}

// start starts the server and waits until it responds.
func (s *server) start(ctx context.Context) (err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.address = listener.Addr().String()
	if err := listener.Close(); err != nil { // the server will use its port
		return err
	}
	arguments, environment := s.command(s)
	command := exec.CommandContext(ctx, s.file, arguments...)
	command.Dir = s.dir
	command.Env = append(os.Environ(), environment...)
	if s.log, err = os.Create(s.dir + ".log"); err != nil {
		return err
	}
	command.Stdout, command.Stderr = s.log, s.log
	if err := command.Start(); err != nil {
		return err
	}
	s.process = command.Process
	s.exited = make(chan struct{})
	go func() {
		command.Wait() //nolint:errcheck // it was killed
		close(s.exited)
	}()
	for end := time.Now().Add(30 * time.Second); ; {
		if client, err := bench.Dial(ctx, s.address, ""); err == nil {
			status, _, err := client.Do(http.MethodGet, s.about.ready, nil)
			client.Close() //nolint:errcheck // the response is complete
			if err == nil && status < 500 {
				return nil
			}
		}
		select {
		case <-s.exited:
			out, _ := os.ReadFile(s.log.Name())
			return fmt.Errorf("the server ended: %s", lastLines(out))
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(end) {
			return errors.New("the server does not respond")
		}
	}
}

// stop ends the server if it runs.
func (s *server) stop() {
	if s.process == nil {
		return
	}
	s.process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended
	select {
	case <-s.exited:
	case <-time.After(10 * time.Second):
		s.process.Kill() //nolint:errcheck // it may have ended
		<-s.exited
	}
	s.process = nil
	s.log.Close() //nolint:errcheck // the log is not needed any more
}

// run runs the program with other arguments than the server's, such as to create a user,
// and returns its output.
func (s *server) run(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, s.file, arguments...)
	command.Dir = s.dir
	_, environment := s.command(s)
	command.Env = append(os.Environ(), environment...)
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", arguments[0], err, lastLines(problems.Bytes()))
	}
	return strings.TrimSpace(out.String()), nil
}

// call sends a request with a JSON body and decodes the response, which may be nil.
func (s *server) call(ctx context.Context, method, path string, body, response any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.address+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if text, err = io.ReadAll(got.Body); err != nil {
		return err
	}
	if got.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, got.Status, text)
	}
	if response == nil {
		return nil
	}
	return json.Unmarshal(text, response)
}

// port returns the port of the address.
func (s *server) port() string {
	_, port, _ := net.SplitHostPort(s.address)
	return port
}

// diskUsage returns the size of all files in a folder.
func diskUsage(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a temporary file
		}
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// jsonOf encodes a value of strings and numbers.
func jsonOf(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	return text
}
