package cli_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A server is killed amid parallel changes, again and again. Whatever it has
// answered is there afterwards, what it has not is there whole or not at all, and
// what the database keeps twice agrees.
func TestKilledServerLosesNothingThatWasAcknowledged(t *testing.T) {
	dir := t.TempDir()
	c := &crash{t: t, dir: dir, links: map[string]*crashLink{}, client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 20}}}
	c.command("user", "add", "ada", "--no-password")
	c.key = strings.TrimSpace(c.command("key", "add", "ada", "test"))
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
	c.checkFile()
}

// crash is a server that is to be killed, and what its clients know.
type crash struct {
	t            *testing.T
	dir, key     string
	url          string
	server       *exec.Cmd
	client       *http.Client
	mu           sync.Mutex
	links        map[string]*crashLink // by address
	acknowledged int
}

// crashLink is what a client knows of a link: what was answered, and where no
// answer came.
type crashLink struct {
	id           int64
	worker       int
	batch        []string // the addresses that were sent together
	added        bool     // acknowledged
	trashed      bool     // acknowledged
	trashInDoubt bool
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
	c.server = exec.Command("waymark", "serve", "--data", c.dir, "--listen", address)
	said := &bytes.Buffer{}
	c.server.Stderr = said
	if err := c.server.Start(); err != nil {
		c.t.Fatal(err)
	}
	started := c.server
	c.t.Cleanup(func() { started.Process.Kill(); started.Wait() }) //nolint:errcheck // mostly it is dead already
	for range 3000 {
		if answer, err := c.client.Get(c.url + "/healthz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.kill()
	c.t.Fatalf("the server does not get ready:\n%s", said)
}

// kill ends the server as a power cut would end it, as far as a process can tell.
func (c *crash) kill() {
	c.t.Helper()
	if err := c.server.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	c.server.Wait() //nolint:errcheck // it was killed
	c.client.CloseIdleConnections()
}

// call sends a request. Any answer but 200 is a mistake; no answer is an error.
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
	answer, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		c.t.Errorf("%s %s: got %s %s", method, path, answer.Status, text)
		return errors.New(answer.Status)
	}
	return json.Unmarshal(text, into)
}

// load has many clients change things until the server, which is killed after that
// many answers, answers no more.
func (c *crash) load(round, answers int) {
	c.t.Helper()
	enough := make(chan struct{})
	enoughOnce := sync.OnceFunc(func() { close(enough) })
	before := c.acknowledged
	var workers sync.WaitGroup
	for worker := range 12 {
		workers.Go(func() {
			for n := 0; c.change(round, worker, n) == nil; n++ {
				c.mu.Lock()
				c.acknowledged++
				if c.acknowledged-before >= answers {
					enoughOnce()
				}
				c.mu.Unlock()
			}
			enoughOnce() // no answer, and nobody has killed it: say so rather than hang
		})
	}
	<-enough
	c.kill()
	workers.Wait()
	c.t.Logf("killed after %d answers, %d in all", c.acknowledged-before, c.acknowledged)
}

