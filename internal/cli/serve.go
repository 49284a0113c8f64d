package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"waymark/internal/config"
	"waymark/internal/server"
)

type serveCommand struct {
	config.Serve `embed:""`
}

// Help returns the help text below the summary.
func (*serveCommand) Help() string {
	return `On Ctrl-C or SIGTERM the server finishes running requests and closes the database. A second
Ctrl-C stops it immediately; acknowledged writes are never lost.

    waymark serve
    waymark serve --listen :8080 --data /var/lib/waymark
    waymark serve --base-url https://links.example.org --trusted-proxies 127.0.0.1
    WAYMARK_API_RATE_LIMIT=60/min waymark serve --log-format json

GET /healthz returns 200 if the server is ready, 503 if its database is not responding, damaged or
cannot be written.
Sizes are written as 512KiB or 32MiB, durations as 30s or 2m, rates as 10/s or 60/min.`
}

func (c *serveCommand) Run(t *terminal) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // restores the default: a second signal ends the program
	return server.Run(ctx, versionString(), c.Serve, newLog(t.err, c.Log), func(r server.Ready) {
		printBanner(t.out, c.Store, r)
	})
}

func newLog(w io.Writer, settings config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: settings.Level}
	if settings.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// printBanner prints the URLs of the server and what to do next.
func printBanner(w io.Writer, settings config.Store, r server.Ready) {
	fmt.Fprintf(w, `Waymark is ready.
  URL        %s
  API docs   %[1]s/api/docs
  Data       %s
`, r.URL, describeStore(settings))
	if r.Metrics != "" {
		fmt.Fprintf(w, "  Metrics    %s\n", r.Metrics)
	}
	command, flags := programName(), storeFlags(settings)
	if r.NoUsers {
		fmt.Fprintf(w, "\nNo users yet. In another terminal, create a user and an API key:\n"+
			"  %s user add NAME%s\n", command, flags)
	} else {
		fmt.Fprintf(w, "\nTo create an API key for a client:\n")
	}
	fmt.Fprintf(w, "  %s key add NAME CLIENT%s\n\n", command, flags)
}

// describeStore returns the location of the database, without its password.
func describeStore(settings config.Store) string {
	if settings.Database == "" {
		return settings.Data
	}
	u, err := url.Parse(settings.Database)
	if err != nil {
		return "PostgreSQL"
	}
	return "PostgreSQL database " + strings.TrimPrefix(u.Path, "/") + " on " + u.Host
}

// storeFlags returns the flags with which another command opens the same database.
func storeFlags(settings config.Store) string {
	if settings.Database != "" {
		return " --database URL"
	}
	if defaultDir, err := filepath.Abs(config.Default().Store.Data); err == nil && defaultDir == settings.Data {
		return ""
	}
	if strings.ContainsAny(settings.Data, " '\"\\$`&;()<>|*?[]#~!") {
		return " --data '" + strings.ReplaceAll(settings.Data, "'", `'\''`) + "'"
	}
	return " --data " + settings.Data
}
