// Command realinput sends a file of real links to a running server and verifies the
// responses: after each step all totals must be exact. It prints the duration of the
// steps.
//
//	go -C tools/bench run ./realinput --file links.ndjson --key wm_…
//
// The owner of the key must not see any other links, since searches would find them.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"

	"waymark/tools/bench"
)

type flags struct {
	Server string `help:"URL of the server." default:"http://127.0.0.1:8080"`
	Key    string `help:"An API key with full access." required:""`
	File   string `help:"File of links, one JSON object per line: url, title, description, list, source." required:"" type:"existingfile"`
	Batch  int    `help:"Number of links per request." default:"1000"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("realinput"), kong.Description("Sends a file of real links to a running server, and verifies that all totals are exact."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := f.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "realinput:", err)
		stop()
		os.Exit(1)
	}
}

func (f *flags) run(ctx context.Context) error {
	examples, err := bench.ReadExamples(f.File)
	if err != nil {
		return err
	}
	c := &client{ctx: ctx, base: f.Server + "/api/v2", key: f.Key}
	before, err := c.total("/links")
	if err != nil {
		return err
	}
	r := &run{client: c, examples: examples, batch: f.Batch, before: before}
	for _, step := range []struct {
		name string
		do   func() (int, error)
	}{
		{"bulk create, links", r.create},
		{"read page by page, links", r.readPages},
		{"read all on one page, links", r.readAll},
		{"search, queries", r.search},
		{"move to the trash, links", r.trash},
		{"restore one by one, links", r.restore},
		{"bulk edit, links", r.edit},
		{"search again, queries", r.search},
	} {
		if err := r.timed(step.name, step.do); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	fmt.Println("all totals were exact")
	return nil
}
