//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
)

// section returns the text of a document under a heading of the second level.
func section(t *testing.T, document, heading string) string {
	t.Helper()
	text, err := os.ReadFile(document)
	check(t, err)
	_, after, found := strings.Cut("\n"+string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("%s has no section %q", document, heading)
	}
	content, _, _ := strings.Cut(after, "\n## ")
	return content
}

// shellBlocks returns the contents of the ```sh blocks in text.
func shellBlocks(text string) []string {
	var blocks []string
	for i, piece := range strings.Split(text, "```") {
		if commands, ok := strings.CutPrefix(piece, "sh\n"); ok && i%2 == 1 {
			blocks = append(blocks, commands)
		}
	}
	return blocks
}

func TestReadmeSaysHowToRunTestAndContribute(t *testing.T) {
	if quickStart := section(t, "README.md", "Quick start"); !strings.Contains(quickStart, "go run . serve") {
		t.Error("the quick start lacks go run . serve")
	}
	contributing := section(t, "README.md", "Contributing")
	for _, want := range []string{"`go run . serve`", "`make check`", "(CONTRIBUTING.md)"} {
		if !strings.Contains(contributing, want) {
			t.Errorf("the section Contributing lacks %s", want)
		}
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil || !regexp.MustCompile(`(?m)^check:`).Match(makefile) {
		t.Errorf("the Makefile has no target check (error %v)", err)
	}
}

// The table is generated: copy it from the failure of this test.
func TestSettingsTableMatchesTheFlags(t *testing.T) {
	parser, err := kong.New(&config.Serve{})
	check(t, err)
	var want strings.Builder
	want.WriteString("| Flag, variable | Default | Description |\n|---|---|---|\n")
	for _, flag := range parser.Model.Flags {
		if flag.Name == "help" {
			continue
		}
		defaultValue := ""
		if flag.Default != "" {
			defaultValue = "`" + flag.Default + "`"
		}
		fmt.Fprintf(&want, "| `--%s`, `%s` | %s | %s |\n", flag.Name, strings.Join(flag.Envs, "`, `"), defaultValue, flag.Help)
	}
	const document = "docs/configuration.md"
	if !strings.Contains(section(t, document, "Settings")+"\n", "\n"+want.String()+"\n") {
		t.Errorf("the table in %s differs from internal/config. It must be:\n%s", document, want.String())
	}
}

// A shell runs the commands of the quick start as they are written, in a new home
// directory. Only the port differs, since 8080 may be in use: the server gets it from
// its environment variable, curl from its configuration file.
func TestQuickStartCommandsWork(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	if _, err := exec.LookPath("curl"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("curl is not installed")
	}
	start, api := shellBlocks(section(t, "README.md", "Quick start")), shellBlocks(section(t, "README.md", "With the API"))
	if len(start) != 1 || len(api) != 1 {
		t.Fatalf("the sections have %d and %d sh blocks, want one each", len(start), len(api))
	}
	address := freeAddress(t)
	environment := newEnvironment(t, address)

	serverOutput := serve(t, environment, address, start[0])
	saveInBrowser(t, serverOutput.String())

	client := shell(t.Context(), environment, "set -eu\n"+api[0])
	var warnings bytes.Buffer
	client.Stderr = &warnings
	output, err := client.Output()
	if err != nil {
		t.Errorf("second terminal: %v\n%s%s", err, output, warnings.String())
	}
	if t.Failed() {
		t.Fatalf("output of the server:\n%s", serverOutput.String())
	}
	checkSavedAndFound(t, output)
}

// serve runs commands that start a server until the end of the test, and waits until it is ready. It returns what the
// server prints.
func serve(t *testing.T, environment []string, address, commands string) *lockedBuffer {
	t.Helper()
	server := shell(t.Context(), environment, commands)
	output := new(lockedBuffer)
	server.Stdout, server.Stderr = output, output
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	check(t, server.Start())
	ended := make(chan error, 1)
	go func() {
		ended <- server.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL) // the shell, go and the server
		<-ended
	})
	if err := ready(t.Context(), address, output, ended); err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, output.String())
	}
	return output
}

