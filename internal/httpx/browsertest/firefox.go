package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// Firefox is a tab in a running Firefox, which it drives with WebDriver BiDi. It reports
// errors on the console, exceptions, and violations of the Content-Security-Policy at the
// end of the test.
type Firefox struct {
	Home string // the URL of the server whose pages Go opens

	t       *testing.T
	context string // the id of the tab

	socket   *websocket.Conn
	mu       sync.Mutex
	lastID   int
	waiting  map[int]chan bidiMessage
	problems []string
}

// bidiMessage is a response or an event. https://w3c.github.io/webdriver-bidi/
type bidiMessage struct {
	ID      int             `json:"id"`
	Type    string          `json:"type"`
	Method  string          `json:"method"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
	Result  json.RawMessage `json:"result"`
	Params  json.RawMessage `json:"params"`
}

// StartFirefox starts Firefox with a new profile. It
// skips the test with -short and where Firefox is not installed, and fails it there with
// CI=true.
func StartFirefox(t *testing.T) *Firefox {
	t.Helper()
	begin(t, "InFirefox")
	firefox, err := exec.LookPath("firefox-esr")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("firefox-esr is not installed")
		}
		t.Skip("firefox-esr is not installed")
	}
	f := &Firefox{t: t, waiting: map[int]chan bidiMessage{}}
	profile := t.TempDir()
	preferences := `user_pref("app.update.enabled", false); user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false); user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", ""); user_pref("browser.safebrowsing.downloads.remote.enabled", false);`
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(preferences), 0o600); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	command := exec.CommandContext(t.Context(), firefox, "--headless", "--no-remote", "--profile", profile,
		"--remote-debugging-port", fmt.Sprint(port), "--remote-allow-origins", "http://127.0.0.1")
	command.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill() //nolint:errcheck // it may have ended
		command.Wait()         //nolint:errcheck // as above
	})
	f.connect(fmt.Sprintf("ws://127.0.0.1:%d/session", port))
	t.Cleanup(f.end)
	return f
}

// freePort returns a port that no program listens on.
func freePort(t *testing.T) int {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // it accepts nothing
	return listener.Addr().(*net.TCPAddr).Port
}

