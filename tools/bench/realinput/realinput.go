// Command realinput sends a file of real links to a running server, as a client
// would, and counts what comes back: each total must be exact after each step. It
// prints how long the steps took.
//
//	go run ./internal/measure/realinput --file links.ndjson --key wm_…
//
// The server should hold nothing else that the key's owner sees: what it finds is
// counted first, but may be found by searches too.
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
	Server string `help:"Where the server is." default:"http://127.0.0.1:8080"`
	Key    string `help:"An API key that may do everything." required:""`
	File   string `help:"The file of links, a JSON object a line: url, title, description, list, source." required:"" type:"existingfile"`
	Batch  int    `help:"How many links are sent at once." default:"1000"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("realinput"), kong.Description("Sends a file of real links to a running server, and counts what comes back."))
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
	v := &visitor{ctx: ctx, base: f.Server + "/api/v2", key: f.Key}
	before, err := v.total("/links")
	if err != nil {
		return err
	}
	t := &trial{visitor: v, examples: examples, batch: f.Batch, before: before}
	for _, step := range []struct {
		name string
		do   func() (int, error)
	}{
		{"bulk create, links", t.create},
		{"page to the end, links", t.pageThrough},
		{"everything on one page, links", t.everything},
		{"search, questions", t.search},
		{"trash a thousand, links", t.trash},
		{"restore one by one, links", t.restore},
		{"bulk edit, links", t.edit},
		{"search again, questions", t.search},
	} {
		if err := t.timed(step.name, step.do); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	fmt.Println("every total was exact")
	return nil
}
