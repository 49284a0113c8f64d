package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// addNested adds lists through the form, each in the one before it.
func addNested(p *browser, names ...string) []waymark.ListID {
	var ids []waymark.ListID
	parent := ""
	for _, name := range names {
		form := p.get("/lists/create?parent=" + parent).wantStatus(200)
		if got, _ := form.Find("input[name=parent]").Attr("value"); got != parent {
			p.t.Errorf("%s: the form has the parent %q, want %q", name, got, parent)
		}
		path := p.post("/lists", "name", name, "visibility", "private", "parent", parent).wantStatus(303).location
		parent = strings.TrimPrefix(path, "/lists/")
		var id waymark.ListID
		if _, err := fmt.Sscan(parent, &id); err != nil {
			p.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func namesOf(s *goquery.Selection) string {
	return strings.Join(s.Map(func(_ int, s *goquery.Selection) string { return s.Text() }), " ")
}

func TestListShowsWhereItStandsAndWhatStandsInIt(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ids := addNested(ada, "Programming", "Go", "Databases")
	p := ada.get(listPath(ids[1])).wantStatus(200)
	if got := namesOf(p.Find("nav.path bdi")); got != "Programming" {
		t.Errorf("got the path %q", got)
	}
	if got := namesOf(p.Find(".subs bdi")); got != "Databases" {
		t.Errorf("got the sublists %q", got)
	}
	if got := namesOf(p.Find(".side .tree bdi")); got != "Programming Go Databases" {
		t.Errorf("got the tree %q, want the way to the list and its sublists", got)
	}
	if got := namesOf(p.Find(".side .tree [aria-current] bdi")); got != "Go" {
		t.Errorf("got the current list %q", got)
	}
	if got := namesOf(ada.get("/links").Find(".side .tree bdi")); got != "Programming" {
		t.Errorf("got the tree %q, want closed branches", got)
	}
	ada.post(listPath(ids[0])+"/branch", "open", "1").wantStatus(200)
	if got := namesOf(ada.get("/links").Find(".side .tree bdi")); got != "Programming Go" {
		t.Errorf("got the tree %q, want the branch that was opened", got)
	}
	ada.post(listPath(ids[0])+"/branch", "open", "0").wantStatus(204)
	if got := namesOf(ada.get("/links").Find(".side .tree bdi")); got != "Programming" {
		t.Errorf("got the tree %q, want the branch closed again", got)
	}
	ada.addLink(waymark.LinkInput{URL: "https://deep.example/", Lists: &[]waymark.Ref{{ID: int64(ids[2])}}})
	for path, want := range map[string]int{listPath(ids[0]): 1, fmt.Sprintf("/links?q=only:%%23%d", ids[0]): 0, listPath(ids[2]): 1} {
		p := ada.get(path).wantStatus(200)
		p.wantCount("main li.link", want)
		if got := p.Find(".side .tree .n").First().Text(); got != "1" {
			t.Errorf("%s: got the number %q at the side, want that with the sublists", path, got)
		}
	}
	s.user(t, "bob").post(listPath(ids[0])+"/branch", "open", "1").wantStatus(404)
}

func TestListIsMoved(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ids := addNested(ada, "A", "B", "C")
	other := addNested(ada, "Other")[0]
	move := func(id waymark.ListID, fields ...string) response {
		return ada.post("/lists/move", append(fields, "models", fmt.Sprint(id))...)
	}
	places := func(id waymark.ListID, more string) response {
		return ada.get(fmt.Sprint("/lists/move?models=", id, more)).wantStatus(200)
	}
	parent := func(id waymark.ListID) waymark.ListID {
		list, err := s.store.List(t.Context(), ada.user.ID, id)
		check(t, err)
		return list.Parent
	}
	places(ids[1], "").wantCount("input[name=into][disabled]", 3)
	if got := namesOf(places(other, "&words=c").Find(".places bdi")); got != "A B C" {
		t.Errorf("got the places %q, want the match and those in which it stands", got)
	}
	p := ada.follow(move(ids[1], "into", fmt.Sprint(other)))
	if got := parent(ids[1]); got != other || p.text("#toasts .toast span") != "“B” is moved." {
		t.Errorf("got the parent %d, want %d", got, other)
	}
	undo, _ := p.Find("#toasts form").Attr("action")
	ada.post(undo).wantStatus(303)
	if got := parent(ids[1]); got != ids[0] {
		t.Errorf("got the parent %d after the undo, want %d", got, ids[0])
	}
	for _, wrong := range []string{fmt.Sprint(ids[2]), fmt.Sprint(ids[1]), "999", "x", ""} {
		if move(ids[1], "into", wrong).wantStatus(422).text("#problems") == "" {
			t.Errorf("parent %q: no problem is shown", wrong)
		}
	}
	s.user(t, "bob").post("/lists/move", "models", fmt.Sprint(ids[1]), "into", "0").wantStatus(404)
	order := func() string { return namesOf(ada.get("/links").Find(".side .tree bdi")) }
	if got := order(); got != "A Other" {
		t.Errorf("got the order %q", got)
	}
	move(other, "step", "up").wantStatus(303)
	if got := order(); got != "Other A" {
		t.Errorf("got the order %q after one up", got)
	}
	move(other, "step", "up").wantStatus(303)
	move(other, "step", "down").wantStatus(303)
	if got := order(); got != "A Other" {
		t.Errorf("got the order %q after one down", got)
	}
	ada.follow(move(other, "step", "down")).wantText("#toasts .toast", "“Other” stays where it is.")
	move(ids[2], "before", fmt.Sprint(ids[0])).wantStatus(303)
	if got := order(); got != "C A Other" {
		t.Errorf("got the order %q after a list was moved before another one", got)
	}
	move(ids[2], "after", fmt.Sprint(ids[0])).wantStatus(303)
	if got := order(); got != "A C Other" {
		t.Errorf("got the order %q after it was moved behind that", got)
	}
}

func TestUndoOfAMergeIntoALowerListRestoresTheTree(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		ids := addNested(ada, "A", "B", "C", "D")
		tree := func() string {
			all, err := s.store.ListTree(t.Context(), ada.user.ID)
			check(t, err)
			return strings.Join(waymark.Map(all, func(l waymark.List) string { return strings.Join(l.Names(), "/") }), " ")
		}
		before := tree()
		p := ada.follow(ada.post("/lists/merge", "models", fmt.Sprint(ids[0]), "models", fmt.Sprint(ids[2]), "into", fmt.Sprint(ids[2])))
		if got := tree(); got != "C C/B C/D" {
			t.Errorf("got the lists %q", got)
		}
		ada.follow(ada.post(p.attr("#toasts form", "action"))).wantText("#toasts span", "Undone.")
		if got := tree(); got != before {
			t.Errorf("got the lists %q after the undo, want %q", got, before)
		}
	})
}

func TestPageOfAListWithManySublistsShowsTheFirstOnes(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	parent := addNested(ada, "parent")[0]
	lists := make([]waymark.List, 1000)
	for i := range lists {
		lists[i] = waymark.List{Name: fmt.Sprintf("sub %03d", i), Parent: parent, Visibility: waymark.Private}
	}
	if _, err := s.store.CreateLists(t.Context(), ada.user.ID, lists); err != nil {
		t.Fatal(err)
	}
	p := ada.get(listPath(parent)).wantStatus(200)
	if n := p.Find(".subs bdi").Length(); n != maxSublists || p.text(".subs summary") != "988 more" || p.Find(".subs > li > a bdi").Length() != maxSublists {
		t.Errorf("got %d sublists and %q", n, p.text(".subs summary"))
	}
	p.wantCount("main > .subs > li > .sublist bdi", maxFirstSublists)
	if n := p.Find(".side .tree li").Length(); n > 400 {
		t.Errorf("got %d lists at the side", n)
	}
	p.wantText("#label-menu [name=sublists]", "With its 1,000 lists")
}

func TestSublistsAreSortedByName(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		parent := addNested(ada, "Parent", "A")[0]
		for _, name := range []string{"C", "B"} {
			ada.post("/lists", "name", name, "visibility", "private", "parent", fmt.Sprint(parent)).wantStatus(303)
		}
		order := func() string { return namesOf(ada.get(listPath(parent)).Find(".subs bdi")) }
		last, err := s.store.ListsNamed(t.Context(), ada.user.ID, "C")
		check(t, err)
		ada.post("/lists/move", "models", fmt.Sprint(last[0]), "step", "up").wantStatus(303)
		if got := order(); got != "A C B" {
			t.Fatalf("got the order %q", got)
		}
		s.user(t, "bob").post(listPath(parent) + "/sort").wantStatus(404)
		p := ada.follow(ada.post(ada.get(listPath(parent)).attr("form[action$='/sort']", "action")))
		if got := order(); got != "A B C" || p.text("#toasts .toast span") != "The lists in “Parent” are sorted by name." {
			t.Errorf("got the order %q", got)
		}
		ada.post(p.attr("#toasts form", "action")).wantStatus(303)
		if got := order(); got != "A C B" {
			t.Errorf("got the order %q after the undo", got)
		}
	})
}