// connect waits until Firefox accepts a connection, and starts a session with one tab.
func (f *Firefox) connect(address string) {
	f.t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for {
		var err error
		if f.socket, err = websocket.Dial(address, "", "http://127.0.0.1"); err == nil {
			break
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("firefox accepts no connection: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.socket.MaxPayloadBytes = 64 << 20
	go f.receive()
	f.call("session.new", map[string]any{"capabilities": map[string]any{}})
	f.call("session.subscribe", map[string]any{"events": []string{"log.entryAdded"}})
	f.call("script.addPreloadScript", map[string]any{"functionDeclaration": `() => document.addEventListener("securitypolicyviolation", (e) => console.error("policy: " + e.violatedDirective + " " + e.blockedURI))`})
	var tree struct {
		Contexts []struct {
			Context string `json:"context"`
		} `json:"contexts"`
	}
	f.decode(f.call("browsingContext.getTree", map[string]any{}), &tree)
	f.context = tree.Contexts[0].Context
	f.call("browsingContext.activate", map[string]any{"context": f.context})
}

func (f *Firefox) end() {
	f.mu.Lock()
	problems := slices.Clone(f.problems)
	f.mu.Unlock()
	for _, problem := range problems {
		f.t.Error(problem)
	}
	f.socket.Close() //nolint:errcheck // the browser ends
}

// leftEarly is what Firefox says when a page is left before a service worker has answered for its icon.
var leftEarly = regexp.MustCompile(`favicon.*A ServiceWorker intercepted the request and encountered an unexpected error`)

// receive reads responses and events until the connection ends.
func (f *Firefox) receive() {
	for {
		var m bidiMessage
		if err := websocket.JSON.Receive(f.socket, &m); err != nil {
			return
		}
		f.mu.Lock()
		if m.Type == "event" {
			var entry struct{ Level, Text string }
			if json.Unmarshal(m.Params, &entry) == nil && (entry.Level == "error" || entry.Level == "warn") && !leftEarly.MatchString(entry.Text) {
				f.problems = append(f.problems, "firefox: "+entry.Text)
			}
		} else if waiting := f.waiting[m.ID]; waiting != nil {
			waiting <- m
			delete(f.waiting, m.ID)
		}
		f.mu.Unlock()
	}
}

// try sends a command and returns its result.
func (f *Firefox) try(method string, params map[string]any) (json.RawMessage, error) {
	f.mu.Lock()
	f.lastID++
	id, response := f.lastID, make(chan bidiMessage, 1)
	f.waiting[id] = response
	f.mu.Unlock()
	if err := websocket.JSON.Send(f.socket, map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(f.t.Context(), 3*limit)
	defer cancel()
	select {
	case m := <-response:
		if m.Type == "error" {
			return nil, fmt.Errorf("%s: %s: %s", method, m.Error, m.Message)
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: no response", method)
	}
}

func (f *Firefox) call(method string, params map[string]any) json.RawMessage {
	f.t.Helper()
	result, err := f.try(method, params)
	if err != nil {
		f.t.Fatal(err)
	}
	return result
}

func (f *Firefox) decode(result json.RawMessage, into any) {
	f.t.Helper()
	if err := json.Unmarshal(result, into); err != nil {
		f.t.Fatalf("%s: %v", result, err)
	}
}

// Go opens a page of the server by its path.
func (f *Firefox) Go(path string) {
	f.t.Helper()
	f.call("browsingContext.navigate", map[string]any{"context": f.context, "url": f.Home + path, "wait": "complete"})
}

// Resize sets the size of the page in CSS pixels.
func (f *Firefox) Resize(width, height int64) {
	f.t.Helper()
	f.call("browsingContext.setViewport", map[string]any{"context": f.context, "viewport": map[string]any{"width": width, "height": height}})
}

// The keys without a character, as WebDriver names them.
const (
	FirefoxTab    = "\uE004"
	FirefoxEnter  = "\uE007"
	FirefoxEscape = "\uE00C"
)

// Press presses and releases keys.
func (f *Firefox) Press(keys string) {
	f.t.Helper()
	var actions []map[string]any
	for _, r := range keys {
		actions = append(actions, map[string]any{"type": "keyDown", "value": string(r)}, map[string]any{"type": "keyUp", "value": string(r)})
	}
	f.call("input.performActions", map[string]any{"context": f.context, "actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": actions}}})
}

// Eval returns the value of a JavaScript expression that is a string.
func (f *Firefox) Eval(expression string) string {
	f.t.Helper()
	value, err := f.evaluate(expression)
	if err != nil {
		f.t.Fatal(err)
	}
	return value
}

func (f *Firefox) evaluate(expression string) (string, error) {
	result, err := f.try("script.evaluate", map[string]any{"expression": expression, "target": map[string]any{"context": f.context}, "awaitPromise": true})
	if err != nil {
		return "", err
	}
	var evaluated struct {
		Type   string `json:"type"`
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		ExceptionDetails struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(result, &evaluated); err != nil {
		return "", err
	}
	if evaluated.Type != "success" {
		return "", fmt.Errorf("%.200s: %s", expression, evaluated.ExceptionDetails.Text)
	}
	return fmt.Sprint(evaluated.Result.Value), nil
}

// Until waits until a JavaScript expression is true. It also waits for the next page.
func (f *Firefox) Until(expression string) {
	f.t.Helper()
	deadline := time.Now().Add(limit)
	for {
		value, err := f.evaluate("!!(" + expression + ")")
		if err == nil && value == "true" {
			return
		}
		if time.Now().After(deadline) {
			text, _ := f.evaluate("location.href + document.body.innerText.slice(0, 500)")
			f.t.Fatalf("not true: %s (%v)\non %s\n%s", expression, err, text, strings.Join(f.problems, "\n"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}