// change makes one change: a link, five at once, or a link of the worker's own into
// the trash.
func (c *crash) change(round, worker, n int) error {
	type model struct {
		URL         string   `json:"url"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Tags        []string `json:"tags"`
		Lists       []string `json:"lists"`
		Visibility  int      `json:"visibility"`
	}
	type answer struct {
		ID  int64  `json:"id"`
		URL string `json:"url"`
	}
	if n%7 == 6 {
		return c.trashOne(worker)
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
	var got []answer
	if many == 1 {
		got = make([]answer, 1)
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

func (c *crash) trashOne(worker int) error {
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

// compare holds what the server shows against what its clients know, and settles
// what was in doubt.
func (c *crash) compare() {
	c.t.Helper()
	type shown struct {
		ID    int64                   `json:"id"`
		URL   string                  `json:"url"`
		Tags  []struct{ Name string } `json:"tags"`
		Lists []struct{ Name string } `json:"lists"`
	}
	var page struct {
		Data  []shown `json:"data"`
		Total int     `json:"total"`
	}
	var trash []shown
	if err := errors.Join(c.call(http.MethodGet, "/links?per_page=-1", nil, &page), c.call(http.MethodGet, "/trash/links", nil, &trash)); err != nil {
		c.t.Fatal(err)
	}
	if page.Total != len(page.Data) {
		c.t.Errorf("total %d, but %d links", page.Total, len(page.Data))
	}
	active, gone := map[string]shown{}, map[string]shown{}
	for _, link := range page.Data {
		active[link.URL] = link
	}
	for _, link := range trash {
		gone[link.URL] = link
	}
	for url, known := range c.links {
		isActive, isGone := active[url].ID != 0, gone[url].ID != 0
		switch {
		case isActive && isGone:
			c.t.Errorf("%s is both active and in the trash", url)
		case known.added && !isActive && !isGone:
			c.t.Errorf("%s was acknowledged, and is lost", url)
		case known.trashed && !isGone:
			c.t.Errorf("%s went into the trash, and is not there", url)
		case isGone && !known.trashed && !known.trashInDoubt:
			c.t.Errorf("%s is in the trash, where nobody put it", url)
		}
		if there := isActive || isGone; there {
			link := active[url]
			if isGone {
				link = gone[url]
			}
			if tags, lists := len(link.Tags), len(link.Lists); tags != 2 || lists != 1 || known.added && link.ID != known.id {
				c.t.Errorf("%s has %d tags, %d lists and id %d, want 2, 1 and %d", url, tags, lists, link.ID, known.id)
			}
			known.id, known.added = link.ID, true
			known.trashed, known.trashInDoubt = isGone, false
			delete(active, url)
			delete(gone, url)
		} else {
			delete(c.links, url) // never came to be
		}
	}
	for _, known := range c.links {
		for _, url := range known.batch {
			if c.links[url] == nil {
				c.t.Errorf("of links sent together %s is missing", url)
			}
		}
	}
	if len(active)+len(gone) > 0 {
		c.t.Errorf("links that nobody added: %v %v", active, gone)
	}
	var found struct {
		Total int `json:"total"`
	}
	if err := c.call(http.MethodGet, "/search/links?query=crash.example", nil, &found); err != nil {
		c.t.Fatal(err)
	}
	if found.Total != page.Total {
		c.t.Errorf("a search finds %d links, want all %d", found.Total, page.Total)
	}
}

// checkFile looks into the database file itself.
func (c *crash) checkFile() {
	c.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(c.dir, "waymark.db"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	for what, question := range map[string]string{
		"the file is whole":                 "SELECT group_concat(integrity_check) <> 'ok' FROM pragma_integrity_check",
		"what rows refer to is there":       "SELECT count(*) FROM pragma_foreign_key_check",
		"the counters count the links":      "SELECT (SELECT sum(count) FROM counters WHERE entity = 'links') <> (SELECT count(*) FROM links WHERE visible_to IS NOT NULL)",
		"scope by scope":                    "SELECT count(*) FROM counters AS c WHERE entity = 'links' AND count <> (SELECT count(*) FROM links AS l WHERE l.visible_to = c.visible_to AND l.user_id = c.user_id)",
		"the counters count the tags":       "SELECT (SELECT sum(count) FROM counters WHERE entity = 'tags') <> (SELECT count(*) FROM tags WHERE visible_to IS NOT NULL)",
		"the text index has every link":     "SELECT count(*) FROM links WHERE visible_to IS NOT NULL AND id NOT IN (SELECT rowid FROM links_fts)",
		"and no others":                     "SELECT count(*) FROM links_fts WHERE rowid NOT IN (SELECT id FROM links WHERE visible_to IS NOT NULL)",
		"it finds what is in the texts":     "SELECT (SELECT count(*) FROM links_fts WHERE links_fts MATCH '{title url description} : \"ext\"') <> (SELECT count(*) FROM links WHERE visible_to IS NOT NULL AND instr(title_folded || '.' || url_folded || '.' || description_folded, 'ext') > 0)",
		"memberships know the links' scope": "SELECT count(*) FROM link_tags AS m JOIN links AS l ON l.id = m.link_id WHERE m.link_visible_to IS NOT l.visible_to",
	} {
		var wrong int
		if err := db.QueryRow(question).Scan(&wrong); err != nil || wrong != 0 {
			c.t.Errorf("%s: not so (%d, error %v)", what, wrong, err)
		}
	}
	if _, err := db.Exec("INSERT INTO links_fts (links_fts, rank) VALUES ('integrity-check', 0)"); err != nil {
		c.t.Errorf("the text index is not whole: %v", err)
	}
}
