package config_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
)

func TestDefaults(t *testing.T) {
	got := config.Default()
	if got.Listen != "127.0.0.1:8080" {
		t.Errorf("listen: got %q, want only this machine to reach it", got.Listen)
	}
	if !strings.HasSuffix(got.Store.Data, "/data") || got.Store.Database != "" {
		t.Errorf("store: got %+v, want SQLite in the folder data", got.Store)
	}
	if got.API.BodyLimit != 1<<20 || got.API.BulkBodyLimit != 32<<20 {
		t.Errorf("body limits: got %d and %d, want 1 MiB and 32 MiB", got.API.BodyLimit, got.API.BulkBodyLimit)
	}
	if got.API.RateLimit != (config.Rate{}) {
		t.Errorf("rate limit: got %v, want none", got.API.RateLimit)
	}
}

// parse reads settings as the binary does.
func parse(t *testing.T, args ...string) (config.Serve, error) {
	t.Helper()
	var settings config.Serve
	parser, err := kong.New(&settings)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return settings, err
}

func TestFlagWinsOverEnvironmentOverDefault(t *testing.T) {
	t.Setenv("WAYMARK_LISTEN", ":1")
	t.Setenv("WAYMARK_READ_TIMEOUT", "2s")
	got, err := parse(t, "--listen", ":2")
	if err != nil {
		t.Fatal(err)
	}
	if got.Listen != ":2" {
		t.Errorf("listen: got %q, want what the flag says", got.Listen)
	}
	if got.HTTP.ReadTimeout != 2*time.Second {
		t.Errorf("read timeout: got %s, want what the environment says", got.HTTP.ReadTimeout)
	}
	if got.HTTP.IdleTimeout != 2*time.Minute {
		t.Errorf("idle timeout: got %s, want the default", got.HTTP.IdleTimeout)
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	for _, test := range []struct{ name, flag, want string }{
		{"no time at all", "--read-timeout=0s", "above zero"},
		{"negative time", "--stream-timeout=-1s", "above zero"},
		{"no folder", "--data=", "name a folder"},
		{"too few connections", "--database-connections=2", "at least 3"},
		{"no address", "--listen=", "127.0.0.1:8080"},
		{"no depth", "--json-depth=0", "at least 1"},
		{"nothing at once", "--bulk-limit=0", "at least 1"},
		{"no filing", "--filing-limit=-1", "at least 1"},
		{"unknown log format", "--log-format=xml", "log-format"},
		{"unknown log level", "--log-level=loud", "log-level"},
		{"size without a number", "--body-limit=MiB", "512KiB"},
		{"base URL without a scheme", "--base-url=links.example.org", "https://links.example.org"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse(t, test.flag)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one that says %q", err, test.want)
			}
		})
	}
}

// unit is what the types of settings have in common.
type unit[T any] interface {
	*T
	UnmarshalText(text []byte) error
}

type reading[T any] struct {
	text string
	want T
	bad  bool
}

func check[T comparable, U unit[T]](t *testing.T, readings []reading[T]) {
	t.Helper()
	for _, r := range readings {
		var got T
		err := U(&got).UnmarshalText([]byte(r.text))
		if r.bad != (err != nil) {
			t.Errorf("%q: got error %v, want error: %t", r.text, err, r.bad)
		} else if got != r.want {
			t.Errorf("%q: got %v, want %v", r.text, got, r.want)
		}
	}
}

func TestSize(t *testing.T) {
	check[config.Size](t, []reading[config.Size]{
		{text: "1", want: 1},
		{text: "1048576", want: 1 << 20},
		{text: "1MiB", want: 1 << 20},
		{text: "1 mib", want: 1 << 20},
		{text: "2GB", want: 2e9},
		{text: "512b", want: 512},
		{text: "", bad: true},
		{text: "0", bad: true},
		{text: "-1", bad: true},
		{text: "1.5MiB", bad: true},
		{text: "1 furlong", bad: true},
		{text: "9223372036854775807KiB", bad: true},
		{text: "99999999999999999999", bad: true},
	})
}

func TestRate(t *testing.T) {
	check[config.Rate](t, []reading[config.Rate]{
		{text: ""},
		{text: "60/min", want: config.Rate{Count: 60, Per: time.Minute}},
		{text: "10/s", want: config.Rate{Count: 10, Per: time.Second}},
		{text: "1000 / hour", want: config.Rate{Count: 1000, Per: time.Hour}},
		{text: "5/day", want: config.Rate{Count: 5, Per: 24 * time.Hour}},
		{text: "60", bad: true},
		{text: "0/min", bad: true},
		{text: "-1/min", bad: true},
		{text: "1/fortnight", bad: true},
		{text: "1/min/s", bad: true},
	})
}

func TestSpan(t *testing.T) {
	check[config.Duration](t, []reading[config.Duration]{
		{text: ""},
		{text: "90d", want: config.Duration(90 * 24 * time.Hour)},
		{text: "2w", want: config.Duration(14 * 24 * time.Hour)},
		{text: "12h", want: config.Duration(12 * time.Hour)},
		{text: "1h30m", want: config.Duration(90 * time.Minute)},
		{text: "0d", bad: true},
		{text: "-1h", bad: true},
		{text: "90", bad: true},
		{text: "d", bad: true},
		{text: "1000000d", bad: true},
		{text: "tomorrow", bad: true},
	})
}

func TestBaseURL(t *testing.T) {
	for _, test := range []struct{ text, want, path string }{
		{"", "", ""},
		{"https://links.example.org", "https://links.example.org", ""},
		{"https://Links.Example.org/", "https://links.example.org", ""},
		{"HTTP://localhost:8080/way/mark//", "http://localhost:8080/way/mark", "/way/mark"},
		{"https://example.org/a%20b", "https://example.org/a%20b", "/a b"},
		{"http://[::1]:8080", "http://[::1]:8080", ""},
	} {
		var got config.BaseURL
		if err := got.UnmarshalText([]byte(test.text)); err != nil || got.String() != test.want || got.Path() != test.path {
			t.Errorf("%q: got %q with path %q, %v, want %q with path %q", test.text, got, got.Path(), err, test.want, test.path)
		}
	}
	for _, text := range []string{
		"links.example.org",
		"ftp://links.example.org",
		"https://",
		"https://:8080",
		"https://me:secret@links.example.org",
		"https://links.example.org?",
		"https://links.example.org/?a=b",
		"https://links.example.org/#",
		"https://links example.org",
	} {
		if err := new(config.BaseURL).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

func TestProxies(t *testing.T) {
	var proxies config.TrustedProxies
	if err := proxies.UnmarshalText([]byte("127.0.0.1, 10.1.2.3/8,::1,")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		address string
		want    bool
	}{
		{"127.0.0.1", true},
		{"127.0.0.2", false},
		{"::ffff:127.0.0.1", true},
		{"10.255.0.1", true},
		{"11.0.0.1", false},
		{"::1", true},
		{"fe80::1%eth0", false},
	} {
		if got := proxies.Contains(netip.MustParseAddr(test.address)); got != test.want {
			t.Errorf("trust %s: got %t, want %t", test.address, got, test.want)
		}
	}
	for _, text := range []string{"localhost", "10.0.0.0/33", "10.0.0.0/"} {
		if err := proxies.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
	if config.TrustedProxies(nil).Contains(netip.MustParseAddr("127.0.0.1")) {
		t.Error("without proxies somebody is trusted")
	}
}
