package web

import (
	"fmt"
	"testing"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// addManyLists adds more lists to a list than a branch shows at once, and returns their names' beginning.
func addManyLists(t *testing.T, s *testSite, p *browser, parent waymark.ListID) {
	t.Helper()
	lists := make([]waymark.List, store.MaxBranch+20)
	for i := range lists {
		lists[i] = waymark.List{Name: fmt.Sprintf("sub %02d", i), Parent: parent, Visibility: waymark.Private}
	}
	_, err := s.store.CreateLists(t.Context(), p.user.ID, lists)
	check(t, err)
}

func TestAllListsAreATreeWhoseBranchesAreOpened(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		ids := addNested(ada, "Programming", "Go", "Databases")
		addManyLists(t, s, ada, ids[1])
		const rows = ".all-lists .entry bdi"
		if got := namesOf(ada.get("/lists").Find(rows)); got != "Programming" {
			t.Errorf("got %q, want closed branches", got)
		}
		p := ada.get(fmt.Sprint("/lists?open=", ids[1])) // as without a script
		p.wantText("main h1 .n", "63")
		p.wantText(".all-lists .subs-of", "1 list61 lists")
		if n := p.Find(rows).Length(); n != 2+store.MaxBranch {
			t.Errorf("got %d lists, want the way to the list and its first sublists", n)
		}
		p.wantText(".all-lists .rest", "21 more: type to find")
		part := ada.post(listPath(ids[0])+"/branch", "open", "1", "rows", "tree").wantStatus(200)
		if got := namesOf(part.Find(".entry bdi")); got != "Go" {
			t.Errorf("opened, the branch has %q", got)
		}
		if got := namesOf(ada.get("/lists").Find(rows)); got != "Programming Go" {
			t.Errorf("got %q, want the branch that was opened", got)
		}
		p = ada.get(p.attr(".all-lists .rest a", "href") + "&name=sub+59").wantStatus(200)
		if got := namesOf(p.Find(".listgrid bdi")); got != "sub 59 Programming › Go" {
			t.Errorf("found %q, want the list with its path", got)
		}
		// At the side, a long branch begins with a field.
		ada.post(listPath(ids[1])+"/branch", "open", "1").wantStatus(200)
		p = ada.get("/links")
		p.wantAttr(".side .seek [name=name]", "placeholder", "Find among 61")
		in := fmt.Sprint("in-", ids[0])
		for name, want := range map[string]string{"sub+59": "Go › sub 59", "": "Go"} {
			found := ada.get(fmt.Sprintf("/lists?in=%d&name=%s", ids[0], name), "HX-Request", "true", "HX-Target", in)
			if got := namesOf(found.Find("body > li > a bdi")); got != want {
				t.Errorf("%q: found %q, want %q", name, got, want)
			}
		}
		bob := s.user(t, "bob")
		bob.get(fmt.Sprint("/lists?in=", ids[0])).wantStatus(404)
		bob.get(fmt.Sprint("/lists?open=", ids[0])).wantStatus(200).wantCount(".all-lists", 0)
		bob.post("/lists", "name", "Shared", "visibility", "internal").wantStatus(303)
		p = ada.get("/lists")
		p.wantText(".tabs .n", "1")
		if got := namesOf(ada.get(p.attr(".tabs a + a", "href")).Find(".listgrid bdi")); got != "Shared bob" {
			t.Errorf("shared: got %q", got)
		}
	})
}

func TestFieldForListsOffersThoseThatWereUsedLast(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		for i, list := range []string{"often", "often", "seldom"} {
			ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://%d.example/", i), Lists: &[]waymark.Ref{{Name: list}}})
		}
		offered := func() string { return spaced(ada.get("/complete/lists"), "[role=option] bdi") }
		if got := offered(); got != "seldom often" {
			t.Errorf("got %q, want the list of the last link first", got)
		}
		ada.post("/bulk", "models", "1", "do", "lists", "lists", "new").wantStatus(303) // an older link
		if got := offered(); got != "often new seldom" && got != "new often seldom" {
			t.Errorf("got %q, want the lists of the link that was changed last first", got)
		}
	})
}