func TestPageOfAListRemembersWhetherItIncludesSublists(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ids := addNested(ada, "A", "B", "C")
	ada.addLink(waymark.LinkInput{URL: "https://deep.example/", Lists: &[]waymark.Ref{{ID: int64(ids[0])}, {ID: int64(ids[2])}}})
	ada.addLink(waymark.LinkInput{URL: "https://flat.example/", Lists: &[]waymark.Ref{{ID: int64(ids[1])}, {Name: "elsewhere"}}})
	if got := spaced(ada.get(listPath(ids[0])), "main .in-list bdi"); got != "B elsewhere B › C" {
		t.Errorf("got the lists %q, want their paths below the list", got)
	}
	for include, want := range map[string]int{"0": 1, "1": 2} {
		ada.post(listPath(ids[0])+"/include", "include", include).wantStatus(303)
		p := ada.get(listPath(ids[0]))
		if got := p.Find("main li.link").Length(); got != want || p.attr("[name=include]", "value") == include {
			t.Errorf("include=%s: got %d links, want %d", include, got, want)
		}
		ada.get(listPath(ids[1])).wantCount("main li.link", 2)
	}
	s.user(t, "bob").post(listPath(ids[0])+"/include", "include", "0").wantStatus(404)
}

func TestSublistsStayOrGoWithTheirList(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		ids := addNested(ada, "A", "B", "C")
		parent := func(id, want waymark.ListID) {
			t.Helper()
			if list, err := s.store.List(t.Context(), ada.user.ID, id); err != nil || list.Parent != want {
				t.Errorf("got %+v (error %v), want it in the list %d", list, err, want)
			}
		}
		p := ada.follow(ada.post(listPath(ids[1]) + "/trash"))
		parent(ids[2], ids[0])
		p.wantText("#toasts span", "“B” is in the trash. Its sublist stays, in “A”.")
		token := p.attr("#toasts [name=undo]", "value")
		p = ada.follow(ada.post(p.attr("#toasts form:has([name=undo])", "action"), "undo", token, "sublists", "1"))
		ada.get(listPath(ids[2])).wantStatus(404)
		p.wantText("#toasts span", "“B” is in the trash.")
		ada.post(p.attr("#toasts form", "action")).wantStatus(303)
		parent(ids[1], ids[0])
		parent(ids[2], ids[1])
		ada.get(listPath(ids[1])+"/edit").wantCount("button[name=sublists]", 1)
		ada.follow(ada.post(listPath(ids[0])+"/trash")).wantText("#toasts span", "“A” is in the trash. Its sublist stays, in “Top level”.")
	})
}

