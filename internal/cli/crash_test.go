package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/store"
)

// The server is killed repeatedly during concurrent writes. Acknowledged writes must
// survive, other writes must be complete or absent, and indexes must match the rows.
func TestKilledServerKeepsAcknowledgedWrites(t *testing.T) {
	dir := t.TempDir()
	c := &crash{t: t, dir: dir, links: map[string]*crashLink{}, client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 20}}}
	createStore(t, store.Options{Dir: dir})
	c.command("user", "add", "ada", "--no-password")
	c.key = strings.TrimSpace(c.command("key", "add", "--user", "ada", "test"))
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		c.start()
		c.compare()
		c.load(round, rand.IntN(250)+20)
	}
	c.start()
	c.compare()
	c.kill()
	c.command("doctor")
}

// crash is a server that is killed, and the state that its clients expect.
type crash struct {
	t            *testing.T
	dir, key     string
	url          string
	server       *exec.Cmd
	client       *http.Client
	mu           sync.Mutex
	links        map[string]*crashLink // by URL
	acknowledged int
}

// crashLink is the state that a client expects of a link.
type crashLink struct {
	id           int64
	worker       int
	batch        []string // the URLs that were created in one request
	added        bool     // acknowledged
	trashed      bool     // acknowledged
	trashInDoubt bool     // deleted, not acknowledged
}

func (c *crash) command(args ...string) string {
	c.t.Helper()
	command := exec.Command("waymark", append(args, "--data", c.dir)...)
	var errs strings.Builder
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		c.t.Fatalf("waymark %v: %v\n%s", args, err, &errs)
	}
	return string(out)
}

