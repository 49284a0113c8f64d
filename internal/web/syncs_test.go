package web

import (
	"context"
	"testing"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// What a program has moved to the trash comes back with one button, which only its user has.
func TestSyncIsUndoneFromTheTrash(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	_, key, err := s.accounts.AddAPIKey(t.Context(), "ada", "<floccus>", waymark.AccessFull, 0)
	check(t, err)
	var links []waymark.Link
	for _, url := range []string{"https://one.example/", "https://two.example/"} {
		link := ada.addLink(waymark.LinkInput{URL: url})
		links = append(links, link)
		if _, err := s.service.WithUndo(t.Context(), service.UndoOptions{User: ada.user, APIKey: key.ID}, func(ctx context.Context, s *service.Service) error {
			return s.Delete(ctx, ada.user, waymark.Links, int64(link.ID))
		}); err != nil {
			t.Fatal(err)
		}
	}
	const button = `form[action$="/undo"]`
	if got, want := ada.get("/settings/api-keys").wantStatus(200).text("main "+button+" p"), "“<floccus>” has made 2 changes."; got[:min(len(got), len(want))] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	form := ada.get("/trash/links").wantStatus(200).Find(button)
	bob.get("/trash/links").wantStatus(200).wantCount(button, 0) // otherwise another user has the button
	path, _ := form.Attr("action")
	values := []string{}
	for _, name := range []string{"from", "to", "back"} {
		value, _ := form.Find("[name=" + name + "]").Attr("value")
		values = append(values, name, value)
	}
	if got := bob.follow(bob.post(path, values...)).text("#toasts .toast span"); got == "Undone." {
		t.Error("another user has undone it")
	}
	p := ada.follow(ada.post(path, values...))
	if got := p.text("#toasts .toast span"); got != "Undone." || p.Find(button).Length() != 0 || p.Find("li.link").Length() != 0 {
		t.Errorf("got %q", got)
	}
	for _, link := range links {
		ada.get(linkPath(link.ID)).wantStatus(200)
	}
	ada.post(path, "from", "x").wantStatus(404)
}
