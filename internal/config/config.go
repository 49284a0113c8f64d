// Package config defines every setting of Waymark: its flag, environment variable,
// default and help text, side by side in the struct tags that
// github.com/alecthomas/kong reads. Settings are read once at the start and passed on
// as values.
package config

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Store holds the settings of the database.
type Store struct {
	Data     string `help:"Directory of the SQLite database." type:"path" default:"data" env:"WAYMARK_DATA" group:"Basics"`
	Database string `help:"PostgreSQL database postgres://user@host/name." env:"WAYMARK_DATABASE" placeholder:"URL" group:"Basics"`

	DatabaseConnections int `help:"Maximum number of connections to PostgreSQL." default:"20" env:"WAYMARK_DATABASE_CONNECTIONS" placeholder:"N" group:"Storage"`
}

// minConnections is enough for one write, one page read, one streaming read and one health
// check at the same time.
const minConnections = 4

// Serve holds every setting of the server.
type Serve struct {
	Listen string `help:"Address and port; :8080 for all interfaces." default:"127.0.0.1:8080" env:"WAYMARK_LISTEN" group:"Basics"`
	Store  Store  `embed:""`
	TLS    TLS    `embed:""`
	API    API    `embed:""`
	Backup Backup `embed:""`

	MetricsListen string `help:"Address and port for /metrics. Default: none." env:"WAYMARK_METRICS_LISTEN" placeholder:"ADDRESS" group:"Requests"`
	Fetch         Fetch  `embed:""`

	HTTP HTTP `embed:""`
	Log  Log  `embed:""`
}

// Backup holds the settings of the backups that a server makes.
type Backup struct {
	Dir   string   `name:"backup-dir" help:"Directory for automatic backups. Default: none." type:"path" env:"WAYMARK_BACKUP_DIR" placeholder:"DIR" group:"Storage"`
	Every Duration `name:"backup-every" help:"Time between two backups." default:"24h" env:"WAYMARK_BACKUP_EVERY" group:"Storage"`
	Keep  int      `name:"backup-keep" help:"Number of automatic backups to keep." default:"7" env:"WAYMARK_BACKUP_KEEP" group:"Storage"`
}

// API holds the settings of the REST API and of the pages.
type API struct {
	BaseURL        BaseURL        `name:"base-url" help:"Public URL, such as https://links.example.org. Default: derived from each request." env:"WAYMARK_BASE_URL" placeholder:"URL" group:"Basics"`
	TrustedProxies TrustedProxies `help:"IP addresses and networks of proxies whose X-Forwarded headers are used." env:"WAYMARK_TRUSTED_PROXIES" placeholder:"NETWORKS" group:"HTTPS and proxies"`

	SignIn SignIn `embed:""`

	GuestPages      bool     `help:"Show public links, lists and tags to everyone, under /guest." env:"WAYMARK_GUEST_PAGES" group:"Pages"`
	GuestIndexing   bool     `help:"Allow search engines to list the pages of guests." env:"WAYMARK_GUEST_INDEXING" group:"Pages"`
	SessionIdle     Duration `help:"Time without use until a browser is signed out." default:"30d" env:"WAYMARK_SESSION_IDLE" group:"Pages"`
	SessionLifetime Duration `help:"Time until a browser is signed out in any case." default:"365d" env:"WAYMARK_SESSION_LIFETIME" group:"Pages"`
	RateLimit       Rate     `name:"api-rate-limit" help:"API requests per user. Default: unlimited." env:"WAYMARK_API_RATE_LIMIT" placeholder:"N/TIME" group:"Requests"`
	GuestRateLimit  Rate     `name:"guest-rate-limit" help:"Requests per IP address without a valid key or session; 0 for no limit." default:"1200/min" env:"WAYMARK_GUEST_RATE_LIMIT" group:"Requests"`
	MaxImport       Size     `name:"max-import" help:"Maximum size of an uploaded file to import." default:"256MiB" env:"WAYMARK_MAX_IMPORT" group:"Requests"`
}

// HTTP holds the limits that protect the server from slow clients and large requests.
type HTTP struct {
	Compression    bool          `help:"Compress responses with gzip." default:"on" negatable:"" env:"WAYMARK_COMPRESSION" group:"Requests"`
	RequestTimeout time.Duration `help:"Maximum time to process a request." default:"30s" env:"WAYMARK_REQUEST_TIMEOUT" group:"Requests"`
}

