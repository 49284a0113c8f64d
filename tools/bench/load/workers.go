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
	*target
	ctx     context.Context //nolint:containedctx // a worker is used for one run
	prefix  string          // of the URLs that it creates
	created int
	client  *bench.Client // nil after a connection error
	random  *rand.Rand
	counts  counts
	own     []*ownLink
}

// ownLink is a link that a worker created, in the state that the server acknowledged.
type ownLink struct {
	id      int64
	url     string
	title   string
	trashed bool
	unknown bool // a change was not acknowledged, so it may have happened or not
}

// runWorkers runs one worker per connection for a duration, and prints their counts.
func (t *target) runWorkers(ctx context.Context, connections int, duration time.Duration) *expected {
	ctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	prefix := fmt.Sprintf("https://%d.load.example/", time.Now().UnixNano())
	workers := make([]*worker, connections)
	since := time.Now()
	var running sync.WaitGroup
	for i := range workers {
		w := &worker{
			target: t,
			ctx:    ctx,
			prefix: fmt.Sprintf("%s%d/", prefix, i),
			random: rand.New(rand.NewPCG(uint64(since.UnixNano()), uint64(i))),
			counts: counts{},
		}
		workers[i] = w
		running.Go(w.run)
	}
	running.Wait()
	elapsed := time.Since(since)

	sum, e := counts{}, &expected{prefix: prefix, links: map[int64]*ownLink{}}
	for _, w := range workers {
		sum.merge(w.counts)
		for _, own := range w.own {
			e.links[own.id] = own
		}
	}
	var rows []string
	for _, operation := range slices.Sorted(maps.Keys(sum)) {
		rows = append(rows, operation+"\t"+sum[operation].row(elapsed))
	}
	rows = append(rows, "all\t"+sum.total().row(elapsed))
	printTable(fmt.Sprintf("%d connections, %s\trequests\tper second\tp50\tp99\tmax\terrors", connections, elapsed.Round(time.Second)), rows)
	return e
}

// run sends requests until the context ends.
func (w *worker) run() {
	for w.ctx.Err() == nil {
		w.next()
	}
	if w.client != nil {
		w.client.Close() //nolint:errcheck // all responses are complete
	}
}

// next runs a random operation. Four in five only read.
func (w *worker) next() {
	switch n := w.random.IntN(100); {
	case n < 30:
		w.do("link", "GET", fmt.Sprintf("/links/%d", w.links[w.random.IntN(len(w.links))]), nil)
	case n < 52:
		w.do("page 1", "GET", "/links", nil)
	case n < 58:
		w.do("deep page", "GET", fmt.Sprintf("/links?page=%d", 1+w.random.IntN(max(1, min(w.pages, 400)))), nil)
	case n < 64:
		w.do("links with a tag", "GET", fmt.Sprintf("/tags/%d/links", w.tags[w.random.IntN(len(w.tags))]), nil)
	case n < 68:
		w.do("search", "GET", "/search/links?search_title=1&query="+url.QueryEscape(w.words[w.random.IntN(len(w.words))]), nil)
	case n < 72:
		w.do("tag names", "GET", "/search/tags?per_page=10&query=a", nil)
	case n < 80:
		w.do("check URL", "GET", "/links/check?url=https://load.example/none", nil)
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

// do sends a request and records its latency and status. ok reports whether the
// status is 200.
func (w *worker) do(operation, method, path string, body []byte) (response []byte, ok bool) {
	if w.client == nil {
		client, err := bench.Dial(w.ctx, w.address, w.key)
		if err != nil {
			if w.ctx.Err() == nil {
				w.counts.record("connect", 0, connectionError)
				time.Sleep(100 * time.Millisecond)
			}
			return nil, false
		}
		w.client = client
	}
	since := time.Now()
	status, response, err := w.client.Do(method, "/api/v2"+path, body)
	if err != nil {
		status = connectionError
		w.client.Close() //nolint:errcheck // it has failed already
		w.client = nil
	}
	w.counts.record(operation, time.Since(since), status)
	return response, status == http.StatusOK
}

// draft returns the JSON object of a new link.
func (w *worker) draft() map[string]any {
	w.created++
	return map[string]any{
		"url":         fmt.Sprintf("%s%d", w.prefix, w.created),
		"title":       fmt.Sprintf("%s %d", w.words[w.random.IntN(len(w.words))], w.created),
		"description": "Created by the load program.",
		"lists":       []string{fmt.Sprintf("load %d", w.random.IntN(20))},
		"tags":        []string{fmt.Sprintf("load %d", w.random.IntN(200)), fmt.Sprintf("under load %d", w.random.IntN(200))},
	}
}

func (w *worker) create() {
	body, _ := json.Marshal(w.draft()) //nolint:errchkjson // strings can always be encoded
	if response, ok := w.do("create", "POST", "/links", body); ok {
		var l link
		if json.Unmarshal(response, &l) == nil {
			w.addOwn(l)
		}
	}
}

// createMany creates fifty links with one request.
func (w *worker) createMany() {
	models := make([]map[string]any, 50)
	for i := range models {
		models[i] = w.draft()
	}
	body, _ := json.Marshal(map[string]any{"models": models}) //nolint:errchkjson // strings can always be encoded
	if response, ok := w.do("bulk create of 50", "POST", "/bulk/links", body); ok {
		var links []link
		if json.Unmarshal(response, &links) == nil {
			w.addOwn(links...)
		}
	}
}

func (w *worker) addOwn(links ...link) {
	for _, l := range links {
		w.own = append(w.own, &ownLink{id: l.ID, url: l.URL, title: l.Title})
	}
}

// pick returns a random link of the worker. If there is none yet, it creates one and
// returns nil.
func (w *worker) pick() *ownLink {
	if len(w.own) == 0 {
		w.create()
		return nil
	}
	return w.own[w.random.IntN(len(w.own))]
}

func (w *worker) edit() {
	own := w.pick()
	if own == nil || own.trashed || own.unknown {
		return
	}
	title := fmt.Sprintf("Edited %d", w.random.IntN(1e9))
	body, _ := json.Marshal(map[string]any{"url": own.url, "title": title}) //nolint:errchkjson // strings can always be encoded
	if _, ok := w.do("edit", "PATCH", fmt.Sprintf("/links/%d", own.id), body); ok {
		own.title = title
	} else {
		own.unknown = true
	}
}

func (w *worker) trashOrRestore() {
	own := w.pick()
	if own == nil || own.unknown {
		return
	}
	var ok bool
	if own.trashed {
		_, ok = w.do("restore", "PATCH", "/trash/restore", fmt.Appendf(nil, `{"model":"link","id":%d}`, own.id))
	} else {
		_, ok = w.do("trash", "DELETE", fmt.Sprintf("/links/%d", own.id), nil)
	}
	own.trashed, own.unknown = own.trashed != ok, !ok
}
