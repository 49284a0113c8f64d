package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// hostileText is a text that is dangerous wherever a page does not escape it.
const hostileText = `'"><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1) </title><style>*{}</style>`

// privateEntities are the ids of private entities of a user, by the segment of the path
// before the id.
type privateEntities map[string]string

// addPrivateEntities creates an entity of each kind, with hostile texts.
func (b *browser) addPrivateEntities() privateEntities {
	b.t.Helper()
	ctx, s, text, private := b.t.Context(), b.site.service, hostileText, waymark.Private
	visibility := waymark.VisibilityInput{Visibility: &private}
	list, err := s.AddList(ctx, b.user, waymark.ListInput{Name: text, Description: &text, VisibilityInput: visibility})
	check(b.t, err)
	tag, err := s.AddTag(ctx, b.user, waymark.TagInput{Name: text, VisibilityInput: visibility})
	check(b.t, err)
	link := b.addLink(waymark.LinkInput{
		URL: "https://example.org/?" + strings.ReplaceAll(text, " ", "+"), Title: &text, Description: &text, VisibilityInput: visibility,
		Lists: &[]waymark.Ref{{ID: int64(list.ID)}}, Tags: &[]waymark.Ref{{ID: int64(tag.ID)}},
	})
	saveTextSnapshot(b.t, b.site, link)
	saveWholePage(b.t, b.site, link, "<title>"+text+"</title><p>"+text)
	for _, rawURL := range []string{"file:///etc/passwd", "view-source:" + link.URL} {
		b.addLink(waymark.LinkInput{URL: rawURL, Title: &text, VisibilityInput: visibility})
	}
	note, err := s.AddNote(ctx, b.user, link.ID, waymark.NoteInput{Text: text + "\n\n[x](javascript:alert(1)) ![x](https://evil.example/x.png) <b onclick=alert(1)>", VisibilityInput: visibility})
	check(b.t, err)
	marked := waymark.PassageInput{Quote: waymark.Quote{Exact: "snapshot"}, Note: &text}
	passage, err := s.AddPassage(ctx, b.user, link.ID, marked)
	check(b.t, err)
	marked.Exact = text
	_, err = s.AddPassage(ctx, b.user, link.ID, marked)
	check(b.t, err)
	_, key, err := b.site.accounts.AddAPIKey(ctx, b.user.Name, "laptop", waymark.AccessFull, 0)
	check(b.t, err)
	sessions, err := b.site.store.Accounts.Sessions(ctx, b.user.ID)
	check(b.t, err)
	if _, err := b.site.accounts.NewFeedToken(ctx, b.user.ID); err != nil {
		b.t.Fatal(err)
	}
	passkey := waymark.Passkey{UserID: b.user.ID, Credential: text, Name: text}
	check(b.t, b.site.store.Accounts.AddPasskey(ctx, passkey, 0))
	passkeys, err := b.site.store.Accounts.Passkeys(ctx, b.user.ID)
	check(b.t, err)
	query := "private"
	search, err := s.AddSavedSearch(ctx, b.user, waymark.SavedSearchInput{Name: &text, Query: &query})
	check(b.t, err)
	batch, err := b.site.transfer.BeginImport(ctx, b.user, waymark.Import{File: text}, nil)
	check(b.t, err)
	imported, err := batch.Bookmarks(ctx, func(yield func(bookmarks.Bookmark, error) bool) {
		_ = yield(bookmarks.Bookmark{URL: text}, nil) && yield(bookmarks.Bookmark{}, &bookmarks.RowError{Line: 2, Err: errors.New(text)})
	})
	check(b.t, err)
	picture := storetest.Picture(text)
	check(b.t, b.site.store.Snapshots.SetLinkPicture(ctx, queue.ClaimedPage{Link: link.ID, Owner: b.user.ID, URL: link.URL}, waymark.SiteIcon, picture))
	return privateEntities{
		"pictures": picture.Hash, "attachments": fmt.Sprint(attach(b.t, b.site, link, text+".txt", text).ID),
		"imports": fmt.Sprint(imported.ID), "changes": "1", // none: nobody else changes the lists
		"links": fmt.Sprint(link.ID), "lists": fmt.Sprint(list.ID), "tags": fmt.Sprint(tag.ID), "notes": fmt.Sprint(note.ID), "passages": fmt.Sprint(passage.ID),
		"api-keys": fmt.Sprint(key.ID), "devices": fmt.Sprint(sessions[0].ID), "passkeys": fmt.Sprint(passkeys[0].ID), "searches": fmt.Sprint(search.ID),
	}
}

// placeholder matches a wildcard in the pattern of a route, and the segment before it.
var placeholder = regexp.MustCompile(`([a-z-]+)/\{([a-z]+)\}`)

