package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// books are the links that the server has acknowledged, and how it has left them.
type books struct {
	prefix string
	links  map[int64]*owned
}

// verify asks for all links, and for the trash, and compares them with the books.
func (k *books) verify(ctx context.Context, s *scene) error {
	found := map[int64]bool{}
	twice, wrong, more := 0, 0, 0
	look := func(trashed bool) func(link) {
		return func(l link) {
			one := k.links[l.ID]
			switch {
			case found[l.ID]:
				twice++
			case one != nil && !one.unsure && (one.url != l.URL || one.title != l.Title || one.trashed != trashed || len(l.Lists) != 1 || len(l.Tags) != 2):
				wrong++
			case one == nil && strings.HasPrefix(l.URL, k.prefix):
				more++
			}
			found[l.ID] = true
		}
	}
	if err := s.each(ctx, "/api/v2/links?per_page=-1", look(false)); err != nil {
		return err
	}
	if err := s.each(ctx, "/api/v2/trash/links", look(true)); err != nil {
		return err
	}
	lost := 0
	for id := range k.links {
		if !found[id] {
			lost++
		}
	}
	fmt.Printf("links acknowledged %d, found %d, lost %d, twice %d, not as they were left %d; not acknowledged but there %d\n",
		len(k.links), len(k.links)-lost, lost, twice, wrong, more)
	if lost+twice+wrong > 0 {
		return errors.New("the server has not kept its word")
	}
	return nil
}

// each reads a long answer, an array of links or a page with one, link by link.
func (s *scene) each(ctx context.Context, path string, do func(link)) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 300))
		return fmt.Errorf("GET %s: %s: %s", path, response.Status, text)
	}
	all := json.NewDecoder(response.Body)
	for {
		token, err := all.Token()
		if err != nil {
			return err
		}
		if token == json.Delim('[') {
			break
		}
	}
	for all.More() {
		var l link
		if err := all.Decode(&l); err != nil {
			return err
		}
		do(l)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
