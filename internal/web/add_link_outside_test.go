package web

import (
	"fmt"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestAddLinkOnTheListOfAnotherPersonSaysWhereTheLinkGoes(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		public := waymark.VisibilityInput{Visibility: new(waymark.Public)}
		theirs, err := s.service.AddList(t.Context(), ben.user, waymark.ListInput{Name: "Bread", VisibilityInput: public})
		check(t, err)
		const text = "“Bread” belongs to another person: the link will be in your own collection, and not there."
		for _, b := range []*browser{ada, ben} {
			form := b.get(strings.TrimPrefix(b.get(fmt.Sprintf("/lists/%d", theirs.ID)).attr("a.add-wide", "href"), s.URL)).wantStatus(200)
			if got, want := form.text("form.form > p.muted"), map[bool]string{true: text}[b == ada]; got != want {
				t.Errorf("%s: got %q, want %q", b.user.Name, got, want)
			}
			if got, want := form.attr("#lists", "value"), map[bool]string{true: "Bread"}[b == ben]; got != want {
				t.Errorf("%s: got the lists %q, want %q", b.user.Name, got, want)
			}
		}
	})
}
