package web

import (
	"fmt"
	"net/http"
	"testing"

	"waymark/internal/waymark"
)

func TestTagsAlikeAreJoinedOrKeptApart(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		if got := ada.get(tagsAlikePath).text("main h2"); got != "No tags look alike." {
			t.Errorf("without tags: got %q", got)
		}
		add := func(path string, tags ...string) waymark.Link {
			refs := waymark.Map(tags, func(name string) waymark.Ref { return waymark.Ref{Name: name} })
			return ada.addLink(waymark.LinkInput{URL: "https://a.example/" + path, Tags: &refs})
		}
		link := add("1", "k8s", "tutorials")
		add("2", "Kubernetes", "tutorial")
		add("3", "kubernetes")
		ben.addLink(waymark.LinkInput{URL: "https://b.example/", Tags: &[]waymark.Ref{{Name: "tutorial"}}})
		ids := map[string]string{}
		for _, name := range []string{"k8s", "kubernetes", "tutorial", "tutorials"} {
			found, err := s.store.CompleteTags(t.Context(), ada.user.ID, name)
			check(t, err)
			ids[name] = fmt.Sprint(found[0].ID)
		}
		p := ada.get(tagsAlikePath)
		p.wantCount(".alike form", 2)
		if got, _ := p.Find(".alike input[checked]").First().Attr("value"); got != ids["kubernetes"] {
			t.Errorf("%s stays, want the tag with most links, %s", got, ids["kubernetes"])
		}
		p = ada.post("/tags/"+ids["k8s"], "name", "kubernetes", "visibility", "private")
		if p.status != http.StatusUnprocessableEntity {
			t.Errorf("a name that exists: got %d", p.status)
		}
		p.wantText(".form > p .btn", "Join 1 link with Kubernetes?")
		if got := ada.get(p.attr(".form > p .btn", "href")).text("form legend"); got == "" {
			t.Error("the button does not lead to the form that merges tags")
		}
		if got := ben.post(tagsAlikePath, "models", ids["tutorial"], "models", ids["tutorials"]); got.status != http.StatusNotFound {
			t.Errorf("as another person: got %d, want 404", got.status)
		}
		ada.follow(ada.post(tagsAlikePath, "models", ids["tutorial"], "models", ids["tutorials"])).wantCount(".alike form", 1)
		p = ada.follow(ada.post("/tags/merge", "back", tagsAlikePath, "into", ids["kubernetes"], "models", ids["kubernetes"], "models", ids["k8s"]))
		p.wantText("main h2", "No tags look alike.")
		if got, err := s.store.Link(t.Context(), ada.user.ID, link.ID); err != nil || len(got.Tags) != 2 || got.Tags[0].Name != "Kubernetes" {
			t.Errorf("got %+v (error %v)", got.Tags, err)
		}
	})
}