// path returns a path of a route that is about these entities.
func (e privateEntities) path(t *testing.T, r page.Route) string {
	t.Helper()
	return strings.TrimSuffix(placeholder.ReplaceAllStringFunc(r.Path, func(match string) string {
		parts := placeholder.FindStringSubmatch(match)
		switch parts[2] {
		case "id", "hash", "attachment", "passage":
			id, ok := e[parts[1]]
			if !ok && r.Access != page.ForAdmins {
				t.Fatalf("%s: add an entity of this kind to addPrivateEntities", r.Path)
			}
			return parts[1] + "/" + cmp.Or(id, "1")
		case "token":
			return parts[1] + "/" + strings.Repeat("A", 43)
		}
		return parts[1] + "/ada"
	}), "{$}")
}

// everythingOf describes all that a user has.
func everythingOf(t *testing.T, s *testSite, user waymark.User) string {
	t.Helper()
	ctx, all := t.Context(), waymark.Pagination{}
	var text strings.Builder
	add := func(value any, err error) {
		check(t, err)
		fmt.Fprintf(&text, "%+v\n", value)
	}
	// Not what others share with the user.
	links, err := s.store.SearchLinks(user.ID, waymark.LinkFilter{Where: waymark.IsMine}, waymark.Order{}, all).Page(ctx)
	add(links, err)
	own := waymark.LabelFilter{Owner: user.ID}
	add(s.store.SearchLists(ctx, user.ID, own, waymark.Order{}, all))
	add(s.store.SearchTags(ctx, user.ID, own, waymark.Order{}, all))
	for _, link := range links.Entities {
		add(s.store.NotesOfLink(user.ID, link.ID, all).Page(ctx))
		add(s.store.Snapshots.Attachments(ctx, user.ID, link.ID))
		add(s.store.PassagesOfLink(ctx, user.ID, link.ID))
	}
	add(s.store.TrashCounts(ctx, user.ID))
	add(s.store.Accounts.APIKeys(ctx, user.ID))
	add(s.store.Accounts.Passkeys(ctx, user.ID))
	add(s.store.Accounts.Factors(ctx, user.ID))
	add(s.store.Accounts.Sessions(ctx, user.ID))
	add(s.store.Accounts.Settings(ctx, user.ID))
	add(s.store.Accounts.FeedToken(ctx, user.ID))
	add(s.store.Accounts.SavedSearches(ctx, user.ID))
	add(s.store.Imports(ctx, user.ID))
	add(s.store.Accounts.UserByName(ctx, user.Name))
	return text.String()
}

// hostileForm has fields of all forms, which name what belongs to another user.
func hostileForm(e privateEntities) string {
	form := url.Values{
		"url": {"https://evil.example/"}, "title": {"evil"}, "name": {"evil"}, "text": {"evil"}, "description": {"evil"}, "query": {""},
		"visibility": {"public"}, "do": {"trash"}, "mode": {"replace"}, "into": {e["tags"]}, "link": {e["links"]},
		"user": {"ada"}, "session": {e["devices"]}, "password": {password}, "confirm": {"ada"},
	}
	for _, id := range e {
		for _, field := range []string{"models", "models[]", "id", "ids", "lists", "tags", "merge", "from"} {
			form.Add(field, id)
		}
	}
	return form.Encode()
}

// formType is the media type of forms.
const formType = "application/x-www-form-urlencoded"

func TestUsersReachNothingOfOthers(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		entities := ada.addPrivateEntities()
		before := everythingOf(t, s, ada.user)
		for _, r := range routes {
			if r.Access < page.ForReaders || r.Access == page.ForAdmins {
				continue
			}
			if r.Path == "/settings/account/delete" {
				continue // it deletes ben
			}
			body := ""
			if r.Method == http.MethodPost {
				body = hostileForm(entities)
			}
			p := ben.do(r.Method, entities.path(t, r), body, "Content-Type", formType)
			if strings.Contains(r.Path, "{") && r.Path != "/users/{name}" && p.status != http.StatusNotFound {
				t.Errorf("%s %s: got %d %s, want 404", r.Method, r.Path, p.status, p.location)
			}
			if r.Method == http.MethodGet && strings.Contains(p.body, "alert(1)") {
				t.Errorf("%s %s shows what belongs to another user: %s", r.Method, r.Path, p.body)
			}
			if r.Method == http.MethodGet {
				continue
			}
			if after := everythingOf(t, s, ada.user); after != before {
				t.Fatalf("%s %s: %s became %s", r.Method, r.Path, before, after)
			}
			if ben.get("/").location == "/signin" {
				ben.signIn("ben", password)
			}
		}
	})
}

// wantedPolicy is the Content-Security-Policy of our pages.
const wantedPolicy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// urlAttributes are the attributes whose value is a URL.
var urlAttributes = []string{"href", "src", "action", "formaction", "poster", "data", "cite", "hx-get", "hx-post", "hx-push-url", "xlink:href"}
