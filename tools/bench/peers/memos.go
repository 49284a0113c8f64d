package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// memos stores notes. A link is a note with the link as text and with hashtags.
type memos struct{}

func (*memos) about() about {
	const list = "memos has no total"
	return about{
		name:    "memos",
		version: "0.26.2",
		module:  "github.com/usememos/memos",
		target:  "github.com/usememos/memos/cmd/memos",
		ready:   "/healthz",
		loading: "one by one, until the time is over",
		differs: map[kind]string{
			pageKind:   list,
			tagKind:    list,
			searchKind: list,
			deleteKind: "memos deletes the link; Waymark moves it to the trash",
		},
	}
}

func (*memos) prepare(context.Context, *server, []link) error { return nil }

func (*memos) command(s *server) (arguments, environment []string) {
	return []string{"--data", s.dir, "--addr", "127.0.0.1", "--port", s.port()}, nil
}

func (m *memos) load(ctx context.Context, s *server, links []link, until time.Time) (ids []string, err error) {
	const name, password = "ann", "a long password"
	var user struct{ Name string }
	if err := s.call(ctx, http.MethodPost, "/api/v1/users", map[string]any{"username": name, "password": password}, &user); err != nil {
		return nil, err
	}
	var session struct{ AccessToken string }
	credentials := map[string]any{"passwordCredentials": map[string]any{"username": name, "password": password}}
	if err := s.call(ctx, http.MethodPost, "/api/v1/auth/signin", credentials, &session); err != nil {
		return nil, err
	}
	s.key = session.AccessToken // expires after minutes
	var token struct{ Token string }
	if err := s.call(ctx, http.MethodPost, "/api/v1/"+user.Name+"/personalAccessTokens", map[string]any{"description": "peers"}, &token); err != nil {
		return nil, err
	}
	s.key = token.Token
	for _, l := range links {
		if time.Now().After(until) {
			break
		}
		r := m.create(l)
		var memo struct{ Name string }
		if err := s.call(ctx, r.method, r.path, json.RawMessage(r.body), &memo); err != nil {
			return nil, err
		}
		ids = append(ids, memo.Name)
	}
	return ids, nil
}

func memoOf(l link) map[string]any {
	content := fmt.Sprintf("[%s](%s)\n\n%s\n\n#%s", l.title, l.url, l.description, strings.Join(l.tags, " #"))
	return map[string]any{"content": content, "visibility": "PRIVATE"}
}

func (*memos) get(id string) request { return request{method: "GET", path: "/api/v1/" + id} }

// page asks with the token that memos returns for the page before: a protocol buffer
// with the limit and the offset.
func (*memos) page(number int) request {
	token := binary.AppendUvarint([]byte{1 << 3}, pageSize)
	token = binary.AppendUvarint(append(token, 2<<3), uint64((number-1)*pageSize))
	return request{method: "GET", path: "/api/v1/memos?pageToken=" + url.QueryEscape(base64.StdEncoding.EncodeToString(token))}
}

func (*memos) filter(condition string) request {
	return request{method: "GET", path: fmt.Sprintf("/api/v1/memos?pageSize=%d&filter=%s", pageSize, url.QueryEscape(condition))}
}

func (m *memos) search(text string) request {
	return m.filter(fmt.Sprintf("content.contains(%q)", text))
}

func (m *memos) tagPage(tag string) request { return m.filter(fmt.Sprintf("tag in [%q]", tag)) }

func (*memos) create(l link) request { return request{"POST", "/api/v1/memos", jsonOf(memoOf(l))} }

func (*memos) update(id string, l link) request {
	return request{"PATCH", "/api/v1/" + id + "?updateMask=content", jsonOf(memoOf(l))}
}

func (*memos) remove(id string) request { return request{method: "DELETE", path: "/api/v1/" + id} }

func (*memos) created(response []byte) (string, error) {
	var memo struct{ Name string }
	err := json.Unmarshal(response, &memo)
	return memo.Name, err
}

func (*memos) total(response []byte) (string, error) {
	var page struct {
		Memos         []struct{}
		NextPageToken string
	}
	err := json.Unmarshal(response, &page)
	if page.NextPageToken != "" {
		return "more than " + fmt.Sprint(len(page.Memos)), err
	}
	return fmt.Sprint(len(page.Memos)), err
}
