package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// client sends requests to the API.
type client struct {
	ctx  context.Context //nolint:containedctx // a client is used for one run
	base string
	key  string
}

// link has the fields of a link that this program reads.
type link struct {
	ID          int64   `json:"id"`
	URL         string  `json:"url"`
	Title       string  `json:"title"`
	Description string  `json:"description"` // "" for null
	Visibility  int     `json:"visibility"`
	Lists       []label `json:"lists"`
	Tags        []label `json:"tags"`
}

// label is a list or a tag.
type label struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type page struct {
	Data  []link  `json:"data"`
	Next  *string `json:"next_page_url"`
	Total int     `json:"total"`
}

// do sends a request to a path of the API, or to a complete URL, and decodes the
// response.
func (c *client) do(method, path string, body, response any) error {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(text)
	}
	if path[0] == '/' {
		path = c.base + path
	}
	r, err := http.NewRequestWithContext(c.ctx, method, path, reader)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return err
	}
	if got.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, got.Status, text)
	}
	return json.Unmarshal(text, response)
}

// total returns the total of a page.
func (c *client) total(path string) (int, error) {
	var p page
	err := c.do("GET", path, nil, &p)
	return p.Total, err
}
