package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/config"
)

func TestFileSetsVariablesThatAreNotSet(t *testing.T) {
	for _, name := range []string{"WAYMARK_DATA", "WAYMARK_DATABASE", "WAYMARK_BASE_URL", "WAYMARK_LOG_LEVEL"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("WAYMARK_LISTEN", ":1")
	t.Setenv("WAYMARK_GUEST_PAGES", "") // set, and empty
	file := filepath.Join(t.TempDir(), "waymark.env")
	content := "\ufeff# the service\r\n\nWAYMARK_DATA=/var/lib/way mark\r\n  WAYMARK_DATABASE = \"postgres://a:b=c#d@e/f\" \nWAYMARK_BASE_URL='https://a.example'\nWAYMARK_LISTEN=:2\nWAYMARK_GUEST_PAGES=true\nWAYMARK_LOG_LEVEL=debug\nWAYMARK_LOG_LEVEL=warn"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"WAYMARK_DATA": "/var/lib/way mark", "WAYMARK_DATABASE": "postgres://a:b=c#d@e/f", "WAYMARK_BASE_URL": "https://a.example",
		"WAYMARK_LISTEN": ":1", "WAYMARK_GUEST_PAGES": "", "WAYMARK_LOG_LEVEL": "warn", // the last of two
	} {
		if got := os.Getenv(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if err := config.ReadFile(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("a file that does not exist: got %v, want no error", err)
	}
}

func TestFileWithAnotherLineIsRejected(t *testing.T) {
	for _, line := range []string{"secret", "=secret", "export WAYMARK_X=secret", "[secret]"} {
		file := filepath.Join(t.TempDir(), "waymark.env")
		if err := os.WriteFile(file, []byte("# one\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := config.ReadFile(file)
		if err == nil || !strings.Contains(err.Error(), file+", line 2: write NAME=VALUE") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want an error with the line and without its text", line, err)
		}
	}
}

func TestUnknownVariableNamesTheMostSimilarSetting(t *testing.T) {
	settings := []string{"WAYMARK_LISTEN", "WAYMARK_DATA", "WAYMARK_DATABASE", "WAYMARK_BASE_URL", "WAYMARK_FETCH_PROXY"}
	for name, want := range map[string]string{
		"WAYMARK_LISTN":         "WAYMARK_LISTEN",
		"WAYMARK_DATA_DIR":      "WAYMARK_DATA",
		"WAYMARK_DATABASE_URL":  "WAYMARK_DATABASE",
		"WAYMARK_BASEURL":       "WAYMARK_BASE_URL",
		"WAYMARK_FETCH_PROXYS":  "WAYMARK_FETCH_PROXY",
		"WAYMARK_":              "WAYMARK_DATA",
		"WAYMARK_LISTEN":        "",
		"WAYMARK_SERVICE_HOST":  "",
		"WAYMARK_PORT_8080_TCP": "",
		"OTHER_LISTN":           "",
	} {
		err := config.CheckVariables([]string{"PATH=/bin", name + "=secret"}, settings)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: got %v, want no error", name, err)
		case want == "":
		case err == nil || !strings.HasSuffix(err.Error(), "variable "+name+": the most similar setting is "+want):
			t.Errorf("%s: got %v, want an error that ends with %s", name, err, want)
		}
	}
}