// Log holds the settings of the log.
type Log struct {
	Level  Level  `name:"log-level" help:"Minimum level: debug, info, warn or error." default:"info" env:"WAYMARK_LOG_LEVEL" group:"Log"`
	Format string `name:"log-format" help:"Log format: text or json." enum:"text,json" default:"text" env:"WAYMARK_LOG_FORMAT" group:"Log"`
}

// Default returns the default settings, overridden by the environment. It panics if an environment
// variable has an invalid value, so only tests and benchmarks call it.
func Default() Serve {
	var settings Serve
	if err := kong.ApplyDefaults(&settings, Options()...); err != nil {
		panic(err) // a default above or an environment variable is invalid
	}
	return settings
}

// Validate returns an error for values that cannot work.
func (s Store) Validate() error {
	if s.Data == "" && s.Database == "" {
		return errors.New("--data is empty: use the path of a directory")
	}
	if strings.Contains(s.Data, ":/") {
		return errors.New("invalid --data: use the path of a directory; --database takes the URL of a database") // it may contain a password
	}
	if s.Database != "" && !validPostgresURL(s.Database) {
		return errors.New("invalid --database: use a URL such as postgres://user@host/name") // it may contain a password
	}
	if s.DatabaseConnections < minConnections {
		return fmt.Errorf("invalid --database-connections %d: use %d or more", s.DatabaseConnections, minConnections)
	}
	return nil
}

// Validate returns an error for values that cannot work.
func (s Serve) Validate() error {
	// An empty address would listen on a random port of all interfaces.
	if s.Listen == "" {
		return errors.New("--listen is empty: use for example 127.0.0.1:8080")
	}
	api := s.WithDomain().API
	return errors.Join(hostPort("--listen", s.Listen), hostPort("--metrics-listen", s.MetricsListen), s.validateBaseURL(), s.validateBackupDir(),
		api.SignIn.validate(api.BaseURL, api.TrustedProxies))
}

// validateBackupDir returns an error if backups would lie among the files of the database, whose disk can fail.
func (s Serve) validateBackupDir() error {
	data, dataErr := os.Stat(s.Store.Data)
	dir, dirErr := os.Stat(s.Backup.Dir)
	same := dataErr == nil && dirErr == nil && os.SameFile(data, dir)
	if s.Backup.Dir != "" && (same || filepath.Clean(s.Backup.Dir) == filepath.Clean(s.Store.Data)) {
		return fmt.Errorf("invalid --backup-dir %s: it is the directory of --data; use another one, best on another disk", s.Backup.Dir)
	}
	return nil
}

// hostPort returns an error unless address is empty or HOST:PORT.
func hostPort(flag, address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("invalid %s %q: use HOST:PORT or :PORT", flag, address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("invalid %s %q: use a port from 0 to 65535", flag, address)
	}
	return nil
}

// minBackupTime is the shortest time between two backups: the server looks once a minute.
const minBackupTime = time.Minute

// Validate returns an error for values that cannot work.
func (b Backup) Validate() error {
	if strings.Contains(b.Dir, ":/") {
		return errors.New("invalid --backup-dir: use the path of a directory") // a URL may contain a password
	}
	if time.Duration(b.Every) < minBackupTime {
		return fmt.Errorf("invalid --backup-every %s: use 1m or more", time.Duration(b.Every))
	}
	return atLeastOne("--backup-keep", b.Keep)
}

// Validate returns an error for values that cannot work.
func (a API) Validate() error {
	return errors.Join(
		atLeast("--session-idle", time.Duration(a.SessionIdle), time.Minute),
		atLeast("--session-lifetime", time.Duration(a.SessionLifetime), time.Minute),
	)
}

// Validate returns an error for values that cannot work.
func (h HTTP) Validate() error {
	return atLeast("--request-timeout", h.RequestTimeout, time.Second)
}

func atLeastOne(flag string, n int) error {
	if n < 1 {
		return fmt.Errorf("invalid %s %d: use 1 or more", flag, n)
	}
	return nil
}

// atLeast returns an error for a time in which nothing could be done.
func atLeast(flag string, d, least time.Duration) error {
	if d < least {
		return fmt.Errorf("invalid %s %s: use %s or more", flag, d, least)
	}
	return nil
}
