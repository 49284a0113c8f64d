package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"waymark/tools/bench"
)

// worker sends requests over one connection, one after the other.
type worker struct {
	*scene
	ctx     context.Context //nolint:containedctx // one worker is one run
	prefix  string          // of the addresses that it adds
	added   int
	client  *bench.Client // nil where the last request has broken the connection
	random  *rand.Rand
	tallies tallies
	own     []*owned
}

// owned is a link that a worker has added, as the server has acknowledged it.
type owned struct {
	id      int64
	url     string
	title   string
	trashed bool
	unsure  bool // a change of it was not answered, or not with a yes
}

// press keeps so many connections busy for that long, and prints what it came to.
func (s *scene) press(ctx context.Context, connections int, long time.Duration) *books {
	ctx, stop := context.WithTimeout(ctx, long)
	defer stop()
	prefix := fmt.Sprintf("https://%d.load.example/", time.Now().UnixNano())
	workers := make([]*worker, connections)
	since := time.Now()
	var busy sync.WaitGroup
	for i := range workers {
		w := &worker{
			scene:   s,
			ctx:     ctx,
			prefix:  fmt.Sprintf("%s%d/", prefix, i),
			random:  rand.New(rand.NewPCG(uint64(since.UnixNano()), uint64(i))),
			tallies: tallies{},
		}
		workers[i] = w
		busy.Go(w.work)
	}
	busy.Wait()
	spent := time.Since(since)

	all, kept := tallies{}, &books{prefix: prefix, links: map[int64]*owned{}}
	for _, w := range workers {
		all.add(w.tallies)
		for _, one := range w.own {
			kept.links[one.id] = one
		}
	}
	var rows []string
	for _, operation := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, operation+"\t"+all[operation].row(spent))
	}
	rows = append(rows, "all\t"+all.all().row(spent))
	table(fmt.Sprintf("%d connections, %s\trequests\ta second\tp50\tp99\tmax\terrors", connections, spent.Round(time.Second)), rows)
	return kept
}

func (w *worker) work() {
	for w.ctx.Err() == nil {
		w.turn()
	}
	if w.client != nil {
		w.client.Close() //nolint:errcheck // nothing is lost with it
	}
}

// turn does something: four times of five it looks at something.
func (w *worker) turn() {
	switch n := w.random.IntN(100); {
	case n < 30:
		w.do("link", "GET", fmt.Sprintf("/links/%d", w.links[w.random.IntN(len(w.links))]), nil)
	case n < 52:
		w.do("first page", "GET", "/links", nil)
	case n < 58:
		w.do("deep page", "GET", fmt.Sprintf("/links?page=%d", 1+w.random.IntN(max(1, min(w.pages, 400)))), nil)
	case n < 64:
		w.do("page of a tag", "GET", fmt.Sprintf("/tags/%d/links", w.tags[w.random.IntN(len(w.tags))]), nil)
	case n < 68:
		w.do("search", "GET", "/search/links?search_title=1&query="+url.QueryEscape(w.words[w.random.IntN(len(w.words))]), nil)
	case n < 72:
		w.do("names", "GET", "/search/tags?per_page=10&query=a", nil)
	case n < 80:
		w.do("check", "GET", "/links/check?url=https://load.example/none", nil)
	case n < 91:
		w.create()
	case n < 92:
		w.createMany()
	case n < 96:
		w.edit()
	default:
		w.trashOrRestore()
	}
}

// do sends a request and counts what became of it. It returns nothing but an
// answer of 200.
func (w *worker) do(operation, method, path string, body []byte) (answer []byte, ok bool) {
	if w.client == nil {
		client, err := bench.Dial(w.ctx, w.address, w.key)
		if err != nil {
			if w.ctx.Err() == nil {
				w.tallies.note("connect", 0, broken)
				time.Sleep(100 * time.Millisecond)
			}
			return nil, false
		}
		w.client = client
	}
	since := time.Now()
	status, answer, err := w.client.Do(method, "/api/v2"+path, body)
	if err != nil {
		status = broken
		w.client.Close() //nolint:errcheck // it is broken already
		w.client = nil
	}
	w.tallies.note(operation, time.Since(since), status)
	return answer, status == http.StatusOK
}

// draft is what to send to add a link.
func (w *worker) draft() map[string]any {
	w.added++
	return map[string]any{
		"url":         fmt.Sprintf("%s%d", w.prefix, w.added),
		"title":       fmt.Sprintf("%s %d", w.words[w.random.IntN(len(w.words))], w.added),
		"description": "Added while many others read and wrote.",
		"lists":       []string{fmt.Sprintf("load %d", w.random.IntN(20))},
		"tags":        []string{fmt.Sprintf("load %d", w.random.IntN(200)), fmt.Sprintf("under load %d", w.random.IntN(200))},
	}
}

func (w *worker) create() {
	body, _ := json.Marshal(w.draft()) //nolint:errchkjson // texts always can be
	if answer, ok := w.do("create", "POST", "/links", body); ok {
		var l link
		if json.Unmarshal(answer, &l) == nil {
			w.keep(l)
		}
	}
}

// createMany adds fifty links at once.
func (w *worker) createMany() {
	models := make([]map[string]any, 50)
	for i := range models {
		models[i] = w.draft()
	}
	body, _ := json.Marshal(map[string]any{"models": models}) //nolint:errchkjson // texts always can be
	if answer, ok := w.do("bulk create of 50", "POST", "/bulk/links", body); ok {
		var links []link
		if json.Unmarshal(answer, &links) == nil {
			w.keep(links...)
		}
	}
}

func (w *worker) keep(links ...link) {
	for _, l := range links {
		w.own = append(w.own, &owned{id: l.ID, url: l.URL, title: l.Title})
	}
}

// pick returns one of the worker's own links, or nil while it has none.
func (w *worker) pick() *owned {
	if len(w.own) == 0 {
		w.create()
		return nil
	}
	return w.own[w.random.IntN(len(w.own))]
}

func (w *worker) edit() {
	one := w.pick()
	if one == nil || one.trashed || one.unsure {
		return
	}
	title := fmt.Sprintf("Edited %d", w.random.IntN(1e9))
	body, _ := json.Marshal(map[string]any{"url": one.url, "title": title}) //nolint:errchkjson // texts always can be
	if _, ok := w.do("edit", "PATCH", fmt.Sprintf("/links/%d", one.id), body); ok {
		one.title = title
	} else {
		one.unsure = true
	}
}

func (w *worker) trashOrRestore() {
	one := w.pick()
	if one == nil || one.unsure {
		return
	}
	var ok bool
	if one.trashed {
		_, ok = w.do("restore", "PATCH", "/trash/restore", fmt.Appendf(nil, `{"model":"link","id":%d}`, one.id))
	} else {
		_, ok = w.do("trash", "DELETE", fmt.Sprintf("/links/%d", one.id), nil)
	}
	one.trashed, one.unsure = one.trashed != ok, !ok
}
