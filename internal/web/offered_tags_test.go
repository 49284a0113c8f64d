package web

import (
	"slices"
	"testing"

	"waymark/internal/waymark"
)

// Tags are the user's own, those of the same directory on a host before those of the host, rare ones first.
func TestTagsAreOfferedThatTheUserHas(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	add := func(b *browser, url string, visibility waymark.Visibility, tags ...string) waymark.Link {
		refs := waymark.Map(tags, func(name string) waymark.Ref { return waymark.Ref{Name: name} })
		return b.addLink(waymark.LinkInput{URL: url, Tags: &refs, VisibilityInput: waymark.VisibilityInput{Visibility: &visibility}})
	}
	add(bob, "https://forge.example/golang/net", waymark.Public, "foreign", "kubernetes")
	add(ada, "https://forge.example/golang/go", waymark.Private, "golang", "code")
	add(ada, "https://forge.example/other/app", waymark.Private, "code", "app")
	add(ada, "https://elsewhere.example/", waymark.Private, "Machine-Learning", "node.js", "learning", "code")
	for _, test := range []struct {
		url, title string
		want       []string
	}{
		{"https://forge.example/golang/tools", "Tools", []string{"golang", "code", "app"}},
		{"https://forge.example/a", "", []string{"code", "app", "golang"}},
		{"https://new.example/node-js", "Machine learning with kubernetes", []string{"Machine-Learning", "learning", "node.js"}},
		{"https://new.example/", "Node.js: an app", []string{"app", "node.js"}},
		{"https://new.example/7", "Nothing", nil},
	} {
		link := ada.addLink(waymark.LinkInput{URL: test.url, Title: &test.title})
		var got []string
		for _, button := range ada.get(linkPath(link.ID)).Find("[data-takes]").EachIter() {
			got = append(got, button.AttrOr("value", ""))
		}
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(test.want))) {
			t.Errorf("%s, %q: got %q, want %q", test.url, test.title, got, test.want)
		}
	}
	last := add(ada, "https://forge.example/golang/has", waymark.Private, "code", "golang")
	ada.get(linkPath(last.ID)).wantAttr("[data-takes]", "value", "app")
	ada.get("/links/create?url=https://forge.example/golang/x").wantAttr("[data-takes]", "value", "golang")
}
