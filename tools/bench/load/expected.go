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

// expected are the links that the server acknowledged, in the state that it
// acknowledged last.
type expected struct {
	prefix string // of the URLs of all links that the workers created
	links  map[int64]*ownLink
}

// verify compares all active and trashed links of the server with the expected ones.
func (e *expected) verify(ctx context.Context, t *target) error {
	found := map[int64]bool{}
	duplicates, different, unacknowledged := 0, 0, 0
	check := func(trashed bool) func(link) {
		return func(l link) {
			own := e.links[l.ID]
			switch {
			case found[l.ID]:
				duplicates++
			case own != nil && !own.unknown && (own.url != l.URL || own.title != l.Title || own.trashed != trashed || len(l.Lists) != 1 || len(l.Tags) != 2):
				different++
			case own == nil && strings.HasPrefix(l.URL, e.prefix):
				unacknowledged++
			}
			found[l.ID] = true
		}
	}
	if err := t.eachLink(ctx, "/api/v2/links?per_page=-1", check(false)); err != nil {
		return err
	}
	if err := t.eachLink(ctx, "/api/v2/trash/links", check(true)); err != nil {
		return err
	}
	lost := 0
	for id := range e.links {
		if !found[id] {
			lost++
		}
	}
	fmt.Printf("links acknowledged %d, found %d, lost %d, duplicated %d, different %d; created but not acknowledged %d\n",
		len(e.links), len(e.links)-lost, lost, duplicates, different, unacknowledged)
	if lost+duplicates+different > 0 {
		return errors.New("acknowledged changes are missing")
	}
	return nil
}

// eachLink calls do for each link of a response: an array of links, or a page with
// such an array. It decodes while it reads, since the response may be large.
func (t *target) eachLink(ctx context.Context, path string, do func(link)) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+t.address+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+t.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 300))
		return fmt.Errorf("GET %s: %s: %s", path, response.Status, text)
	}
	decoder := json.NewDecoder(response.Body)
	for {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		if token == json.Delim('[') {
			break
		}
	}
	for decoder.More() {
		var l link
		if err := decoder.Decode(&l); err != nil {
			return err
		}
		do(l)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
