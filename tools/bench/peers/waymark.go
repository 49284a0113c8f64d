package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// waymark is the program of the working tree, or of a commit.
type waymark struct {
	commit string // "" for the working tree
	tags   map[string]int64
}

func (w *waymark) about() about {
	a := about{name: "Waymark", target: "waymark", ready: "/healthz", loading: "bulk requests of 1,000"}
	if w.commit != "" {
		a.name, a.version = "Commit", w.commit
	}
	return a
}

func (*waymark) prepare(context.Context, *server, []link) error { return nil }

func (*waymark) command(s *server) (arguments, environment []string) {
	return []string{"serve", "--data", s.dir, "--listen", s.address, "--log-level", "error"}, []string{"WAYMARK_METADATA=off", "WAYMARK_PICTURES=off", "WAYMARK_CHECK=off"}
}

func waymarkLink(l link) map[string]any {
	return map[string]any{"url": l.url, "title": l.title, "description": l.description, "tags": l.tags}
}

func (w *waymark) load(ctx context.Context, s *server, links []link, _ time.Time) (ids []string, err error) {
	if _, err := s.run(ctx, "user", "add", "ann", "--no-password", "--data", s.dir); err != nil {
		return nil, err
	}
	if s.key, err = s.run(ctx, "key", "add", "ann", "peers", "--data", s.dir); err != nil {
		return nil, err
	}
	w.tags = map[string]int64{}
	const bulkSize = 1000
	for from := 0; from < len(links); from += bulkSize {
		var models []map[string]any
		for _, l := range links[from:min(from+bulkSize, len(links))] {
			models = append(models, waymarkLink(l))
		}
		var created []struct {
			ID   int64 `json:"id"`
			Tags []struct {
				ID   int64  `json:"id"`
				Name string `json:"name"`
			} `json:"tags"`
		}
		if err := s.call(ctx, http.MethodPost, "/api/v2/bulk/links", map[string]any{"models": models}, &created); err != nil {
			return nil, err
		}
		for _, l := range created {
			ids = append(ids, strconv.FormatInt(l.ID, 10))
			for _, tag := range l.Tags {
				w.tags[tag.Name] = tag.ID
			}
		}
	}
	return ids, nil
}

func (*waymark) get(id string) request { return request{method: "GET", path: "/api/v2/links/" + id} }

func (*waymark) page(number int) request {
	return request{method: "GET", path: "/api/v2/links?page=" + strconv.Itoa(number)}
}

func (*waymark) search(text string) request {
	return request{method: "GET", path: "/api/v2/search/links?search_title=1&search_description=1&query=" + url.QueryEscape(text)}
}

func (w *waymark) tagPage(tag string) request {
	return request{method: "GET", path: fmt.Sprintf("/api/v2/tags/%d/links", w.tags[tag])}
}

func (*waymark) create(l link) request {
	return request{"POST", "/api/v2/links", jsonOf(waymarkLink(l))}
}

func (*waymark) update(id string, l link) request {
	return request{"PATCH", "/api/v2/links/" + id, jsonOf(map[string]any{"url": l.url, "title": l.title})}
}

func (*waymark) remove(id string) request {
	return request{method: "DELETE", path: "/api/v2/links/" + id}
}

func (*waymark) created(response []byte) (string, error) {
	var l struct {
		ID int64 `json:"id"`
	}
	err := json.Unmarshal(response, &l)
	return strconv.FormatInt(l.ID, 10), err
}

func (*waymark) total(response []byte) (string, error) {
	var page struct {
		Total int `json:"total"`
	}
	err := json.Unmarshal(response, &page)
	return strconv.Itoa(page.Total), err
}
