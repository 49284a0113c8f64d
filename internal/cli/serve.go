package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"waymark/internal/config"
	"waymark/internal/server"
)

type serveCommand struct {
	config.Serve `embed:""`
}

func (*serveCommand) Help() string {
	return `On Ctrl-C or SIGTERM the server finishes running requests; a second Ctrl-C stops it at once.
On SIGHUP it reads the files of --tls-cert and --tls-key again.

    waymark serve
    waymark serve --listen :8080 --data /var/lib/waymark
    waymark serve --domain links.example.org --data /var/lib/waymark
    waymark serve --base-url https://links.example.org --trusted-proxies 127.0.0.1

Sizes are written as 512KiB or 32MiB, durations as 30s or 2m, rates as 10/s or 60/min. Each setting has an environment
variable too, such as WAYMARK_LISTEN for --listen.`
}

func (c *serveCommand) Run(t *terminal) error {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	context.AfterFunc(ctx, stop) // restores the default: a second signal ends the program
	log := newLog(t.err, c.Log)
	slog.SetDefault(log) // libraries that log by themselves use the same format
	err := server.Run(ctx, versionString(), c.Serve, log, func(r server.Ready) {
		log.Info("serving", "url", r.URL, "database", describeStore(c.Store), "version", versionString())
		switch {
		case isTerminal(t.out):
			printBanner(t.out, c.Store, r)
		case r.Setup != "":
			log.Info("no user yet: open this URL to create the first one", "url", r.Setup)
		}
	})
	if err == nil {
		log.Info("server stopped")
	}
	return err
}

// newLog returns a logger that writes durations in milliseconds and adds _ms to the name of
// the attribute, because JSON would show them as numbers without a unit.
func newLog(w io.Writer, settings config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: settings.Level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() != slog.KindDuration {
			return a
		}
		return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/1000)
	}}
	if settings.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// logsJSON reports whether args, which can be invalid, start a server whose log is JSON.
func logsJSON(args []string) bool {
	if len(args) == 0 || args[0] != "serve" {
		return false
	}
	format := os.Getenv("WAYMARK_LOG_FORMAT")
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--log-format="); ok {
			format = value
		} else if arg == "--log-format" && i+1 < len(args) {
			format = args[i+1]
		}
	}
	return format == "json"
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
	if r.Setup != "" {
		fmt.Fprintf(w, "\nNo user yet. Open this URL in a browser to create your account. It works once:\n  %s\n", r.Setup)
		fmt.Fprintf(w, "\nOr create a user and an API key in another terminal:\n  %s\n", commandLine("user add", settings, "NAME"))
	} else {
		fmt.Fprintf(w, "\nTo create an API key for a client:\n")
	}
	fmt.Fprintf(w, "  %s\n\n", keyCommand(settings, "NAME"))
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
