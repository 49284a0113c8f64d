// Command load drives a running server over many connections at once, as fast as it
// answers, with what people and programs do: mostly reading, with everything that
// changes links among it. It prints how many requests of each kind were answered, how
// quickly, and what went wrong. In the end it looks for every link whose change the
// server has acknowledged, and fails where one is lost, there twice or not as it
// was left.
//
//	go run ./internal/measure/load --key wm_… --connections 200 --for 2m
//
// Beside it stands a bare handler, which runs the same SQL on the same database and
// sends bytes that are ready, once the load program is told where that database is:
//
//	go run ./internal/measure/load --key wm_… --data data
//	go run ./internal/measure/load --key wm_… --database postgres://…
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"waymark/internal/store"
	"waymark/tools/bench"
)

type flags struct {
	Server      string        `help:"Where the server is." default:"http://127.0.0.1:8080"`
	Key         string        `help:"An API key that may do everything. What its owner has is used and added to." required:""`
	Connections int           `help:"How many connections send requests at the same time." default:"200"`
	For         time.Duration `help:"How long." default:"2m"`
	Metrics     string        `help:"Where the server shows its metrics, to watch its memory and its write-ahead log." placeholder:"URL"`
	Data        string        `help:"The server's folder, to run a bare handler beside it." xor:"bare" type:"existingdir"`
	Database    string        `help:"The server's PostgreSQL, to run a bare handler beside it." xor:"bare" placeholder:"URL"`
	Beside      time.Duration `help:"How long each operation runs alone, half of it on the bare handler." default:"20s"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("load"), kong.Description("Drives a running server over many connections at once, and counts what comes back."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := f.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		stop()
		os.Exit(1)
	}
}

func (f *flags) run(ctx context.Context) error {
	at, err := url.Parse(f.Server)
	if err != nil {
		return err
	}
	s, err := look(ctx, at.Host, f.Key)
	if err != nil {
		return err
	}
	if f.Data != "" || f.Database != "" {
		options := store.Options{Dir: f.Data, Database: f.Database}
		if err := s.beside(ctx, options, f.Connections, f.Beside); err != nil {
			return err
		}
	}
	watch, err := startWatch(ctx, f.Metrics)
	if err != nil {
		return err
	}
	kept := s.press(ctx, f.Connections, f.For)
	watch.end()
	if err := ctx.Err(); err != nil {
		return err
	}
	return kept.verify(ctx, s)
}

// scene is the server, and what it holds at the beginning.
type scene struct {
	address string
	key     string
	user    int64
	links   []int64
	pages   int
	tags    []int64
	words   []string // of titles
}

// link is what a link's answer says that is looked at here.
type link struct {
	ID     int64  `json:"id"`
	UserID int64  `json:"user_id"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Lists  []name `json:"lists"`
	Tags   []name `json:"tags"`
}

type name struct {
	ID int64 `json:"id"`
}

// look finds out what there is to ask for. It adds one link, so that there is one.
func look(ctx context.Context, address, key string) (*scene, error) {
	s := &scene{address: address, key: key}
	client, err := bench.Dial(ctx, address, key)
	if err != nil {
		return nil, err
	}
	defer client.Close() //nolint:errcheck // nothing is lost with it
	var first link
	body := fmt.Appendf(nil, `{"url":"https://load.example/%d","title":"The first of many","tags":["load"]}`, time.Now().UnixNano())
	if err := ask(client, "POST", "/api/v2/links", body, &first); err != nil {
		return nil, err
	}
	s.user = first.UserID
	var links struct {
		Data     []link `json:"data"`
		LastPage int    `json:"last_page"`
	}
	if err := ask(client, "GET", "/api/v2/links?per_page=1000", nil, &links); err != nil {
		return nil, err
	}
	for _, l := range links.Data {
		s.links = append(s.links, l.ID)
		s.words = append(s.words, strings.Fields(l.Title)...)
	}
	s.pages = links.LastPage * 1000 / 24
	var tags struct{ Data []name }
	if err := ask(client, "GET", "/api/v2/tags?per_page=100&order_by=id&order_dir=asc", nil, &tags); err != nil {
		return nil, err
	}
	for _, tag := range tags.Data {
		s.tags = append(s.tags, tag.ID)
	}
	return s, nil
}

// ask sends a request that has to work.
func ask(client *bench.Client, method, path string, body []byte, answer any) error {
	status, text, err := client.Do(method, path, body)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s %s: status %d, %.300s", method, path, status, text)
	}
	return json.Unmarshal(text, answer)
}
