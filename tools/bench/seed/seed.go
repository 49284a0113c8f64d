// Command seed fills an empty store with made-up links, for those who want to see
// Waymark with a large collection. It prints a key for each user it makes.
//
//	go run ./internal/measure/seed --data /tmp/large --links 1000000
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/tools/bench"
)

type flags struct {
	config.Store `embed:""`

	Links int    `help:"How many links." default:"10000"`
	Users int    `help:"How many users. The first has four fifths of the links." default:"3"`
	Tags  int    `help:"How many tags the first user has." default:"5000"`
	Lists int    `help:"How many lists the first user has." default:"300"`
	Words string `help:"File of links, a JSON object a line, to take hosts and words from. Without it, a few words in many scripts." type:"existingfile" placeholder:"FILE"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("seed"), kong.Description("Fills an empty store with made-up links, and prints a key for each user."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := f.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "seed:", err)
		stop()
		os.Exit(1)
	}
}

func (f *flags) run(ctx context.Context) error {
	corpus, err := bench.ReadCorpus(f.Words)
	if err != nil {
		return err
	}
	options := store.Options{Dir: f.Data, Database: f.Database}
	plan := bench.Plan{Links: f.Links, Users: f.Users, Tags: f.Tags, Lists: f.Lists, Corpus: corpus}
	since := time.Now()
	names, err := bench.Seed(ctx, options, plan, func(links int) {
		spent := time.Since(since)
		fmt.Fprintf(os.Stderr, "\r%d of %d links, %.0f a second", links, plan.Links, float64(links)/spent.Seconds())
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "\r%d links in %s%30s\n", plan.Links, time.Since(since).Round(time.Second/10), "")
	return printKeys(ctx, options, names)
}

func printKeys(ctx context.Context, options store.Options, names []string) (err error) {
	s, err := store.Open(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, name := range names {
		secret, _, err := service.New(s).AddAPIKey(ctx, name, "seed", waymark.AccessFull, 0)
		if err != nil {
			return err
		}
		fmt.Printf("%s %s\n", name, secret)
	}
	return nil
}
