// Command peers compares Waymark with other programs that store links: PocketBase,
// Shiori and memos, or with an older Waymark. It builds them from the Go module proxy and Waymark from the working
// tree, starts each as a process of its own with an empty data folder, gives all the same
// links through their own interfaces, and sends all the same kinds of requests in
// alternating rounds. It prints Markdown tables.
//
//	go -C tools/bench run ./peers
//	go -C tools/bench run ./peers --links /path/to/links.ndjson --rounds 3 --for 200ms
//	go -C tools/bench run ./peers --commit HEAD~1
//
// The programs are built once, into the user's cache folder. It measures on Linux only.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"waymark/tools/bench"
)

type flags struct {
	Links       string        `help:"File of links, one JSON object per line. Default: a small embedded file." env:"WAYMARK_BENCH_WORDS" type:"existingfile" placeholder:"FILE"`
	Rounds      int           `help:"Number of rounds. Each round measures every operation on every program." default:"5"`
	For         time.Duration `help:"Time per round, operation, number of connections and program." default:"350ms"`
	Connections []int         `help:"Numbers of connections that send requests at the same time." default:"1,32"`
	LoadFor     time.Duration `help:"Longest time in which a program is given links one by one. It keeps those that it has then." default:"45s"`
	Only        []string      `help:"Compare Waymark with these programs only." placeholder:"NAME"`
	Commit      string        `help:"Compare the working tree with this commit of Waymark instead." placeholder:"COMMIT"`
	Cache       string        `help:"Folder for the programs that are built. Default: waymark-bench in the user's cache folder." type:"path" placeholder:"DIR"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("peers"), kong.Description("Compares Waymark with other programs that store links."))
	// The servers are stopped too if the program is, or if its output is closed.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer stop()
	if err := f.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		stop()
		os.Exit(1)
	}
}

func (f *flags) run(ctx context.Context) (err error) {
	if f.Cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		f.Cache = filepath.Join(dir, "waymark-bench")
	}
	examples, err := bench.ReadExamples(f.Links)
	if err != nil {
		return err
	}
	links := tagged(examples)
	scratch, err := os.MkdirTemp("", "waymark-peers-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()

	r := &report{links: len(links), rounds: f.Rounds, duration: f.For, connections: f.Connections}
	programs := []program{&waymark{}, &pocketBase{}, &shiori{}, &memos{}}
	if f.Commit != "" {
		hash, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "--verify", f.Commit+"^{commit}").Output()
		if err != nil {
			return fmt.Errorf("commit %s: %w", f.Commit, err)
		}
		programs = []program{&waymark{}, &waymark{commit: strings.TrimSpace(string(hash))}}
	}
	for _, program := range programs {
		about := program.about()
		if len(r.servers) > 0 && len(f.Only) > 0 && !slices.ContainsFunc(f.Only, func(name string) bool { return strings.EqualFold(name, about.name) }) {
			continue
		}
		s := &server{program: program, about: about, dir: filepath.Join(scratch, strings.ToLower(about.name))}
		defer s.stop()
		if err := s.setUp(ctx, f.Cache, links, f.LoadFor); err != nil {
			if len(r.servers) == 0 || ctx.Err() != nil {
				return fmt.Errorf("%s: %w", about.name, err) // nothing to compare with
			}
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", about.name, err)
			r.leftOut = append(r.leftOut, fmt.Sprintf("%s %s: %v", about.name, about.version, err))
			s.stop()
			continue
		}
		r.servers = append(r.servers, s)
	}
	if err := r.measure(ctx, tagsToRead(links)); err != nil {
		return err
	}
	r.print(os.Stdout)
	return nil
}

// link is a link that every program is given.
type link struct {
	url, title, description string
	tags                    []string
}

// tagged returns the examples with three tags each: where the link is from, which many
// links share, and two that few links share.
func tagged(examples []bench.Example) []link {
	links := make([]link, len(examples))
	for i, example := range examples {
		source := example.Source
		if source == "" {
			source = "sample"
		}
		links[i] = link{example.URL, example.Title, example.Description,
			[]string{source, fmt.Sprintf("t%d", i%565), fmt.Sprintf("u%d", i*7%100)}}
	}
	return links
}

// tagsToRead returns the tag of most links and a tag of few links.
func tagsToRead(links []link) []string {
	counts := map[string]int{}
	common := links[0].tags[0]
	for _, l := range links {
		if counts[l.tags[0]]++; counts[l.tags[0]] > counts[common] {
			common = l.tags[0]
		}
	}
	return []string{common, "t7"}
}

// newLink returns the n-th link that is created while the programs are measured. A
// program that fetches pages finds that its port refuses connections. The tags exist.
func newLink(n int64, tags []string) link {
	return link{url: fmt.Sprintf("http://127.0.0.1:1/%d", n), title: fmt.Sprintf("A new link %d", n), tags: tags}
}
