package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// addLists creates lists of the user.
func (b *browser) addLists(names ...string) []string {
	b.t.Helper()
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = fmt.Sprint(addNested(b, name)[0])
	}
	return ids
}

// ticked returns the fields of a form in which the lists or tags are ticked.
func ticked(ids []string, fields ...string) []string {
	for _, id := range ids {
		fields = append(fields, "models", id)
	}
	return fields
}

func TestEmptyListsAndTagsAreGoneInThreeClicks(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		s.user(t, "bob").post("/lists", "name", "of bob", "visibility", "public").wantStatus(303)
		ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "used"}}, Tags: &[]waymark.Ref{{Name: "used"}}})
		var lists []waymark.List
		var tags []waymark.Tag
		for i := range 300 {
			lists = append(lists, waymark.List{Name: fmt.Sprint("empty ", i), Visibility: waymark.Private})
			tags = append(tags, waymark.Tag{Name: fmt.Sprint("empty ", i), Visibility: waymark.Private})
		}
		if _, err := s.store.CreateLists(t.Context(), ada.user.ID, lists); err != nil {
			t.Fatal(err)
		}
		if _, err := s.store.CreateTags(t.Context(), ada.user.ID, tags); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"lists", "tags"} {
			p := ada.get(ada.get("/"+kind).attr(".select-all a", "href")).wantStatus(200)
			p.wantText(".select-all label", "Select all 300")
			form := p.Find("form.labels")
			p = ada.follow(ada.post(form.AttrOr("action", ""), "all", "1", "do", "trash", "selection", p.attr("form.labels [name=selection]", "value"), "back", p.attr("form.labels [name=back]", "value")))
			p.wantText("#toasts .toast span", "300 "+kind+" are in the trash.")
			p.wantCount("form.labels", 0)
			ada.post(p.attr("#toasts form", "action")).wantStatus(303)
			ada.get("/"+kind+"?empty=1").wantText("h1 .n", "300")
		}
	})
}

func TestSelectedListsAndTagsGetAVisibility(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	ids := ada.addLists("a", "b")
	p := ada.follow(ada.post("/lists/bulk", ticked(ids, "do", "public")...))
	p.wantText("#toasts .toast span", "2 lists are public.")
	if got := bob.get("/lists?shared=1"); got.Find(".listgrid .pick input").Length() != 0 || got.Find(".listgrid a").Length() != 2 {
		t.Errorf("another user sees %q, want the lists without boxes", got.text(".listgrid"))
	}
	for do, want := range map[string]string{"private": "0 lists are private.", "trash": "0 lists are in the trash."} {
		p := bob.follow(bob.post("/lists/bulk", ticked(ids, "do", do)...))
		p.wantText("#toasts .toast span", want)
		p.wantCount("#toasts form", 0)
	}
	ada.post(p.attr("#toasts form", "action")).wantStatus(303)
	bob.get("/lists").wantCount(".listgrid a", 0)
	for fields, want := range map[string]string{"do=trash": "No list is selected.", "do=trash&models=x": "No list is selected.", "do=trash&all=1&selection=%25zz%26name%3Dnothing": "No list is selected."} {
		p := ada.do("POST", "/lists/bulk", fields, "Content-Type", "application/x-www-form-urlencoded")
		ada.follow(p).wantText("#toasts .toast span", want)
	}
	ada.post("/lists/bulk", "do", "strange").wantStatus(400)
	ada.post("/tags/bulk").wantStatus(303)
}

func TestSelectedListsAreMovedAndMerged(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	ids := ada.addLists("a", "b", "into")
	for i, id := range ids {
		var list int64
		fmt.Sscan(id, &list)
		ada.addLink(waymark.LinkInput{URL: fmt.Sprint("https://example.org/", i), Lists: &[]waymark.Ref{{ID: list}}})
	}
	paths := func() string { return spaced(ada.get("/lists?order=name"), ".listgrid .name, .listgrid small") }
	query := "?models=" + strings.Join(ids[:2], "&models=")
	ada.get("/lists/move"+query).wantText("h1", "Move 2 lists into…")
	p := ada.follow(ada.post("/lists/move", ticked(ids[:2], "into", ids[2])...))
	if got := paths(); p.text("#toasts .toast span") != "2 lists are moved." || got != "a into b into into" {
		t.Errorf("got %q, want both in the list", got)
	}
	ada.post(p.attr("#toasts form", "action")).wantStatus(303)
	if got := paths(); got != "a b into" {
		t.Errorf("got %q after the undo", got)
	}
	// Into one of those that are selected.
	p = ada.follow(ada.post("/lists/merge", ticked(ids, "into", ids[2])...))
	p.wantText("#toasts .toast span", "2 links were moved to “into”.")
	p.wantCount("main li.link", 3)
	ada.post(p.attr("#toasts form", "action")).wantStatus(303)
	if got := paths(); got != "a b into" {
		t.Errorf("got %q after the undo", got)
	}
	own := bob.addLists("of bob")
	for _, fields := range [][]string{ticked(ids, "into", own[0]), ticked(append(own, ids...), "into", own[0])} {
		bob.post("/lists/move", fields...).wantStatus(404)
		bob.post("/lists/merge", fields...).wantStatus(404)
	}
	bob.get("/lists/move" + query).wantStatus(404)
	bob.post("/lists/merge", ticked(own, "into", ids[0])...).wantStatus(422)
	ada.post("/lists/merge", ticked(ids[:1], "into", ids[0])...).wantStatus(422)
	ada.get("/lists/merge").wantStatus(404)
}

