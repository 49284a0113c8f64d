package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/waymark"
)

func TestListIsSavedChangedPinnedAndTrashed(t *testing.T) {
	labelLifeTest(t, "lists")
}

func TestTagIsSavedChangedPinnedAndTrashed(t *testing.T) {
	labelLifeTest(t, "tags")
}

func TestFiltersOfAListWithoutHitAreNotAnEmptyList(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "Reading"}}, Tags: &[]waymark.Ref{{Name: "go"}}})
	for _, path := range []string{listPath(link.Lists[0].ID), tagPath(link.Tags[0].ID)} {
		p := ada.get(path + "?q=before:2001-01-01").wantStatus(200)
		p.wantText(".empty", "No link matches these filters. Clear all")
		p.wantAttr(".empty a", "href", path)
	}
}

func TestSecondListWithANameIsHintedAtAndSaved(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	bob.post("/lists", "name", "Reading", "visibility", "public").wantStatus(303)
	ada.get("/complete/list-name?name=Reading").wantStatus(200).wantCount("a", 0) // otherwise the list of another user counts
	first := ada.post("/lists", "name", "Reading", "visibility", "private").location
	ada.get("/complete/list-name?name=+reading").wantAttr("a", "href", first)
	ada.get("/complete/list-name?name=Reading&id="+strings.TrimPrefix(first, "/lists/")).wantCount("a", 0) // otherwise the list itself counts as another one
	ada.post("/lists", "name", "Reading", "visibility", "strange").wantStatus(422).wantAttr("#same-name a", "href", first)
	later := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "Later"}}}).Lists[0].ID
	join := ada.get(fmt.Sprintf("/complete/list-name?name=reading&id=%d", later))
	join.wantText("p", "You have a list with this name already. There can be several. Open it Join 1 link with reading?")
	ada.get(join.attr("a:last-child", "href")).wantAttr("[name=into][checked]", "value", strings.TrimPrefix(first, "/lists/"))
	bob.get(fmt.Sprintf("/complete/list-name?name=reading&id=%d", later)).wantStatus(404)
	second := ada.post("/lists", "name", "Reading", "visibility", "private")
	if got, want := ada.follow(second).text("#toasts .toast span"), "“Reading” is saved. You have another list with this name."; got != want || second.location == first {
		t.Errorf("got %q, want %q", got, want)
	}
	third := ada.post("/lists", "name", "Other", "visibility", "private").location
	ada.follow(ada.post(third, "name", "reading", "visibility", "private")).wantText("#toasts .toast span", "“reading” is saved. You have 2 other lists with this name.")
	for lang, want := range map[string]string{
		"en": "You have 2 lists with this name already. Show them", "de": "Du hast schon 2 Listen mit diesem Namen. Anzeigen",
	} {
		hint := ada.get("/complete/list-name?name=Reading&id="+strings.TrimPrefix(first, "/lists/"), "Accept-Language", lang)
		hint.wantText("p", want)
		hint.wantAttr("a", "href", "/lists?name=Reading")
	}
}

func labelLifeTest(t *testing.T, kind string) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		p := ada.post("/"+kind, "name", " ", "visibility", "public").wantStatus(422)
		ada.post("/"+kind, "name", "a,b", "visibility", "public").wantStatus(422).wantText("#name-wrong", "Leave out the comma: commas separate names.")
		p.wantCount("#name[aria-invalid]", 1)
		p.wantAttr("[name=visibility][checked]", "value", "public")
		saved := ada.post("/"+kind, "name", "Reading", "visibility", "private")
		path := saved.location
		p = ada.follow(saved)
		p.wantText("h1 bdi", "Reading")
		for _, foreign := range []string{path, path + "/edit"} {
			bob.get(foreign).wantStatus(404)
		}
		for _, foreign := range []string{path, path + "/trash", path + "/pin"} {
			bob.post(foreign, "name", "Mine", "visibility", "public", "pinned", "1").wantStatus(404)
		}
		p = ada.follow(ada.post(path+"/pin", "pinned", "1"))
		p.wantAttr("[name=pinned]", "value", "0")
		p = ada.follow(ada.post(path, "name", "Read", "description", "Soon", "visibility", "internal"))
		p.wantText("h1 bdi", "Read")
		p = bob.get(path).wantStatus(200)
		if p.Find("main a[href$='/edit']").Length() != 0 || !strings.Contains(p.text("main .whose"), "of ada") {
			t.Errorf("to another user the page shows %s", p.text("main"))
		}
		p = ada.follow(ada.post(path + "/trash"))
		p.wantText("#toasts .toast span", "“Read” is in the trash.")
		ada.get(path).wantStatus(404)
		p = ada.follow(ada.post(p.attr("#toasts form", "action"), "back", p.attr("#toasts [name=back]", "value")))
		if got, want := p.text("h1 bdi"), "Read"; p.status != 200 || got != want {
			t.Errorf("after the undo: got %d %q, want the page", p.status, got)
		}
	})
}