func TestListsAreMovedIntoANewListOrOneThatWasUsedLately(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	a, b, m := addNested(ada, "A", "A1")[0], addNested(ada, "B", "B1")[0], addNested(ada, "M")[0]
	places := fmt.Sprint("/lists/move?models=", m)
	tree := func(want string) {
		t.Helper()
		all, err := s.store.ListTree(t.Context(), ada.user.ID)
		check(t, err)
		names := waymark.Map(all, func(l waymark.List) string { return strings.Join(l.Names(), "/") })
		if got := strings.Join(names, " "); got != want {
			t.Errorf("got the lists %q, want %q", got, want)
		}
	}
	move := func(list waymark.ListID, into, place, words string) response {
		return ada.follow(ada.post("/lists/move", "models", fmt.Sprint(list), "into", into, "place", place, "words", words))
	}
	if p := ada.get(places); p.Find(".places h2").Length() != 0 || p.Find("[value^=new-]").Length() != 0 {
		t.Error("the page offers lists that were used lately, or new ones")
	}
	move(m, fmt.Sprint(a), "", "")
	tree("A A/A1 A/M B B/B1")
	move(m, fmt.Sprint(b), "first", "")
	tree("A A/A1 B B/M B/B1")
	move(m, fmt.Sprint(a), "first", "")
	tree("A A/M A/A1 B B/B1")
	if p := ada.get(places); namesOf(p.Find(".places h2")) != "Used lately All lists" || p.attr(".places input", "value") != fmt.Sprint(b) {
		t.Errorf("got %q first, want the other list into which lists were moved", p.text(".places label"))
	}
	move(a, fmt.Sprint(b), "last", "")
	tree("B B/B1 B/A B/A/M B/A/A1")
	if got := namesOf(ada.get(places + "&words=new").Find(".places [value^=new-] ~ .one-line")); got != "New list “new” in “A” New list “new” at the top level" {
		t.Errorf("got %q", got)
	}
	p := move(m, "new-0", "", "new")
	tree("B B/B1 B/A B/A/A1 new new/M")
	ada.post(p.attr("#toasts form", "action")).wantStatus(303)
	tree("B B/B1 B/A B/A/M B/A/A1")
	move(m, fmt.Sprint("new-", a), "", "new")
	tree("B B/B1 B/A B/A/A1 B/A/new B/A/new/M")
	ada.post("/lists/move", "models", fmt.Sprint(m), "into", "new-0", "words", " ").wantStatus(422)
}