// lockedBuffer is a buffer that can be read while a program writes to it.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write implements io.Writer.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

// String returns what has been written.
func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// setupURL matches the URL that the server prints.
var setupURL = regexp.MustCompile(`http://localhost:\d+/setup/[A-Za-z0-9_-]+`)

// saveInBrowser opens the printed URL, creates the account of Ada and saves a link, as a
// browser without scripts does.
func saveInBrowser(t *testing.T, serverOutput string) {
	t.Helper()
	setup := setupURL.FindString(serverOutput)
	if setup == "" {
		t.Fatalf("the server prints no setup URL:\n%s", serverOutput)
	}
	jar, err := cookiejar.New(nil)
	check(t, err)
	browser := &http.Client{Jar: jar}
	home := setup[:strings.Index(setup, "/setup/")]
	for _, step := range []struct {
		url  string
		form url.Values
		want string // on the page that follows
	}{
		{setup, url.Values{"name": {"ada"}, "password": {"four unrelated words"}}, "Your links will be here"},
		{home + "/links", url.Values{"url": {"https://example.org/first"}, "quick": {"1"}}, "example.org"},
	} {
		response, err := browser.PostForm(step.url, step.form)
		check(t, err)
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), step.want) {
			t.Fatalf("%s: got %d without %q, %v:\n%s", step.url, response.StatusCode, step.want, err, body)
		}
	}
}

// checkSavedAndFound checks the output of the two curl commands.
func checkSavedAndFound(t *testing.T, output []byte) {
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
	decoder := json.NewDecoder(bytes.NewReader(output))
	if err := errors.Join(decoder.Decode(&saved), decoder.Decode(&found)); err != nil {
		t.Fatalf("%v in\n%s", err, output)
	}
	if saved.ID == 0 || saved.URL != "https://go.dev/" || len(saved.Tags) != 2 {
		t.Errorf("saved: got %+v, want https://go.dev/ with two tags", saved)
	}
	if found.Total != 1 || len(found.Data) != 1 || found.Data[0].ID != saved.ID {
		t.Errorf("found: got %+v, want only link %d", found, saved.ID)
	}
}

// freeAddress returns an address on the loopback interface that is not in use.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// newEnvironment returns the environment of a user who has Go but has never run
// Waymark. It keeps Go's caches, so that not everything is compiled again.
func newEnvironment(t *testing.T, address string) []string {
	t.Helper()
	home := t.TempDir()
	settings := fmt.Sprintf("connect-to = \"localhost:8080:%s\"\nnoproxy = \"*\"\nsilent\nshow-error\nfail-with-body\n", address)
	check(t, os.WriteFile(filepath.Join(home, ".curlrc"), []byte(settings), 0o600))
	environment := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + home,
		"WAYMARK_LISTEN=" + address,
		"WAYMARK_DATA=" + filepath.Join(home, "data"),
		"WAYMARK_METADATA=off", "WAYMARK_PICTURES=off",
		"WAYMARK_CHECK=off",
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"} {
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		check(t, err)
		environment = append(environment, name+"="+strings.TrimSpace(string(value)))
	}
	return environment
}

func shell(ctx context.Context, environment []string, commands string) *exec.Cmd {
	command := exec.CommandContext(ctx, "bash", "-c", commands)
	command.Env = environment
	return command
}

// ready waits until the server responds and has printed the setup URL, which it does a moment later.
// It returns an error if the server ends.
func ready(ctx context.Context, address string, output *lockedBuffer, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute) // compiling SQLite takes minutes
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK && setupURL.MatchString(output.String()) {
				return nil
			}
		}
		select {
		case err := <-ended:
			return fmt.Errorf("the server ended: %w", err)
		case <-ctx.Done():
			return errors.New("the server did not become ready")
		case <-time.After(100 * time.Millisecond):
		}
	}
}
