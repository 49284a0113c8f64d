// Command compare measures two running servers with the same requests and prints how
// the new one compares with the old one. Both must have the same links.
//
// tools/bench/compare.sh builds, seeds and starts the two servers, and runs this
// program; see there.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"waymark/tools/bench"
)

type flags struct {
	Old    string        `help:"Address of the old server, such as 127.0.0.1:8080." required:""`
	OldKey string        `help:"API key of the first user of the old server." required:""`
	OldPID int           `name:"old-pid" help:"Process id of the old server, to compare CPU time too (Linux only)."`
	New    string        `help:"Address of the new server." required:""`
	NewKey string        `help:"API key of the first user of the new server." required:""`
	NewPID int           `name:"new-pid" help:"Process id of the new server."`
	Rounds int           `help:"Number of rounds. Each round measures every operation on both servers." default:"10"`
	Slice  time.Duration `help:"Approximate time per round, operation and server." default:"500ms"`
	Only   string        `help:"Measure only operations whose name contains this text."`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("compare"), kong.Description("Measures two running servers alternately with the same requests, and prints the ratio of their latencies."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := f.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		stop()
		os.Exit(1)
	}
}

func (f *flags) run(ctx context.Context) error {
	servers := [2]*server{
		{name: "old", address: f.Old, key: f.OldKey, pid: f.OldPID},
		{name: "new", address: f.New, key: f.NewKey, pid: f.NewPID},
	}
	for _, s := range servers {
		defer s.close()
		if err := s.connect(ctx, 1); err != nil {
			return fmt.Errorf("%s server: %w", s.name, err)
		}
		if _, err := bench.ProcessCPUTime(s.pid); err != nil {
			s.pid = 0 // compare latencies only
		}
	}
	reads, err := readOperations(servers)
	if err != nil {
		return err
	}
	creates := createOperations()
	for _, operations := range []*[]*operation{&reads, &creates} {
		*operations = slices.DeleteFunc(*operations, func(o *operation) bool { return !strings.Contains(o.name, f.Only) })
	}
	if len(reads)+len(creates) == 0 {
		return fmt.Errorf("no operation has a name that contains %q", f.Only)
	}
	// Creates come last: they change the pages that reads ask for.
	for _, operations := range [][]*operation{reads, creates} {
		for round := range f.Rounds {
			for _, o := range operations {
				if err := o.measure(ctx, servers, round, f.Slice); err != nil {
					return fmt.Errorf("%s: %w", o.name, err)
				}
			}
			fmt.Fprintf(os.Stderr, "\rround %d of %d  ", round+1, f.Rounds)
		}
	}
	fmt.Fprint(os.Stderr, "\r                    \r")
	return printTable(append(reads, creates...))
}

// page is the part of a response that decides whether two servers have the same links.
type page struct {
	Total    int `json:"total"`
	LastPage int `json:"last_page"`
	Data     []struct {
		ID    int64  `json:"id"`
		URL   string `json:"url"`
		Title string `json:"title"`
	} `json:"data"`
}

// samePage reads a page from both servers and returns it, or an error if the pages
// differ.
func samePage(servers [2]*server, path string) (page, error) {
	var pages [2]page
	for i, s := range servers {
		status, body, err := s.clients[0].Do(http.MethodGet, path, nil)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("status %d, %.300s", status, body)
		}
		if err == nil {
			err = json.Unmarshal(body, &pages[i])
		}
		if err != nil {
			return page{}, fmt.Errorf("%s server: GET %s: %w", s.name, path, err)
		}
	}
	if !reflect.DeepEqual(pages[0], pages[1]) {
		return page{}, fmt.Errorf("GET %s: the servers return different links (totals %d and %d)", path, pages[0].Total, pages[1].Total)
	}
	return pages[0], nil
}

const (
	linksPath  = "/api/v2/links"
	searchPath = "/api/v2/search/links?search_title=1&search_description=1&query="
)

// readOperations returns the operations that read, for links that the seed program
// created.
func readOperations(servers [2]*server) ([]*operation, error) {
	first, err := samePage(servers, linksPath)
	if err != nil {
		return nil, err
	}
	if len(first.Data) == 0 {
		return nil, errors.New("the servers have no links")
	}
	middlePath := fmt.Sprintf("%s?page=%d", linksPath, (first.LastPage+1)/2)
	middle, err := samePage(servers, middlePath)
	if err != nil {
		return nil, err
	}
	operations := []*operation{
		get("page 1", linksPath),
		get("page in the middle", middlePath),
		get("one link", fmt.Sprintf("%s/%d", linksPath, middle.Data[0].ID)),
	}
	for _, text := range []string{"example", "/1234", "or"} { // common, rare, and two letters
		path := searchPath + url.QueryEscape(text)
		found, err := samePage(servers, path)
		if err != nil {
			return nil, err
		}
		operations = append(operations, get(fmt.Sprintf("search %q, %d found", text, found.Total), path))
	}
	stream := get(fmt.Sprintf("stream of %d links", first.Total), linksPath+"?per_page=-1")
	return append(operations, stream), nil
}

func get(name, path string) *operation {
	return &operation{name: name, method: http.MethodGet, path: path, connections: 1}
}

// createOperations returns the operations that add one link per request.
func createOperations() []*operation {
	prefix := time.Now().UnixNano()
	body := func(n int64) []byte {
		return fmt.Appendf(nil, `{"url":"https://compare.example/%d/%d","title":"A new link"}`, prefix, n)
	}
	return []*operation{
		{name: "create, 1 connection", method: http.MethodPost, path: linksPath, body: body, connections: 1},
		{name: fmt.Sprintf("create, %d connections", maxConnections), method: http.MethodPost, path: linksPath, body: body, connections: maxConnections},
	}
}

// server is one of the two servers.
type server struct {
	name     string
	address  string
	key      string
	pid      int // 0 if unknown
	clients  []*bench.Client
	requests int64 // sent so far; numbers the links that are created
}

const maxConnections = 16

// connect opens connections until there are n. They are opened just before their first
// use, since the server closes idle ones.
func (s *server) connect(ctx context.Context, n int) error {
	for len(s.clients) < n {
		client, err := bench.Dial(ctx, s.address, s.key)
		if err != nil {
			return err
		}
		s.clients = append(s.clients, client)
	}
	return nil
}

func (s *server) close() {
	for _, client := range s.clients {
		client.Close() //nolint:errcheck // the measurement is complete
	}
}

// cpuTime returns the CPU time of the server's process, 0 if the process is unknown.
func (s *server) cpuTime() (time.Duration, error) {
	if s.pid == 0 {
		return 0, nil
	}
	return bench.ProcessCPUTime(s.pid)
}
