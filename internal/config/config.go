// Package config names every setting of Waymark: its flag, its environment
// variable, its default and its meaning, side by side in the tags that
// github.com/alecthomas/kong reads. Settings are read once, at the start, and
// travel as values to the rooms that need them; this room acts on none of them.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/alecthomas/kong"
)

// Store says where everything is kept.
type Store struct {
	Data     string `help:"Folder that holds the SQLite database and all else. Made if it is missing." type:"path" default:"data" env:"WAYMARK_DATA" group:"Storage"`
	Database string `help:"A postgres:// URL. Empty: SQLite in the data folder." env:"WAYMARK_DATABASE" placeholder:"URL" group:"Storage"`

	DatabaseConnections int `help:"How many connections to PostgreSQL each server opens at most." default:"20" env:"WAYMARK_DATABASE_CONNECTIONS" placeholder:"N" group:"Storage"`
}

// minConnections leave one for changes while a page and a long answer are read.
const minConnections = 3

// Serve holds every setting of the server.
type Serve struct {
	Listen        string `help:"Address and port to listen on. Leave the address away (:8080) to be reachable from other machines." default:"127.0.0.1:8080" env:"WAYMARK_LISTEN" group:"Addresses"`
	MetricsListen string `help:"Address and port of a listener of its own with /metrics for Prometheus, such as 127.0.0.1:9090. Empty: none." env:"WAYMARK_METRICS_LISTEN" placeholder:"ADDRESS" group:"Addresses"`
	Store         Store  `embed:""`
	API           API    `embed:""`
	HTTP          HTTP   `embed:""`
	Log           Log    `embed:""`
}

// API holds the settings of the REST door.
type API struct {
	BaseURL        BaseURL        `name:"base-url" help:"Where people reach this server, such as https://links.example.org, with a path if there is one. Empty: what each request says." env:"WAYMARK_BASE_URL" placeholder:"URL" group:"Addresses"`
	TrustedProxies TrustedProxies `help:"Proxies whose X-Forwarded-Proto and X-Forwarded-Host count: addresses and networks with commas between them." env:"WAYMARK_TRUSTED_PROXIES" placeholder:"NETWORKS" group:"Addresses"`

	RateLimit     Rate          `name:"api-rate-limit" help:"How many requests each user may send, such as 60/min. Each server counts those that it gets. Empty: as many as they like." env:"WAYMARK_API_RATE_LIMIT" placeholder:"N/TIME" group:"Limits"`
	BodyLimit     Size          `help:"Largest body of a request." default:"1MiB" env:"WAYMARK_BODY_LIMIT" group:"Limits"`
	BulkBodyLimit Size          `help:"Largest body of a request that creates many entries." default:"32MiB" env:"WAYMARK_BULK_BODY_LIMIT" group:"Limits"`
	BulkLimit     int           `help:"How many entries one request may create." default:"100000" env:"WAYMARK_BULK_LIMIT" group:"Limits"`
	FilingLimit   int           `help:"In how many lists, and with how many tags, a request may file a link." default:"10000" env:"WAYMARK_FILING_LIMIT" group:"Limits"`
	JSONDepth     int           `name:"json-depth" help:"How deep the JSON of a request may be nested." default:"64" env:"WAYMARK_JSON_DEPTH" group:"Limits"`
	StreamTimeout time.Duration `help:"How long a client may take to accept the next 64 KiB of a long answer." default:"30s" env:"WAYMARK_STREAM_TIMEOUT" group:"Limits"`
}

// HTTP holds the limits that keep slow and greedy peers from the rest.
type HTTP struct {
	URLLimit          Size          `name:"url-limit" help:"Longest URL of a request." default:"32KiB" env:"WAYMARK_URL_LIMIT" group:"Limits"`
	HeaderLimit       Size          `help:"Largest head of a request, its URL included." default:"64KiB" env:"WAYMARK_HEADER_LIMIT" group:"Limits"`
	ReadHeaderTimeout time.Duration `help:"How long a client may take to send the head of a request." default:"10s" env:"WAYMARK_READ_HEADER_TIMEOUT" group:"Limits"`
	ReadTimeout       time.Duration `help:"How long a client may take to send a whole request." default:"1m" env:"WAYMARK_READ_TIMEOUT" group:"Limits"`
	WriteTimeout      time.Duration `help:"How long an answer may take, from the end of the request's head to its last byte. Long answers have --stream-timeout instead." default:"90s" env:"WAYMARK_WRITE_TIMEOUT" group:"Limits"`
	IdleTimeout       time.Duration `help:"How long a connection may wait for its next request." default:"2m" env:"WAYMARK_IDLE_TIMEOUT" group:"Limits"`
	RequestTimeout    time.Duration `help:"How long the work for one request may take." default:"30s" env:"WAYMARK_REQUEST_TIMEOUT" group:"Limits"`
	ShutdownTimeout   time.Duration `help:"How long running requests may go on after the signal to stop." default:"20s" env:"WAYMARK_SHUTDOWN_TIMEOUT" group:"Limits"`
}

// Log says what the server tells about its work, and how.
type Log struct {
	Level  slog.Level `name:"log-level" help:"The least that is logged: debug, info, warn or error." default:"info" env:"WAYMARK_LOG_LEVEL" group:"Log"`
	Format string     `name:"log-format" help:"text or json." enum:"text,json" default:"text" env:"WAYMARK_LOG_FORMAT" group:"Log"`
}

// Default returns the settings that hold where nothing else is said, the
// environment aside.
func Default() Serve {
	var settings Serve
	if err := kong.ApplyDefaults(&settings); err != nil {
		panic(err) // a default above is wrong, or a variable of the environment
	}
	return settings
}

// Validate returns an error where a setting makes no sense.
func (s Store) Validate() error {
	if s.Data == "" && s.Database == "" {
		return errors.New("--data is empty: name a folder")
	}
	if s.DatabaseConnections < minConnections {
		return fmt.Errorf("--database-connections is %d: at least %d are needed", s.DatabaseConnections, minConnections)
	}
	return nil
}

// Validate returns an error where a setting makes no sense. An empty address
// would listen on any port, for everybody.
func (s Serve) Validate() error {
	if s.Listen == "" {
		return errors.New("--listen is empty: name an address, such as 127.0.0.1:8080")
	}
	return nil
}

// Validate returns an error where a setting makes no sense.
func (a API) Validate() error {
	return errors.Join(
		atLeastOne("--bulk-limit", a.BulkLimit),
		atLeastOne("--filing-limit", a.FilingLimit),
		atLeastOne("--json-depth", a.JSONDepth),
		positive("--stream-timeout", a.StreamTimeout),
	)
}

// Validate returns an error where a setting makes no sense.
func (h HTTP) Validate() error {
	return errors.Join(
		positive("--read-header-timeout", h.ReadHeaderTimeout),
		positive("--read-timeout", h.ReadTimeout),
		positive("--write-timeout", h.WriteTimeout),
		positive("--idle-timeout", h.IdleTimeout),
		positive("--request-timeout", h.RequestTimeout),
		positive("--shutdown-timeout", h.ShutdownTimeout),
	)
}

func atLeastOne(flag string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s is %d: at least 1 is needed", flag, n)
	}
	return nil
}

func positive(flag string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("%s is %s: a time above zero is needed", flag, d)
	}
	return nil
}