func (c *crash) start() {
	c.t.Helper()
	address, err := freeAddress()
	if err != nil {
		c.t.Fatal(err)
	}
	c.url = "http://" + address
	c.server = exec.Command("waymark", "serve", "--data", c.dir, "--listen", address, "--metadata=off", "--pictures=off", "--check=off")
	log := &bytes.Buffer{}
	c.server.Stderr = log
	if err := c.server.Start(); err != nil {
		c.t.Fatal(err)
	}
	started := c.server
	c.t.Cleanup(func() { started.Process.Kill(); started.Wait() }) //nolint:errcheck // it was killed already unless the test failed
	for range 3000 {
		if response, err := c.client.Get(c.url + "/healthz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.kill()
	c.t.Fatalf("the server did not become ready:\n%s", log)
}

// kill stops the server without a chance to clean up.
func (c *crash) kill() {
	c.t.Helper()
	if err := c.server.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	c.server.Wait() //nolint:errcheck // it was killed
	c.client.CloseIdleConnections()
}

// call sends a request. A status other than 200 fails the test; it returns an error if
// there was no response.
func (c *crash) call(method, path string, body, into any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		c.t.Error(err)
		return err
	}
	request, err := http.NewRequest(method, c.url+"/api/v2"+path, bytes.NewReader(sent))
	if err != nil {
		c.t.Error(err)
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		c.t.Errorf("%s %s: got %s %s", method, path, response.Status, text)
		return errors.New(response.Status)
	}
	return json.Unmarshal(text, into)
}

// load runs concurrent clients and kills the server after that number of responses.
func (c *crash) load(round, responses int) {
	c.t.Helper()
	enough := make(chan struct{})
	enoughOnce := sync.OnceFunc(func() { close(enough) })
	before := c.acknowledged
	var workers sync.WaitGroup
	for worker := range 12 {
		workers.Go(func() {
			for n := 0; c.write(round, worker, n) == nil; n++ {
				c.mu.Lock()
				c.acknowledged++
				if c.acknowledged-before >= responses {
					enoughOnce()
				}
				c.mu.Unlock()
			}
			enoughOnce() // the server stopped responding by itself: do not wait forever
		})
	}
	<-enough
	c.kill()
	workers.Wait()
	got := c.acknowledged - before
	if got < responses {
		c.t.Errorf("the server stopped responding by itself after %d responses", got)
	}
	c.t.Logf("killed after %d responses, %d in total", got, c.acknowledged)
}

// write creates one link or five, or deletes a link of the worker.
func (c *crash) write(round, worker, n int) error {
	type model struct {
		URL         string   `json:"url"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Tags        []string `json:"tags"`
		Lists       []string `json:"lists"`
		Visibility  int      `json:"visibility"`
	}
	type response struct {
		ID  int64  `json:"id"`
		URL string `json:"url"`
	}
	if n%7 == 6 {
		return c.deleteOne(worker)
	}
	many := 1
	if n%5 == 4 {
		many = 5
	}
	var models []model
	var batch []string
	for i := range many {
		url := fmt.Sprintf("https://crash.example/%d/%d/%d/%d", round, worker, n, i)
		batch = append(batch, url)
		models = append(models, model{url, fmt.Sprint("Crash ", n), strings.Repeat("text ", n%50), []string{"crash", fmt.Sprint("worker ", worker)}, []string{"list"}, 1 + n%3})
	}
	c.mu.Lock()
	for _, url := range batch {
		c.links[url] = &crashLink{worker: worker, batch: batch}
	}
	c.mu.Unlock()
	var got []response
	if many == 1 {
		got = make([]response, 1)
		if err := c.call(http.MethodPost, "/links", models[0], &got[0]); err != nil {
			return err
		}
	} else if err := c.call(http.MethodPost, "/bulk/links", map[string]any{"models": models}, &got); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, link := range got {
		c.links[link.URL].id, c.links[link.URL].added = link.ID, true
	}
	return nil
}

func (c *crash) deleteOne(worker int) error {
	c.mu.Lock()
	var link *crashLink
	for _, url := range slices.Sorted(maps.Keys(c.links)) {
		if l := c.links[url]; l.worker == worker && l.added && !l.trashed {
			link = l
			break
		}
	}
	if link != nil {
		link.trashInDoubt = true
	}
	c.mu.Unlock()
	if link == nil {
		return nil
	}
	if err := c.call(http.MethodDelete, fmt.Sprint("/links/", link.id), nil, &struct{}{}); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	link.trashed, link.trashInDoubt = true, false
	return nil
}

// compare compares the state of the server with what its clients expect, and adopts the
// outcome of writes that were not acknowledged.
func (c *crash) compare() {
	c.t.Helper()
	type entity struct {
		ID    int64                   `json:"id"`
		URL   string                  `json:"url"`
		Tags  []struct{ Name string } `json:"tags"`
		Lists []struct{ Name string } `json:"lists"`
	}
	var page struct {
		Data  []entity `json:"data"`
		Total int      `json:"total"`
	}
	var trash []entity
	if err := errors.Join(c.call(http.MethodGet, "/links?per_page=-1", nil, &page), c.call(http.MethodGet, "/trash/links", nil, &trash)); err != nil {
		c.t.Fatal(err)
	}
	if page.Total != len(page.Data) {
		c.t.Errorf("got a total of %d for %d links", page.Total, len(page.Data))
	}
	active, trashed := map[string]entity{}, map[string]entity{}
	for _, link := range page.Data {
		active[link.URL] = link
	}
	for _, link := range trash {
		trashed[link.URL] = link
	}
	for url, known := range c.links {
		isActive, isTrashed := active[url].ID != 0, trashed[url].ID != 0
		switch {
		case isActive && isTrashed:
			c.t.Errorf("%s is both active and in the trash", url)
		case known.added && !isActive && !isTrashed:
			c.t.Errorf("%s was acknowledged and is missing", url)
		case known.trashed && !isTrashed:
			c.t.Errorf("%s was deleted and is not in the trash", url)
		case isTrashed && !known.trashed && !known.trashInDoubt:
			c.t.Errorf("%s is in the trash but was not deleted", url)
		}
		if isActive || isTrashed {
			link := active[url]
			if isTrashed {
				link = trashed[url]
			}
			if tags, lists := len(link.Tags), len(link.Lists); tags != 2 || lists != 1 || known.added && link.ID != known.id {
				c.t.Errorf("%s has %d tags, %d lists and id %d, want 2, 1 and %d", url, tags, lists, link.ID, known.id)
			}
			known.id, known.added = link.ID, true
			known.trashed, known.trashInDoubt = isTrashed, false
			delete(active, url)
			delete(trashed, url)
		} else {
			delete(c.links, url) // was not created
		}
	}
	for _, known := range c.links {
		for _, url := range known.batch {
			if c.links[url] == nil {
				c.t.Errorf("%s is missing, but other links of its request exist", url)
			}
		}
	}
	if len(active)+len(trashed) > 0 {
		c.t.Errorf("unexpected links: %v %v", active, trashed)
	}
	var found struct {
		Total int `json:"total"`
	}
	if err := c.call(http.MethodGet, "/search/links?query=crash.example", nil, &found); err != nil {
		c.t.Fatal(err)
	}
	if found.Total != page.Total {
		c.t.Errorf("the search returns %d links, want %d", found.Total, page.Total)
	}
}
