package store_test

import (
	"fmt"
	"testing"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// wantLabels checks the names of a link's lists and tags that viewer sees.
func wantLabels(t testing.TB, s *store.Store, viewer waymark.User, id waymark.LinkID, want string) {
	t.Helper()
	link, err := s.Link(t.Context(), viewer.ID, id)
	check(t, err)
	var lists, tags []string
	for _, list := range link.Lists {
		lists = append(lists, list.Name)
	}
	for _, tag := range link.Tags {
		tags = append(tags, tag.Name)
	}
	if got := fmt.Sprint(lists, tags); got != want {
		t.Errorf("link %d for %q has lists and tags %s, want %s", id, viewer.Name, got, want)
	}
}

// setLabels replaces the lists and tags of a link.
func setLabels(t testing.TB, s *store.Store, editor waymark.User, id waymark.LinkID, lists, tags []waymark.Ref) {
	t.Helper()
	if _, err := s.ChangeLink(t.Context(), editor, id, &lists, &tags, func(*waymark.Link, waymark.Target) error { return nil }); err != nil {
		t.Fatal(err)
	}
}
