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

// Help is what kong shows beneath the command's summary.
func (*serveCommand) Help() string {
	return `Serves until it is told to stop (Ctrl-C, or SIGTERM): then it finishes the requests that
run, and closes the store. A second Ctrl-C stops at once; nothing that was answered is lost.

    waymark serve
    waymark serve --listen :8080 --data /var/lib/waymark
    waymark serve --base-url https://links.example.org --trusted-proxies 127.0.0.1
    WAYMARK_API_RATE_LIMIT=60/min waymark serve --log-format json

GET /healthz answers 200 once the server is ready, and 503 when its store does not answer.
Sizes are written as 512KiB or 32MiB, times as 30s or 2m, rates as 10/s or 60/min.`
}

func (c *serveCommand) Run(t *terminal) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that the second signal ends the program
	return server.Run(ctx, versionString(), c.Serve, newLog(t.err, c.Log), func(r server.Ready) {
		welcome(t.out, c.Store, r)
	})
}

func newLog(w io.Writer, settings config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: settings.Level}
	if settings.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// welcome tells a person what they need next.
func welcome(w io.Writer, settings config.Store, r server.Ready) {
	fmt.Fprintf(w, `Waymark is ready.
  Address    %s
  API        %[1]s/api/docs
  Data       %s
`, r.URL, where(settings))
	if r.Metrics != "" {
		fmt.Fprintf(w, "  Metrics    %s\n", r.Metrics)
	}
	command := called()
	where := commandFlags(settings)
	if r.NoUsers {
		fmt.Fprintf(w, "\nNobody has an account yet. In another terminal, make the first user, and a key for each program:\n"+
			"  %s user add NAME --admin%s\n", command, where)
	} else {
		fmt.Fprintf(w, "\nTo make a key for a program:\n")
	}
	fmt.Fprintf(w, "  %s key add NAME PROGRAM%s\n\n", command, where)
}

// where says where everything is kept, without the password to it.
func where(settings config.Store) string {
	if settings.Database == "" {
		return settings.Data
	}
	u, err := url.Parse(settings.Database)
	if err != nil {
		return "a database"
	}
	return "the database " + strings.TrimPrefix(u.Path, "/") + " on " + u.Host
}

// commandFlags returns the flags by which another command finds the same store.
func commandFlags(settings config.Store) string {
	if settings.Database != "" {
		return " --database URL"
	}
	if usual, err := filepath.Abs(config.Default().Store.Data); err == nil && usual == settings.Data {
		return ""
	}
	if strings.ContainsAny(settings.Data, " '\"\\$`&;()<>|*?[]#~!") {
		return " --data '" + strings.ReplaceAll(settings.Data, "'", `'\''`) + "'"
	}
	return " --data " + settings.Data
}
