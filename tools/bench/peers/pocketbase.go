package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// pocketBase has collections of links, tags and lists with relations between them, and
// rules that let users read their own links and shared ones.
type pocketBase struct{ user string }

func (*pocketBase) about() about {
	return about{
		name:    "PocketBase",
		version: "0.36.8",
		module:  "github.com/pocketbase/pocketbase",
		target:  "github.com/pocketbase/pocketbase/examples/base",
		ready:   "/api/health",
		loading: "batches of 1,000",
		noSync:  true,
		differs: map[kind]string{
			deleteKind: "PocketBase deletes the link; Waymark moves it to the trash",
		},
		differsIfEmpty: "PocketBase delays its response on purpose to the fourth search in three seconds that finds nothing",
	}
}

const (
	pocketBaseName     = "peers@example.com"
	pocketBasePassword = "a long password"
)

func (*pocketBase) prepare(ctx context.Context, s *server, _ []link) error {
	_, err := s.run(ctx, "superuser", "create", pocketBaseName, pocketBasePassword, "--dir", s.dir)
	return err
}

func (*pocketBase) command(s *server) (arguments, environment []string) {
	return []string{"serve", "--dir", s.dir, "--http", s.address, "--automigrate=false", "--hooksWatch=false"}, nil
}

// pocketBaseTag returns the id of a tag, which must be 15 letters or digits.
func pocketBaseTag(tag string) string {
	letters := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(tag))
	return ("tag" + letters + "xxxxxxxxxxxxxxx")[:15]
}

func (p *pocketBase) load(ctx context.Context, s *server, links []link, _ time.Time) (ids []string, err error) {
	if err := p.signIn(ctx, s, "_superusers"); err != nil {
		return nil, err
	}
	if err := p.createCollections(ctx, s); err != nil {
		return nil, err
	}
	user := map[string]any{"email": pocketBaseName, "password": pocketBasePassword, "passwordConfirm": pocketBasePassword}
	if err := s.call(ctx, http.MethodPost, "/api/collections/users/records", user, nil); err != nil {
		return nil, err
	}
	if err := p.signIn(ctx, s, "users"); err != nil {
		return nil, err
	}
	var tags, records []map[string]any
	known := map[string]bool{}
	for _, l := range links {
		for _, tag := range l.tags {
			if !known[tag] {
				known[tag] = true
				tags = append(tags, map[string]any{"id": pocketBaseTag(tag), "name": tag, "user": p.user})
			}
		}
		records = append(records, p.record(l))
	}
	if _, err := p.batch(ctx, s, "tags", tags); err != nil {
		return nil, err
	}
	return p.batch(ctx, s, "links", records)
}

// signIn sets the server's key to the key of the user in a collection of users.
func (p *pocketBase) signIn(ctx context.Context, s *server, collection string) error {
	var session struct {
		Token  string
		Record struct{ ID string }
	}
	s.key = ""
	body := map[string]any{"identity": pocketBaseName, "password": pocketBasePassword}
	err := s.call(ctx, http.MethodPost, "/api/collections/"+collection+"/auth-with-password", body, &session)
	s.key, p.user = session.Token, session.Record.ID
	return err
}

