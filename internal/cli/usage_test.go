package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
)

func TestErrorsNeverShowAValueOfTheEnvironment(t *testing.T) {
	parser, err := kong.New(&config.Serve{})
	check(t, err)
	for _, name := range variables(parser.Model.Node) {
		for _, value := range []string{`0,"hunter2"\`, "https://ann:hunter2@db/x?k=v"} {
			t.Setenv(name, value)
			args := []string{"serve"}
			if name != "WAYMARK_LISTEN" {
				args = append(args, "--listen", "nowhere") // fails in any case
			}
			var out bytes.Buffer
			code := Main(args, nil, &out, &out)
			if code != exitUsage || !strings.Contains(out.String(), ": ") || strings.Contains(out.String(), "hunter2") {
				t.Errorf("%s=%s: got exit code %d and %q, want %d and an error without the value", name, value, code, out.String(), exitUsage)
			}
		}
		os.Unsetenv(name) // Setenv restores it
	}
}

func TestMessagesShowNoPasswordOfAURL(t *testing.T) {
	for text, want := range map[string]string{
		`unexpected argument "postgres://ann:hun/ter@2@db/x"`: `unexpected argument "postgres://ann:…@db/x"`,
		"mysql:/ann:hunter2@db":                               "mysql:/ann:…@db",
		"postgres://db/x?a=b&password=hunter2&c=d":            "postgres://db/x?a=b&password=…&c=d",
		"http://127.0.0.1:8080/a and ann@example.org":         "http://127.0.0.1:8080/a and ann@example.org",
		"there is no file ann:b@c":                            "there is no file ann:b@c",
	} {
		if got := withoutPasswords(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