func TestListThatHasOnlySublistsSaysSo(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ids := addNested(ada, "A", "B")
	ada.addLink(waymark.LinkInput{URL: "https://deep.example/", Lists: &[]waymark.Ref{{ID: int64(ids[1])}}})
	ada.post(listPath(ids[0])+"/include", "include", "0").wantStatus(303)
	p := ada.get(listPath(ids[0]))
	if got := p.text(".empty h2") + ". " + p.text(".empty p"); got != "Nothing in “A” itself. 1 link is in its sublists.Include sublists" {
		t.Errorf("got %q", got)
	}
	ada.addLink(waymark.LinkInput{URL: "https://flat.example/", Lists: &[]waymark.Ref{{ID: int64(ids[0])}, {ID: int64(ids[1])}}})
	ada.get(listPath(ids[0])).wantText(".whose > span:last-child", "1 here, 1 in its sublist")
}

func TestListsWithPathsBecomeATree(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.get("/lists").wantCount(`form[action="/lists/nest"]`, 0) // otherwise the page offers a tree without paths
	for _, name := range []string{"A / B / C", "A / B", "X / Y", "Z", "A / / B", "Z /"} {
		ada.post("/lists", "name", name, "visibility", "private").wantStatus(303)
	}
	tree := func() string {
		all, err := s.store.ListTree(t.Context(), ada.user.ID)
		check(t, err)
		var names []string
		for _, list := range all {
			names = append(names, strings.TrimPrefix(pathOf(list)+" › "+list.Name, " › "))
		}
		return strings.Join(names, ", ")
	}
	before := tree()
	ada.get("/lists").wantCount(`form[action="/lists/nest"]`, 1) // otherwise the page does not offer a tree
	p := ada.follow(ada.post("/lists/nest"))
	if got, want := tree(), "A, A › B, A › B › C, A / / B, X, X › Y, Z, Z /"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	undo, _ := p.Find("#toasts form").Attr("action")
	ada.post(undo).wantStatus(303)
	if got := tree(); got != before {
		t.Errorf("after the undo: got %q\nwant %q", got, before)
	}
}

// Who has many flat lists does not see all of them at the side because one list stands in another.
func TestSideShowsBranchesAndTheMostUsedOfManyLists(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		var lists []waymark.List
		for i := range store.MaxBranch + 5 {
			lists = append(lists, waymark.List{Owner: ada.user.ID, Name: fmt.Sprintf("flat %02d", i), Visibility: waymark.Private})
		}
		created, err := s.store.CreateLists(t.Context(), ada.user.ID, lists)
		check(t, err)
		addNested(ada, "zoo", "tiger")
		used, last := created[20], created[30]
		ada.addLink(waymark.LinkInput{URL: "https://used.example/", Lists: &[]waymark.Ref{{ID: int64(used.ID)}}})
		p := ada.get(listPath(last.ID)).wantStatus(200)
		names := p.Find(".side .tree bdi")
		got := " " + namesOf(names) + " "
		for _, want := range []string{" zoo ", " " + used.Name + " ", " " + last.Name + " "} {
			if !strings.Contains(got, want) {
				t.Errorf("got %q, want%sin it", got, want)
			}
		}
		if names.Length() > 12 {
			t.Errorf("got %d lists at the side: %q", names.Length(), got)
		}
	})
}