func TestSelectedTagsAreMerged(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for i := range maxMerged + 1 {
		ada.addLink(waymark.LinkInput{URL: fmt.Sprint("https://example.org/", i), Tags: &[]waymark.Ref{{Name: fmt.Sprintf("tag %02d", i)}}})
	}
	p := ada.get("/tags")
	a, b := p.Find(".pick input").Eq(0).AttrOr("value", ""), p.Find(".pick input").Eq(1).AttrOr("value", "")
	ada.get("/tags/merge?models="+a+"&models="+b).wantStatus(200).wantCount("[name=into]", 2)
	ada.get("/tags/merge?all=1&selection=").wantStatus(422).wantText("#tags-wrong", "At most 50 tags can be merged at once.")
	if got := s.user(t, "bob").get("/tags/merge?models=" + a + "&models=" + b).status; got < 400 {
		t.Errorf("another user: got %d", got)
	}
}

func TestPlacesAreADialogForTheScript(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ids := ada.addLists("a", "b")
	ask := func(path, target string) response {
		return ada.get(path, "HX-Request", "true", "HX-Target", target, "HX-Current-URL", s.URL+"/lists?order=name").wantStatus(200)
	}
	menu := ada.get("/lists/" + ids[0])
	for _, action := range []string{"move", "merge"} {
		path := menu.attr(`a[data-place][href^="/lists/`+action+`"]`, "href")
		p := ask(path, "place")
		if p.Find("main").Length() != 0 || p.attr("[name=back]", "value") != "/lists?order=name" || p.text("#place-title") == "" {
			t.Errorf("%s: got %s", action, p.body)
		}
		if p := ask(path+"&words=B", "div#places"); p.Find("form").Length() != 0 || p.attr("input[checked]", "value") != ids[1] {
			t.Errorf("%s: got %s, want only the places, with the first one that fits chosen", action, p.body)
		}
	}
	p := ada.do("POST", "/lists/move", "models="+ids[0]+"&into="+ids[0], "Content-Type", "application/x-www-form-urlencoded", "HX-Request", "true", "HX-Target", "div#toasts")
	if p.wantStatus(200).text(".toast span") == "" {
		t.Errorf("got %s, want the problem as a message", p.body)
	}
}

// A link that is dragged from the page of a list leaves its sublists, too: the page shows their links.
func TestDraggedLinksLeaveSublists(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ids, other := addNested(ada, "A", "B", "C"), addNested(ada, "Other")[0]
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{ID: int64(ids[1])}, {ID: int64(other)}}})
	drop := func(list waymark.ListID, want ...waymark.ListID) {
		t.Helper()
		ada.post("/bulk", "models", fmt.Sprint(link.ID), "list", fmt.Sprint(list), "from", fmt.Sprint(ids[0])).wantStatus(303)
		got, err := s.store.Link(t.Context(), ada.user.ID, link.ID)
		check(t, err)
		if lists := waymark.Map(got.Lists, func(l waymark.List) waymark.ListID { return l.ID }); !slices.Equal(lists, want) {
			t.Errorf("dropped on list %d: got the lists %v, want %v", list, lists, want)
		}
	}
	drop(ids[2], ids[2], other)
	drop(other, other)
}

func TestLinksAreFiledInAListOrTagByItsID(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		lists, own := ada.addLists("from", "into", "into"), bob.addLists("of bob")[0]
		var from int64
		fmt.Sscan(lists[0], &from)
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{ID: from}}, Tags: &[]waymark.Ref{{Name: "go"}}})
		other := ada.addLink(waymark.LinkInput{URL: "https://example.org/2"})
		filed := func(link waymark.LinkID) string {
			got, err := s.store.Link(t.Context(), ada.user.ID, link)
			check(t, err)
			text := ""
			for _, list := range got.Lists {
				text += fmt.Sprint(list.ID, " ")
			}
			return text + fmt.Sprint(len(got.Tags))
		}
		models := fmt.Sprint(link.ID, ",", other.ID)
		p := ada.follow(ada.post("/bulk", "models", models, "list", lists[2], "from", lists[0]))
		if got := filed(link.ID) + ", " + filed(other.ID); got != lists[2]+" 1, "+lists[2]+" 0" || p.text(".toast span") != fmt.Sprintf("2 links are in “into #%s”.", lists[2]) {
			t.Errorf("got %q and %q, want both in the second list with the name", got, p.text(".toast span"))
		}
		ada.post(p.attr("#toasts form", "action")).wantStatus(303)
		if got := filed(link.ID) + ", " + filed(other.ID); got != lists[0]+" 1, 0" {
			t.Errorf("got %q after the undo", got)
		}
		ada.post("/bulk", "models", models, "tag", fmt.Sprint(link.Tags[0].ID)).wantStatus(303)
		if got := filed(other.ID); got != "1" {
			t.Errorf("got %q, want the tag", got)
		}
		if got := ada.post("/bulk", "models", models, "list", own).status; got < 400 {
			t.Errorf("into a private list of another user: got %d", got)
		}
		bob.follow(bob.post("/bulk", "models", models, "list", own)).wantText(".toast span", "0 links are in “of bob”.")
	})
}
