package cli_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"waymark/internal/store"
)

// The client of the SDK talks to the command as to any server that it starts, in both generations of the protocol.
func TestAssistantStartsTheCommand(t *testing.T) {
	dir := t.TempDir()
	createStore(t, store.Options{Dir: dir})
	address, err := freeAddress()
	check(t, err)
	command := func(args ...string) *exec.Cmd {
		c := exec.Command("waymark", args...)
		c.Env = append(os.Environ(), "WAYMARK_DATA="+dir, "WAYMARK_LISTEN="+address, "WAYMARK_METADATA=off", "WAYMARK_PICTURES=off", "WAYMARK_CHECK=off")
		return c
	}
	check(t, command("user", "add", "ann", "--no-password").Run())
	key, err := command("key", "add", "--user", "ann", "assistant").Output()
	check(t, err)
	server := command("serve")
	check(t, server.Start())
	t.Cleanup(func() {
		server.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it has ended if that fails
		server.Wait()                          //nolint:errcheck // likewise
	})
	for end := time.Now().Add(time.Minute); command("healthcheck").Run() != nil; {
		if time.Now().After(end) {
			t.Fatal("the server did not start")
		}
	}
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		assistant := command("mcp", "--url", "http://"+address)
		assistant.Env = append(assistant.Env, "WAYMARK_KEY="+strings.TrimSpace(string(key)))
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: assistant}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		check(t, err)
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 10 {
			t.Errorf("%s: got the tools %v, error %v", version, tools, err)
		}
		saved, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "save", Arguments: map[string]any{"url": "https://" + version + ".example/"}})
		if err != nil || saved.IsError {
			t.Errorf("%s: got %v, error %v", version, saved, err)
		}
		check(t, session.Close())
	}
}
