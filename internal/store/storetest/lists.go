package storetest

import (
	"testing"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// SharedList creates a list of owner that everyone edits, with some links of owner's.
func SharedList(t testing.TB, s *store.Store, owner waymark.User, links ...waymark.LinkID) waymark.List {
	t.Helper()
	list, err := s.CreateList(t.Context(), owner.ID, waymark.List{Name: "shared", Visibility: waymark.Internal})
	if err == nil {
		err = s.SetListEditors(t.Context(), owner, list.ID, waymark.Editors{Who: waymark.EditedByEveryone})
	}
	for _, link := range links {
		if err == nil {
			err = s.AddToList(t.Context(), owner, list.ID, link, waymark.MaxLinkLists)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}
