package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/crawl"
	"waymark/internal/waymark"
)

func TestInvitationLeadsToAnAccount(t *testing.T) {
	s := newSite(t)
	ada := s.admin(t, "ada")
	ada.post("/settings/people/invite", "name", "a b").wantProblem("name", "one word")
	p := ada.post("/settings/people/invite", "name", "mei").wantStatus(http.StatusOK)
	path, withdraw := strings.TrimPrefix(p.text(".note-box code"), s.URL), p.attr("form[action*=invitations]", "action")
	if !strings.HasPrefix(path, "/join/") || p.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("got the URL %q", path)
	}
	if p := ada.get("/settings/people"); strings.Contains(p.Text(), path) || !strings.Contains(p.text("h2 + table"), "mei") {
		t.Errorf("got %q, want the invitation without its URL", p.text("main"))
	}
	mei := s.guest(t)
	mei.get(path).wantStatus(http.StatusOK).wantAttr("#name", "value", "mei")
	mei.post(path, "name", "ADA", "password", password).wantProblem("name", "exists already")
	mei.post(path, "name", "mei", "password", "short").wantProblem("password", "at least 8")
	mei.post(path, "name", "Mei", "password", password).wantRedirect("/links")
	mei.get("/links").wantStatus(http.StatusOK)
	mei.get("/settings/people").wantStatus(http.StatusNotFound)
	wantEnded(ada, withdraw, "The invitation was no longer open: it was withdrawn or used, or it had expired.")
	s.guest(t).get(path).wantStatus(http.StatusNotFound)
	s.guest(t).post(path, "name", "eve", "password", password).wantStatus(http.StatusNotFound)
}

// wantEnded withdraws a URL that was withdrawn or used since the page was shown, as in another
// tab, and wants a message on the page of all people.
func wantEnded(b *browser, withdraw, message string) {
	b.t.Helper()
	p := b.post(withdraw)
	if p.location != "/settings/people" {
		b.t.Fatalf("got %d %s, want a redirect to the people", p.status, p.text("main"))
	}
	if got := b.follow(p).wantStatus(http.StatusOK).text(".toast"); got != message {
		b.t.Errorf("got %q, want %q", got, message)
	}
}

func TestWithdrawnInvitationIsNotFound(t *testing.T) {
	s := newSite(t)
	ada := s.admin(t, "ada")
	p := ada.post("/settings/people/invite", "admin", "1").wantStatus(http.StatusOK)
	path := strings.TrimPrefix(p.text(".note-box code"), s.URL)
	for _, other := range []string{"/setup/", "/password/"} {
		s.guest(t).get(strings.Replace(path, "/join/", other, 1)).wantStatus(http.StatusNotFound)
	}
	withdraw := p.attr("form[action*=invitations]", "action")
	ada.follow(ada.post(withdraw)).wantStatus(http.StatusOK)
	s.guest(t).get(path).wantStatus(http.StatusNotFound)
	wantEnded(ada, withdraw, "The invitation was no longer open: it was withdrawn or used, or it had expired.")
}

func TestAdministratorChangesPeople(t *testing.T) {
	s := newSite(t)
	ada, ben := s.admin(t, "ada"), s.user(t, "ben")
	person := fmt.Sprintf("/settings/people/%d", ben.user.ID)
	ada.get("/settings/people").wantStatus(http.StatusOK).wantAttr("a[aria-label*=ben]", "href", person)
	ada.get("/settings/people/999").wantStatus(http.StatusNotFound)
	ada.get(person).wantStatus(http.StatusOK)

	ada.follow(ada.post(person+"/disable", "disabled", "1"))
	ben.get("/links").wantStatus(http.StatusSeeOther)
	ben.post("/signin", "name", "ben", "password", password).wantStatus(http.StatusUnprocessableEntity)
	ada.follow(ada.post(person+"/disable", "disabled", "0"))
	ben.signIn("ben", password)

	ada.follow(ada.post(person+"/admin", "admin", "1"))
	ben.get("/settings/people").wantStatus(http.StatusOK)
	ada.follow(ada.post(person+"/admin", "admin", "0"))
	ben.get("/settings/people").wantStatus(http.StatusNotFound)

	own := fmt.Sprintf("/settings/people/%d", ada.user.ID)
	for _, change := range [][]string{{"/admin", "admin", "0"}, {"/disable", "disabled", "1"}} {
		p := ada.post(own+change[0], change[1:]...).wantStatus(http.StatusUnprocessableEntity)
		if !strings.Contains(p.text("[role=alert]"), "at least one administrator") {
			t.Errorf("%s: got %q", change, p.text("main"))
		}
	}
}

func TestNewPasswordByOneTimeURL(t *testing.T) {
	s := newSite(t)
	ada, ben := s.admin(t, "ada"), s.user(t, "ben")
	p := ada.post(fmt.Sprintf("/settings/people/%d/password", ben.user.ID)).wantStatus(http.StatusOK)
	path := strings.TrimPrefix(p.text(".note-box code"), s.URL)
	fresh := s.guest(t)
	if p := fresh.get(path).wantStatus(http.StatusOK); !strings.Contains(p.text("header p"), "“ben”") || p.Find("[name=revoke]:checked").Length() != 1 {
		t.Errorf("got %q and %d ticked boxes, want the name, and the box to revoke keys", p.text("header"), p.Find("[name=revoke]:checked").Length())
	}
	if refused := fresh.post(path, "password", "short"); refused.wantStatus(http.StatusUnprocessableEntity).Find("[name=revoke]:checked").Length() != 0 {
		t.Error("the box that was unticked is ticked again")
	}
	fresh.post(path, "password", "short").wantProblem("password", "at least 8")
	fresh.post(path, "password", "battery staple").wantRedirect("/links")
	fresh.get("/links").wantStatus(http.StatusOK)
	wantEnded(ada, fmt.Sprintf("/settings/people/%d/password/withdraw", ben.user.ID), "The URL was no longer open: it was withdrawn or used, or it had expired.")
	ben.get("/links").wantStatus(http.StatusSeeOther)
	s.guest(t).get(path).wantStatus(http.StatusNotFound)
	s.guest(t).signIn("ben", "battery staple")
}