func TestJumpFindsListsAndTagsOfOthersAfterOwn(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	add := func(b *browser, name string, visibility waymark.Visibility) {
		t.Helper()
		in := waymark.VisibilityInput{Visibility: &visibility}
		if _, err := s.service.AddList(t.Context(), b.user, waymark.ListInput{Name: name, VisibilityInput: in}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.service.AddTag(t.Context(), b.user, waymark.TagInput{Name: name, VisibilityInput: in}); err != nil {
			t.Fatal(err)
		}
	}
	add(bob, "Recipes", waymark.Public)
	add(bob, "Recipes for guests", waymark.Internal)
	add(bob, "Recipes of my own", waymark.Private)
	add(ada, "Old recipes", waymark.Private)
	if _, err := s.service.AddList(t.Context(), ada.user, waymark.ListInput{Name: "Old recipes"}); err != nil {
		t.Fatal(err)
	}
	p := ada.get("/jump?q=recipes").wantStatus(200)
	for _, kind := range []string{"lists", "tags"} {
		got := p.Find(".jump-page a[href*='/" + kind + "/'] bdi").Parent().Map(func(_ int, name *goquery.Selection) string { return name.Text() })
		want := []string{"/Old recipes", "Old recipes #5", "Recipes of bob"} // the paths of the lists are equal, too
		if kind == "tags" {
			want = []string{"Old recipes", "Recipes of bob"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
	// In forms, a name means an own list or tag.
	ada.get("/complete/tags?q=recipes").wantCount("[data-value]", 2)
}

func TestListsAndTagsAreFilteredAndOrdered(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for i, name := range []string{"beta", "Alpha", "beta", "éclair", "9 lives", "beta", "Alpha"} {
		names := &[]waymark.Ref{{Name: name}}
		ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://example.org/%d", i), Lists: names, Tags: names})
	}
	for path, want := range map[string]string{
		"/lists?order=links":  "beta Alpha",
		"/lists?order=name":   "9 lives Alpha beta éclair",
		"/lists?name=ET":      "beta",
		"/lists?order=newest": "9 lives éclair",
		"/tags":               "9 lives Alpha beta éclair",
		"/tags?order=links":   "beta Alpha",
		"/tags?name=lp":       "Alpha",
		"/tags?name=nothing":  "",
	} {
		p := ada.get(path).wantStatus(200)
		if got := p.text("main li bdi"); !strings.HasPrefix(spaced(p, "main li bdi"), want) {
			t.Errorf("%s: got %q, want %q first", path, got, want)
		}
	}
	if got, want := spaced(ada.get("/tags"), ".tagcols h2"), "# A B E"; got != want {
		t.Errorf("got the letters %q, want %q", got, want)
	}
	if got, want := spaced(ada.get("/tags"), ".tagcols .n"), "1 2 3 1"; got != want {
		t.Errorf("got the counts %q, want %q", got, want)
	}
}

func TestLettersLeadToThePagesOfTheirTags(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	var tags []waymark.Ref
	for i := range tagsPerPage {
		tags = append(tags, waymark.Ref{Name: fmt.Sprintf("%c%d", "1bC"[i%3], i)})
	}
	tags = append(tags, waymark.Ref{Name: "dahlia"}, waymark.Ref{Name: "éclair"}, waymark.Ref{Name: "*"})
	for i, some := range slices.Collect(slices.Chunk(tags, 200)) {
		ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://example.org/%d", i), Tags: &some})
	}
	first, last := ada.get("/tags"), ada.get("/tags?page=2")
	for name, p := range map[string]response{"first": first, "last": last} {
		if got := spaced(p, ".letters a"); got != "# B C D E" {
			t.Errorf("%s page: got the letters %q", name, got)
		}
	}
	for _, from := range []response{first, last} {
		for _, a := range from.Find(".letters a").EachIter() {
			path, id, _ := strings.Cut(a.AttrOr("href", ""), "#")
			to := from
			if path != "" {
				to = ada.follow(ada.get(path))
			}
			to.wantText("h2#"+id, a.Text())
		}
	}
	if got, want := last.Find(".letters a[href^='#']").Text(), "DE"; got != want {
		t.Errorf("the letters %q lead to the same page, want %q", got, want)
	}
	if got := spaced(ada.get("/tags?name=c"), ".letters a"); got != "C E" {
		t.Errorf("filtered tags: got the letters %q", got)
	}
}

// spaced returns the texts of elements with spaces between them.
func spaced(p response, selector string) string {
	var texts []string
	for _, node := range p.Find(selector).EachIter() {
		texts = append(texts, node.Text())
	}
	return strings.Join(texts, " ")
}

func TestTagsAreMergedAndTheMergeIsTakenBack(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for i, name := range []string{"go", "golang", "go", "Go lang, 2"} {
		ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://example.org/%d", i), Tags: &[]waymark.Ref{{Name: waymark.NormalizeName(name)}}})
	}
	ada.get("/tags/merge?next=1&tags=go").wantStatus(422).wantCount("#tags[aria-invalid]", 1)
	ada.get("/tags/merge?tags=go,nothing").wantStatus(422).wantText("#tags-wrong", "You have no tag “nothing”.")
	p := ada.get("/tags/merge?tags=golang,go,GO").wantStatus(200)
	if got, want := spaced(p, ".radios small"), "1 link 2 links"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := p.text("form .muted"); !strings.HasPrefix(got, "3 links have one of these tags.") {
		t.Errorf("got %q, want the number of links with one of the tags", got)
	}
	into := p.attr("[name=into][checked]", "value")
	fields := []string{"into", into}
	p.Find("[name=models]").Each(func(_ int, input *goquery.Selection) { fields = append(fields, "models", input.AttrOr("value", "")) })
	p = ada.follow(ada.post("/tags/merge", fields...))
	p.wantText("#toasts .toast span", "1 link was moved to “go”.")
	p.wantCount("li.link", 3)
	ada.post(p.attr("#toasts form", "action")).wantStatus(303)
	if got, want := spaced(ada.get("/tags"), ".tagcols bdi"), "go Go lang 2 golang"; got != want {
		t.Errorf("after the undo: got %q, want %q", got, want)
	}
	s.user(t, "bob").post("/tags/merge", fields...).wantStatus(404)
}
