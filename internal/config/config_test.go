package config_test

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
)

// maxSettings is how many settings a person can read through. A limit becomes a setting only where
// two operators would choose differently; all others are constants. HTTPS of its own has three, because two of
// them name files. At most ten are about signing in: a server that people of a company or a home share needs
// the provider, its groups and who gets an account.
const maxSettings = 51

// maxHelp lets waymark serve --help fit on two screens: a setting has at most two lines.
const maxHelp = 92

func TestSettingsAreFew(t *testing.T) {
	parser, err := kong.New(&config.Serve{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, flag := range parser.Model.Flags {
		if flag.Name == "help" {
			continue
		}
		n++
		if len(flag.Help) > maxHelp {
			t.Errorf("--%s: its help has %d characters, want at most %d", flag.Name, len(flag.Help), maxHelp)
		}
		if want := "WAYMARK_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_")); len(flag.Envs) != 1 || flag.Envs[0] != want {
			t.Errorf("--%s: got the environment variables %q, want %s", flag.Name, flag.Envs, want)
		}
	}
	if n > maxSettings {
		t.Errorf("got %d settings, want at most %d", n, maxSettings)
	}
}

// parse parses the flags of the server as the program does.
func parse(t *testing.T, args ...string) (config.Serve, error) {
	t.Helper()
	var settings config.Serve
	parser, err := kong.New(&settings, config.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return settings, err
}

func TestFlagsTakePrecedenceOverEnvironmentAndDefaults(t *testing.T) {
	t.Setenv("WAYMARK_LISTEN", ":1")
	t.Setenv("WAYMARK_FETCH_TIMEOUT", "2s")
	got, err := parse(t, "--listen", ":2")
	if err != nil {
		t.Fatal(err)
	}
	if got.Listen != ":2" {
		t.Errorf("listen: got %q, want the value of the flag", got.Listen)
	}
	if got.Fetch.Timeout != 2*time.Second {
		t.Errorf("fetch timeout: got %s, want the value of the environment", got.Fetch.Timeout)
	}
	if got.HTTP.RequestTimeout != 30*time.Second {
		t.Errorf("request timeout: got %s, want the default", got.HTTP.RequestTimeout)
	}
}

func TestInvalidSettingsAreRejected(t *testing.T) {
	for _, test := range []struct{ name, flag, want string }{
		{"zero duration", "--fetch-timeout=0s", "invalid --fetch-timeout 0s: use 1s or more"},
		{"negative duration", "--request-timeout=-1s", "invalid --request-timeout -1s: use"},
		{"no session time", "--session-idle=", "invalid --session-idle 0s: use"},
		{"no directory", "--data=", "use the path of a directory"},
		{"URL as directory", "--data=postgres://ann:secret@h/x", "invalid --data: use the path of a directory; --database takes the URL"},
		{"URL as directory of backups", "--backup-dir=https://ann:secret@h/x", "invalid --backup-dir: use the path of a directory"},
		{"unknown database", "--database=mysql://host/name", "invalid --database: use a URL such as postgres://"},
		{"too few connections", "--database-connections=3", "invalid --database-connections 3: use 4 or more"},
		{"no address", "--listen=", "127.0.0.1:8080"},
		{"address without a port", "--listen=localhost", `invalid --listen "localhost": use HOST:PORT or :PORT`},
		{"metrics address without a port", "--metrics-listen=9090", `invalid --metrics-listen "9090": use HOST:PORT or :PORT`},
		{"backups too often", "--backup-every=1s", "invalid --backup-every 1s: use 1m or more"},
		{"no backups kept", "--backup-keep=0", "invalid --backup-keep 0: use 1 or more"},
		{"unknown log format", "--log-format=xml", "log-format"},
		{"unknown log level", "--log-level=loud", "--log-level: invalid log level \"loud\": use debug, info, warn or error"},
		{"size without a number", "--max-import=MiB", "--max-import: invalid size \"MiB\": use for example 512KiB"},
		{"issuer over http", "--oidc-issuer=http://sso.example.org", "use an https URL without a query"},
		{"issuer with its document", "--oidc-issuer=https://sso.example.org/.well-known/openid-configuration", "remove /.well-known/openid-configuration"},
		{"client without an issuer", "--oidc-client-id=x", "need --oidc-issuer"},
		{"missing file of a secret", "--oidc-client-secret=file:/nowhere", "no such file"},
		{"group without a name", "--oidc-admin-group=roles=", `invalid group "roles=": use NAME`},
		{"header with a space", "--auth-header=Remote User", `invalid header "Remote User": use for example Remote-User`},
		{"nobody can sign in", "--password-sign-in=off", "would lock out everyone: it needs --oidc-issuer or --auth-header"},
		{"header from everyone", "--auth-header=Remote-User", "--auth-header needs --trusted-proxies"},
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

// unmarshaler is implemented by pointers to the types of settings.
type unmarshaler[T any] interface {
	*T
	UnmarshalText(text []byte) error
}

type parseTest[T any] struct {
	text string
	want T
	bad  bool // whether an error is wanted
}

func check[T comparable, U unmarshaler[T]](t *testing.T, tests []parseTest[T]) {
	t.Helper()
	for _, test := range tests {
		var got T
		err := U(&got).UnmarshalText([]byte(test.text))
		if test.bad != (err != nil) {
			t.Errorf("%q: got error %v, want error: %t", test.text, err, test.bad)
		} else if got != test.want {
			t.Errorf("%q: got %v, want %v", test.text, got, test.want)
		}
	}
}

func TestSize(t *testing.T) {
	check[config.Size](t, []parseTest[config.Size]{
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

func TestSizesAreWrittenAsTheyAreRead(t *testing.T) {
	for size, want := range map[config.Size]string{1: "1", 1000: "1000", 1 << 10: "1KiB", 1536: "1536", 3 << 20: "3MiB", 1 << 30: "1GiB", 1 << 42: "4096GiB"} {
		if got := size.String(); got != want {
			t.Errorf("%d bytes are written as %s, want %s", int64(size), got, want)
		}
	}
}

func TestRate(t *testing.T) {
	check[config.Rate](t, []parseTest[config.Rate]{
		{text: ""},
		{text: "0"},
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

func TestDuration(t *testing.T) {
	check[config.Duration](t, []parseTest[config.Duration]{
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
		{"HTTP://localhost:8080/sub/path//", "http://localhost:8080/sub/path", "/sub/path"},
		{"https://example.org/a%20b", "https://example.org/a%20b", "/a b"},
		{"http://[::1]:8080", "http://[::1]:8080", ""},
		{"http://NAS:80/a", "http://nas/a", "/a"},
		{"https://nas:443", "https://nas", ""},
		{"http://nas:443", "http://nas:443", ""},
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

func TestTrustedProxies(t *testing.T) {
	var proxies config.TrustedProxies
	if err := proxies.UnmarshalText([]byte("127.0.0.1, 10.1.2.3/8,::1,::ffff:192.0.2.1,")); err != nil {
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
		{"192.0.2.1", true},
		{"::1", true},
		{"fe80::1%eth0", false},
	} {
		if got := proxies.Contains(netip.MustParseAddr(test.address)); got != test.want {
			t.Errorf("%s: got %t, want %t", test.address, got, test.want)
		}
	}
	for _, text := range []string{"localhost", "10.0.0.0/33", "10.0.0.0/"} {
		if err := proxies.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
	if config.TrustedProxies(nil).Contains(netip.MustParseAddr("127.0.0.1")) {
		t.Error("the empty list trusts an address")
	}
}

func TestSettingsOfAProviderNeedEachOther(t *testing.T) {
	provider := []string{"--oidc-issuer=https://sso.example.org", "--oidc-client-id=waymark", "--base-url=https://links.example.org"}
	for _, test := range []struct {
		name string
		args []string
		want string // in the error, "" for none
	}{
		{"a provider", provider, ""},
		{"no client", []string{provider[0], provider[2]}, "--oidc-issuer needs --oidc-client-id"},
		{"no base URL", provider[:2], "--oidc-issuer needs --base-url"},
		{"no passwords", append(provider, "--password-sign-in=off"), ""},
		{"a proxy", []string{"--auth-header=Remote-User", "--trusted-proxies=127.0.0.1", "--password-sign-in=off"}, ""},
		{"everyone a proxy", []string{"--auth-header=Remote-User", "--trusted-proxies=10.0.0.1,::/0"}, "a network with all addresses"},
	} {
		if _, err := parse(t, test.args...); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one that says %q", test.name, err, test.want)
		}
	}
}

func TestSecretComesFromAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WAYMARK_OIDC_CLIENT_SECRET", "file:"+file)
	got, err := parse(t, "--oidc-issuer=http://localhost:9000", "--oidc-client-id=waymark", "--base-url=https://links.example.org", "--oidc-admin-group=realm_access.roles=admin", "--oidc-allow-group=staff")
	if err != nil {
		t.Fatal(err)
	}
	oidc := got.API.SignIn.OIDC
	if oidc.ClientSecret != "s3cret" || fmt.Sprint(oidc.ClientSecret) == "s3cret" {
		t.Errorf("got the secret %q, printed as %s, want that of the file, not printed", string(oidc.ClientSecret), oidc.ClientSecret)
	}
	if want := (config.Group{Claim: "realm_access.roles", Name: "admin"}); oidc.AdminGroup != want {
		t.Errorf("got %+v, want %+v", oidc.AdminGroup, want)
	}
	if want := (config.Group{Claim: "groups", Name: "staff"}); oidc.AllowGroup != want {
		t.Errorf("got %+v, want %+v", oidc.AllowGroup, want)
	}
	if got := oidc.Provider(); got != "localhost:9000" {
		t.Errorf("got the name %q, want the host", got)
	}
}
