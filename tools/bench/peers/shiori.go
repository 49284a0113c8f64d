package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// shiori stores bookmarks. They are imported with its command, since its API fetches the
// page of each new bookmark.
type shiori struct{}

func (*shiori) about() about {
	const words = "Shiori finds whole words of titles, and parts of URLs; it has no descriptions and shows 30 links and the number of pages"
	const page = "Shiori shows 30 links and the number of pages instead of the total"
	return about{
		name:    "Shiori",
		version: "1.8.0",
		module:  "github.com/go-shiori/shiori",
		target:  "github.com/go-shiori/shiori",
		ready:   "/system/liveness",
		loading: "its import command, without descriptions",
		noSync:  true,
		differs: map[kind]string{
			getKind:    "Shiori has no request for one bookmark; this is the readable text of its page, which is empty",
			pageKind:   page,
			tagKind:    page,
			searchKind: words,
			createKind: "Shiori then fetches the page, here from a port that refuses connections, and writes again",
			updateKind: "Shiori replaces the tags too",
			deleteKind: "Shiori deletes the link; Waymark moves it to the trash",
		},
	}
}

func (*shiori) prepare(ctx context.Context, s *server, links []link) error {
	var file strings.Builder
	file.WriteString("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL>\n")
	for _, l := range links {
		fmt.Fprintf(&file, "<DT><A HREF=\"%s\" TAGS=\"%s\">%s</A>\n",
			html.EscapeString(l.url), html.EscapeString(strings.Join(l.tags, ",")), html.EscapeString(l.title))
	}
	file.WriteString("</DL>\n")
	name := s.dir + ".html"
	if err := os.WriteFile(name, []byte(file.String()), 0o644); err != nil {
		return err
	}
	_, err := s.run(ctx, "import", "--generate-tag", name)
	return err
}

func (*shiori) command(s *server) (arguments, environment []string) {
	return []string{"server", "--address", "127.0.0.1", "--port", s.port(), "--log-level", "error"},
		[]string{"SHIORI_DIR=" + s.dir, "SHIORI_HTTP_ACCESS_LOG=false", "HOSTNAME=localhost", "SHIORI_HOSTNAME=localhost"}
}

func (h *shiori) load(ctx context.Context, s *server, _ []link, _ time.Time) (ids []string, err error) {
	// It creates this account at its first start.
	body := map[string]any{"username": "shiori", "password": "gopher", "remember_me": true}
	var session shioriMessage[struct{ Token string }]
	if err := s.call(ctx, http.MethodPost, "/api/v1/auth/login", body, &session); err != nil {
		return nil, err
	}
	s.key = session.Message.Token
	// The newest bookmark has the highest id, and the import numbers them from 1.
	var first shioriMessage[shioriPage]
	if err := s.call(ctx, http.MethodGet, h.page(1).path, nil, &first); err != nil {
		return nil, err
	}
	if len(first.Message.Bookmarks) == 0 {
		return nil, errors.New("the import stored nothing")
	}
	for id := 1; id <= first.Message.Bookmarks[0].ID; id++ {
		ids = append(ids, strconv.Itoa(id))
	}
	return ids, nil
}

// shioriMessage is the object around each response.
type shioriMessage[T any] struct{ Message T }

// shioriPage has the fields of a page that are read.
type shioriPage struct {
	MaxPage   int
	Bookmarks []struct{ ID int }
}

func (*shiori) get(id string) request {
	return request{method: "GET", path: "/api/v1/bookmarks/" + id + "/readable"}
}

func (*shiori) page(number int) request {
	return request{method: "GET", path: "/api/bookmarks?page=" + strconv.Itoa(number)}
}

func (*shiori) search(text string) request {
	return request{method: "GET", path: "/api/bookmarks?page=1&keyword=" + url.QueryEscape(text)}
}

func (*shiori) tagPage(tag string) request {
	return request{method: "GET", path: "/api/bookmarks?page=1&tags=" + url.QueryEscape(tag)}
}

func shioriTags(l link) []map[string]string {
	tags := make([]map[string]string, len(l.tags))
	for i, tag := range l.tags {
		tags[i] = map[string]string{"name": tag}
	}
	return tags
}

func (*shiori) create(l link) request {
	return request{"POST", "/api/bookmarks", jsonOf(map[string]any{"url": l.url, "title": l.title, "excerpt": l.description, "tags": shioriTags(l), "async": true})}
}

func (*shiori) update(id string, l link) request {
	number, _ := strconv.Atoi(id) // ids are numbers
	return request{"PUT", "/api/bookmarks", jsonOf(map[string]any{"id": number, "url": l.url, "title": l.title, "tags": shioriTags(l)})}
}

func (*shiori) remove(id string) request {
	return request{"DELETE", "/api/bookmarks", []byte("[" + id + "]")}
}

func (*shiori) created(response []byte) (string, error) {
	var bookmark shioriMessage[struct{ ID int }]
	err := json.Unmarshal(response, &bookmark)
	return strconv.Itoa(bookmark.Message.ID), err
}

func (*shiori) total(response []byte) (string, error) {
	var page shioriMessage[shioriPage]
	err := json.Unmarshal(response, &page)
	return fmt.Sprintf("%d pages", page.Message.MaxPage), err
}
