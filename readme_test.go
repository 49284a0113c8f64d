//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
)

// section returns what README.md says under a heading of the second level.
func section(t *testing.T, heading string) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("README.md has no section %q", heading)
	}
	content, _, _ := strings.Cut(after, "\n## ")
	return content
}

// shellBlocks are the commands in text that a reader would copy into a terminal.
func shellBlocks(text string) []string {
	var blocks []string
	for i, piece := range strings.Split(text, "```") {
		if commands, ok := strings.CutPrefix(piece, "sh\n"); ok && i%2 == 1 {
			blocks = append(blocks, commands)
		}
	}
	return blocks
}

func TestSettingsTableIsTrue(t *testing.T) {
	parser, err := kong.New(&config.Serve{})
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| Flag | Variable | Default | Meaning |\n|---|---|---|---|\n")
	for _, flag := range parser.Model.Flags {
		if flag.Name == "help" {
			continue
		}
		byDefault := ""
		if flag.Default != "" {
			byDefault = "`" + flag.Default + "`"
		}
		fmt.Fprintf(&want, "| `--%s` | `%s` | %s | %s |\n", flag.Name, strings.Join(flag.Envs, "`, `"), byDefault, flag.Help)
	}
	if !strings.Contains(section(t, "Settings"), "\n"+want.String()+"\n") {
		t.Errorf("README.md's table of settings is not what internal/config says:\n%s", want.String())
	}
}

// The commands of the quick start are run as they stand, by a shell, in a home
// that has seen nothing of Waymark. Only the port differs, since 8080 may be
// taken: the server is told by its variable, and curl by its settings file.
func TestQuickStartWorksWordForWord(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	if _, err := exec.LookPath("curl"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("curl is not installed")
	}
	blocks := shellBlocks(section(t, "Quick start"))
	if len(blocks) != 2 {
		t.Fatalf("the quick start has %d blocks of commands, want one for each terminal", len(blocks))
	}
	address := freeAddress(t)
	environment := strangersEnvironment(t, address)

	server := shell(t.Context(), environment, blocks[0])
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL) // mostly it has ended long ago
	})
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	if err := ready(t.Context(), address, ended); err != nil {
		t.Fatalf("%s: %v\n%s", strings.TrimSpace(blocks[0]), err, said.String())
	}

	client := shell(t.Context(), environment, "set -eu\n"+blocks[1])
	var warnings bytes.Buffer
	client.Stderr = &warnings
	output, err := client.Output()
	if err != nil {
		t.Errorf("second terminal: %v\n%s%s", err, output, warnings.String())
	}
	// What Ctrl-C does: it signals go and the server both. That go calls this a
	// failure says nothing.
	if err := syscall.Kill(-server.Process.Pid, syscall.SIGINT); err != nil {
		t.Error(err)
	}
	<-ended
	if t.Failed() {
		t.Fatalf("the server said:\n%s", said.String())
	}
	wantSavedAndFound(t, output)
}

// wantSavedAndFound reads what the two calls of curl have printed.
func wantSavedAndFound(t *testing.T, output []byte) {
	t.Helper()
	var saved struct {
		ID   int
		URL  string
		Tags []struct{ Name string }
	}
	var found struct {
		Total int
		Data  []struct{ ID int }
	}
	// Before the JSON stands what "user add" says.
	if start := bytes.IndexByte(output, '{'); start > 0 {
		output = output[start:]
	}
	answers := json.NewDecoder(bytes.NewReader(output))
	if err := errors.Join(answers.Decode(&saved), answers.Decode(&found)); err != nil {
		t.Fatalf("%v in\n%s", err, output)
	}
	if saved.ID == 0 || saved.URL != "https://go.dev/" || len(saved.Tags) != 2 {
		t.Errorf("saved: got %+v, want https://go.dev/ with two tags", saved)
	}
	if found.Total != 1 || len(found.Data) != 1 || found.Data[0].ID != saved.ID {
		t.Errorf("found: got %+v, want the link %d alone", found, saved.ID)
	}
}

// freeAddress is an address on this machine that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// strangersEnvironment is that of somebody who has Go, and nothing of Waymark yet.
// Go keeps its caches, or everything would be compiled again.
func strangersEnvironment(t *testing.T, address string) []string {
	t.Helper()
	home := t.TempDir()
	settings := fmt.Sprintf("connect-to = \"localhost:8080:%s\"\nnoproxy = \"*\"\nsilent\nshow-error\nfail-with-body\n", address)
	if err := os.WriteFile(filepath.Join(home, ".curlrc"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	environment := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + home,
		"WAYMARK_LISTEN=" + address,
		"WAYMARK_DATA=" + filepath.Join(home, "data"),
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"} {
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		environment = append(environment, name+"="+strings.TrimSpace(string(value)))
	}
	return environment
}

func shell(ctx context.Context, environment []string, commands string) *exec.Cmd {
	command := exec.CommandContext(ctx, "bash", "-c", commands)
	command.Env = environment
	return command
}

// ready returns when the server answers, or why it will not.
func ready(ctx context.Context, address string, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute) // it may have to compile the database
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-ended:
			return fmt.Errorf("the server has ended: %w", err)
		case <-ctx.Done():
			return errors.New("the server does not become ready")
		case <-time.After(100 * time.Millisecond):
		}
	}
}
