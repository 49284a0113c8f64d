// Command load sends requests to a running server over many connections at once. Each
// connection sends its next request when the response to the previous one has arrived.
// Four in five requests read, the others create, edit, delete and restore links. It
// prints the number of requests of each kind, their latencies and the errors. At the end
// it looks for every link whose creation or change the server acknowledged, and fails if
// a link is lost, duplicated or different.
//
//	go -C tools/bench run ./load --key wm_… --connections 200 --for 2m
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

	"waymark/tools/bench"
)

type flags struct {
	Server      string        `help:"URL of the server." default:"http://127.0.0.1:8080"`
	Key         string        `help:"An API key with full access. The program adds links to those of its owner." required:""`
	Connections int           `help:"Number of connections that send requests at the same time." default:"200"`
	For         time.Duration `help:"Duration of the load." default:"2m"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("load"), kong.Description("Sends requests to a running server over many connections at once, and verifies that no acknowledged change is lost."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := f.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		stop()
		os.Exit(1)
	}
}

func (f *flags) run(ctx context.Context) error {
	u, err := url.Parse(f.Server)
	if err != nil {
		return err
	}
	t, err := newTarget(ctx, u.Host, f.Key)
	if err != nil {
		return err
	}
	expected := t.runWorkers(ctx, f.Connections, f.For)
	if err := ctx.Err(); err != nil {
		return err
	}
	return expected.verify(ctx, t)
}

// target is the server, and some of its data at the start.
type target struct {
	address string
	key     string
	links   []int64
	pages   int
	tags    []int64
	words   []string // of titles
}

// link has the fields of a link that this program reads.
type link struct {
	ID    int64   `json:"id"`
	URL   string  `json:"url"`
	Title string  `json:"title"`
	Lists []label `json:"lists"`
	Tags  []label `json:"tags"`
}

// label is a list or a tag.
type label struct {
	ID int64 `json:"id"`
}

// newTarget reads the ids and words that requests will ask for. It creates a link
// first, so that there is at least one.
func newTarget(ctx context.Context, address, key string) (*target, error) {
	t := &target{address: address, key: key}
	client, err := bench.Dial(ctx, address, key)
	if err != nil {
		return nil, err
	}
	defer client.Close() //nolint:errcheck // all responses are complete
	var first link
	body := fmt.Appendf(nil, `{"url":"https://load.example/%d","title":"The first link","tags":["load"]}`, time.Now().UnixNano())
	if err := request(client, "POST", "/api/v2/links", body, &first); err != nil {
		return nil, err
	}
	var links struct {
		Data     []link `json:"data"`
		LastPage int    `json:"last_page"`
	}
	if err := request(client, "GET", "/api/v2/links?per_page=1000", nil, &links); err != nil {
		return nil, err
	}
	for _, l := range links.Data {
		t.links = append(t.links, l.ID)
		t.words = append(t.words, strings.Fields(l.Title)...)
	}
	t.pages = links.LastPage * 1000 / 24
	var tags struct{ Data []label }
	if err := request(client, "GET", "/api/v2/tags?per_page=100&order_by=id&order_dir=asc", nil, &tags); err != nil {
		return nil, err
	}
	for _, tag := range tags.Data {
		t.tags = append(t.tags, tag.ID)
	}
	return t, nil
}

// request sends a request and decodes the response. A status other than 200 is an
// error.
func request(client *bench.Client, method, path string, body []byte, response any) error {
	status, text, err := client.Do(method, path, body)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s %s: status %d, %.300s", method, path, status, text)
	}
	return json.Unmarshal(text, response)
}