func (*pocketBase) createCollections(ctx context.Context, s *server) error {
	type object map[string]any
	settings := object{"batch": object{"enabled": true, "maxRequests": 1000, "timeout": 120}}
	if err := s.call(ctx, http.MethodPatch, "/api/settings", settings, nil); err != nil {
		return err
	}
	const own, shared = "user = @request.auth.id", "user = @request.auth.id || visibility < 3"
	relation := func(name, collection string, most int) object {
		return object{"name": name, "type": "relation", "collectionId": collection, "maxSelect": most, "required": most == 1}
	}
	create := func(name string, indexes []string, fields ...object) (id string, err error) {
		var created struct{ ID string }
		fields = append(fields,
			relation("user", "_pb_users_auth_", 1),
			object{"name": "visibility", "type": "number"},
			object{"name": "created", "type": "autodate", "onCreate": true},
			object{"name": "updated", "type": "autodate", "onCreate": true, "onUpdate": true})
		err = s.call(ctx, http.MethodPost, "/api/collections", object{
			"name": name, "type": "base", "fields": fields, "indexes": indexes,
			"listRule": shared, "viewRule": shared, "createRule": own, "updateRule": own, "deleteRule": own,
		}, &created)
		return created.ID, err
	}
	named := object{"name": "name", "type": "text", "required": true}
	lists, err := create("lists", nil, named)
	if err != nil {
		return err
	}
	tags, err := create("tags", []string{"CREATE UNIQUE INDEX tags_name ON tags (user, name)"}, named)
	if err != nil {
		return err
	}
	_, err = create("links",
		[]string{"CREATE UNIQUE INDEX links_url ON links (user, url)", "CREATE INDEX links_created ON links (created)"},
		object{"name": "url", "type": "text", "required": true, "max": 10_000},
		object{"name": "title", "type": "text"},
		object{"name": "description", "type": "text", "max": 100_000},
		relation("tags", tags, 99), relation("lists", lists, 99))
	return err
}

// record returns the fields of a link.
func (p *pocketBase) record(l link) map[string]any {
	ids := make([]string, len(l.tags))
	for i, tag := range l.tags {
		ids[i] = pocketBaseTag(tag)
	}
	return map[string]any{"url": l.url, "title": l.title, "description": l.description, "visibility": 3, "user": p.user, "tags": ids}
}

// batch creates records, a thousand per request, and returns their ids.
func (*pocketBase) batch(ctx context.Context, s *server, collection string, records []map[string]any) (ids []string, err error) {
	const batchSize = 1000
	for from := 0; from < len(records); from += batchSize {
		var requests []map[string]any
		for _, record := range records[from:min(from+batchSize, len(records))] {
			requests = append(requests, map[string]any{"method": "POST", "url": "/api/collections/" + collection + "/records", "body": record})
		}
		var created []struct {
			Body struct{ ID string }
		}
		if err := s.call(ctx, http.MethodPost, "/api/batch", map[string]any{"requests": requests}, &created); err != nil {
			return nil, err
		}
		for _, record := range created {
			ids = append(ids, record.Body.ID)
		}
	}
	return ids, nil
}

const (
	pocketBaseLinks = "/api/collections/links/records"
	pocketBaseMore  = "expand=tags,lists"
)

func (*pocketBase) get(id string) request {
	return request{method: "GET", path: pocketBaseLinks + "/" + id + "?" + pocketBaseMore}
}

func (*pocketBase) list(page int, filter string) request {
	path := fmt.Sprintf("%s?%s&sort=-created&perPage=%d&page=%d", pocketBaseLinks, pocketBaseMore, pageSize, page)
	if filter != "" {
		path += "&filter=" + url.QueryEscape(filter)
	}
	return request{method: "GET", path: path}
}

func (p *pocketBase) page(number int) request { return p.list(number, "") }

func (p *pocketBase) search(text string) request {
	return p.list(1, fmt.Sprintf("url ~ %[1]q || title ~ %[1]q || description ~ %[1]q", text))
}

func (p *pocketBase) tagPage(tag string) request {
	return p.list(1, fmt.Sprintf("tags ~ %q", pocketBaseTag(tag)))
}

func (p *pocketBase) create(l link) request {
	return request{"POST", pocketBaseLinks, jsonOf(p.record(l))}
}

func (*pocketBase) update(id string, l link) request {
	return request{"PATCH", pocketBaseLinks + "/" + id, jsonOf(map[string]any{"url": l.url, "title": l.title})}
}

func (*pocketBase) remove(id string) request {
	return request{method: "DELETE", path: pocketBaseLinks + "/" + id}
}

func (*pocketBase) created(response []byte) (string, error) {
	var record struct{ ID string }
	err := json.Unmarshal(response, &record)
	return record.ID, err
}

func (*pocketBase) total(response []byte) (string, error) {
	var page struct{ TotalItems int }
	err := json.Unmarshal(response, &page)
	return strconv.Itoa(page.TotalItems), err
}