func TestURLForANewPasswordIsShownAndWithdrawn(t *testing.T) {
	s := newSite(t)
	ada, eve, ben := s.admin(t, "ada"), s.admin(t, "eve"), s.user(t, "ben")
	person := fmt.Sprintf("/settings/people/%d", ben.user.ID)
	withdraw := person + "/password/withdraw"
	form := "form[action='" + withdraw + "']"
	ada.get(person).wantCount(form, 0)
	made := ada.post(person + "/password").wantStatus(http.StatusOK)
	path := strings.TrimPrefix(made.text(".note-box code"), s.URL)
	shown := eve.get(person).wantStatus(http.StatusOK)
	for _, p := range []response{made, shown} {
		if !strings.Contains(p.text("main"), "A URL that ada made works until") || p.Find(form).Length() != 1 {
			t.Errorf("got %q, want the URL of ada", p.text("main"))
		}
	}
	if strings.Contains(shown.Text(), path) {
		t.Error("the page contains the URL itself")
	}
	if p := eve.get("/settings/people"); !strings.Contains(p.text("table"), "new password") {
		t.Errorf("got %q, want that ben can set a new password", p.text("table"))
	}
	ada.post(person+"/disable", "disabled", "1")
	if p := ada.get(person); p.Find(form).Length() != 1 || p.Find("form[action='"+person+"/password']").Length() != 0 {
		t.Errorf("got %q, want that the URL of a disabled user can be withdrawn, but none made", p.text("main"))
	}
	ada.post(person+"/disable", "disabled", "0")

	ben.signIn("ben", password)
	ben.post(withdraw).wantStatus(http.StatusNotFound)
	s.guest(t).get(path).wantStatus(http.StatusOK)
	if p := eve.follow(eve.post(withdraw)); p.text(".toast span") != "The URL no longer works." || p.Find(form).Length() != 0 {
		t.Errorf("got %q, want no URL", p.text("main"))
	}
	s.guest(t).get(path).wantStatus(http.StatusNotFound)
	s.guest(t).post(path, "password", "battery staple").wantStatus(http.StatusNotFound)
	wantEnded(ada, withdraw, "The URL was no longer open: it was withdrawn or used, or it had expired.")
	if p := eve.get("/settings/people"); strings.Contains(p.text("table"), "new password") {
		t.Errorf("got %q, want nobody with a new password", p.text("table"))
	}
}

func TestRemovedPersonTransfersLinks(t *testing.T) {
	s := newSite(t)
	ada, ben := s.admin(t, "ada"), s.user(t, "ben")
	link := ben.addLink(waymark.LinkInput{URL: "https://go.dev/"})
	remove := fmt.Sprintf("/settings/people/%d/remove", ben.user.ID)
	to := fmt.Sprint(ada.user.ID)
	p := ada.post(remove, "transfer-to", to, "confirm", "bob")
	p.wantProblem("confirm", "not “ben”")
	p.wantAttr("#transfer-to option[selected]", "value", to)
	ada.post(remove, "transfer-to", fmt.Sprint(ben.user.ID), "confirm", "ben").wantStatus(http.StatusNotFound)
	ada.follow(ada.post(remove, "transfer-to", to, "confirm", "ben")).wantText(".toast span", "ben is removed.")
	if got, err := s.store.Link(t.Context(), ada.user.ID, link.ID); err != nil || got.Owner != ada.user.ID {
		t.Errorf("got link %+v, %v, want it with ada", got, err)
	}
	if _, err := s.store.Accounts.UserByName(t.Context(), "ben"); !errors.Is(err, waymark.ErrNotFound) {
		t.Errorf("got error %v, want no user", err)
	}
	ada.post(fmt.Sprintf("/settings/people/%d/remove", ada.user.ID), "transfer-to", "0", "confirm", "ada").wantProblem("confirm", "at least one administrator")
}

func TestServerPageHasFacts(t *testing.T) {
	s := newSite(t)
	ada := s.admin(t, "ada")
	ada.addLinks(2)
	s.crawl(crawl.Options{Parts: waymark.TextParts, Checks: true})
	ada.post("/bulk", "do", "check", "models", "1", "models", "2")
	ada.post("/bulk", "do", "fetch", "models", "1")
	p := ada.get("/settings/server").wantStatus(http.StatusOK)
	for _, want := range []string{"SQL", s.URL, "iB", "--guest-pages", "Fetch pages 1 since ", "Check links 2 since "} {
		if !strings.Contains(p.text(".settings section"), want) {
			t.Errorf("got %q, want %q in it", p.text(".settings section"), want)
		}
	}
	if got, want := p.text("code.option"), "--guest-pages"; got != want { // its style keeps it on one line
		t.Errorf("got the option %q, want %q", got, want)
	}
}
