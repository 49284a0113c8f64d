// Command seed fills an empty database with generated links, to try Waymark with a large
// collection. It prints an API key for each user that it creates.
//
//	go -C tools/bench run ./seed --data /tmp/large --links 1000000
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/alecthomas/kong"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/tools/bench"
)

type flags struct {
	config.Store `embed:""`

	Links int    `help:"Number of links." default:"10000"`
	Users int    `help:"Number of users. The first one owns four fifths of the links." default:"3"`
	Tags  int    `help:"Number of tags of the first user." default:"5000"`
	Lists int    `help:"Number of lists of the first user." default:"300"`
	Words string `help:"File of links, one JSON object per line, whose hosts and words the generated links have. Default: a small embedded file in many scripts." type:"existingfile" placeholder:"FILE"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("seed"), kong.Description("Fills an empty database with generated links, and prints an API key for each user."))
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
		elapsed := time.Since(since)
		fmt.Fprintf(os.Stderr, "\r%d of %d links, %.0f per second", links, plan.Links, float64(links)/elapsed.Seconds())
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
		secret, _, err := accounts.New(s, accounts.Options{}).AddAPIKey(ctx, name, "seed", waymark.AccessFull, 0)
		if err != nil {
			return err
		}
		fmt.Printf("%s %s\n", name, secret)
	}
	return nil
}
