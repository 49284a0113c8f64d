package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// visitor asks the server as any client does.
type visitor struct {
	ctx  context.Context //nolint:containedctx // one run is one visit
	base string
	key  string
}

// link is what a link's answer says that is looked at here.
type link struct {
	ID          int64  `json:"id"`
	URL         string `json:"url"`
	Title       string `json:"title"`
	Description string `json:"description"` // null reads as ""
	Visibility  int    `json:"visibility"`
	Lists       []name `json:"lists"`
	Tags        []name `json:"tags"`
}

type name struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type page struct {
	Data  []link  `json:"data"`
	Next  *string `json:"next_page_url"`
	Total int     `json:"total"`
}

// do sends a request to a path below the API, or to a whole URL, and reads the answer.
func (v *visitor) do(method, path string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	if path[0] == '/' {
		path = v.base + path
	}
	r, err := http.NewRequestWithContext(v.ctx, method, path, sent)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+v.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, response.Status, text)
	}
	return json.Unmarshal(text, answer)
}

// total returns how many links a page says there are in all.
func (v *visitor) total(path string) (int, error) {
	var p page
	err := v.do("GET", path, nil, &p)
	return p.Total, err
}
