package karakeep_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/karakeep"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestMain(m *testing.M) { os.Exit(storetest.End(m.Run())) }

// client sends requests with an API key, as floccus does.
type client struct {
	url, key string
	store    *store.Store
	accounts *accounts.Accounts
	user     waymark.User
}

// each runs a test with a user on each database.
func each(t *testing.T, test func(t *testing.T, c *client)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		settings := config.Default().API
		c := &client{store: s, accounts: accounts.New(s, accounts.Options{}), user: storetest.User(t, s, "ada")}
		handler := karakeep.New(karakeep.Options{
			Service: service.New(s), Store: s, Settings: settings,
			Guard: rest.Guard{
				Authenticate: c.accounts.Authenticate, Memory: httpx.NewMemory(httpx.BodyMemory),
				Users: httpx.NewUserLimit(settings.RateLimit), Guests: httpx.NewGuestLimit(settings.GuestRateLimit, nil),
			},
			Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		})
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorder, r, stop := httpx.Record(w, r, time.Minute)
			defer stop()
			if !karakeep.Handles(r.URL.Path) {
				t.Errorf("the API does not handle %s", r.URL.Path)
			}
			handler.ServeHTTP(recorder, r)
		}))
		t.Cleanup(web.Close)
		c.url = web.URL + "/karakeep"
		test(t, c.withKey(t, c.user, waymark.AccessFull))
	})
}

func (c client) withKey(t *testing.T, user waymark.User, level waymark.Access) *client {
	t.Helper()
	secret, _, err := c.accounts.AddAPIKey(t.Context(), user.Name, rand.Text(), level, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.key, c.user = secret, user
	return &c
}

// call sends a request and returns its JSON. It stops the test unless the response has the status.
func (c *client) call(t *testing.T, status int, method, path, body string) (response object) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	if method != "GET" {
		r.Header.Set("Content-Type", "application/json") // floccus sends it without a body, too
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got.StatusCode != status {
		t.Fatalf("%s %s %s: got %d, want %d\n%s", method, path, body, got.StatusCode, status, text)
	}
	if err := json.Unmarshal(text, &response); err != nil {
		t.Fatalf("%s %s: %v in %q", method, path, err, text)
	}
	return response
}

type object map[string]any

func (o object) id() string { return o["id"].(string) }

func jsonText(s string) string {
	text, _ := json.Marshal(s) // texts can always be encoded
	return string(text)
}

// addFolder adds a list as floccus adds a folder. A root has no parent.
func (c *client) addFolder(t *testing.T, name, parent string) string {
	t.Helper()
	body := fmt.Sprintf(`{"name":%s,"icon":"📔","type":"manual"}`, jsonText(name))
	if parent != "" {
		body = fmt.Sprintf(`{"name":%s,"icon":"📔","type":"manual","parentId":%q}`, jsonText(name), parent)
	}
	return c.call(t, 201, "POST", "/lists", body).id()
}

// addBookmark adds a bookmark to a list as floccus does.
func (c *client) addBookmark(t *testing.T, url, title, folder string) string {
	t.Helper()
	status := 201
	if exists, err := c.store.HasURL(t.Context(), c.user.ID, url); err == nil && exists {
		status = 200
	}
	created := c.call(t, status, "POST", "/bookmarks", fmt.Sprintf(`{"type":"link","url":%s,"title":%s}`, jsonText(url), jsonText(title)))
	if exists, _ := created["alreadyExists"].(bool); exists != (status == 200) {
		t.Errorf("%s: got alreadyExists %t after status %d", url, exists, status)
	} else if exists {
		c.call(t, 200, "PATCH", "/bookmarks/"+created.id(), fmt.Sprintf(`{"title":%s}`, jsonText(title)))
	}
	c.call(t, 200, "PUT", "/lists/"+folder+"/bookmarks/"+created.id(), "")
	return created.id()
}

// tree returns the tree below a list as floccus reads it, each bookmark as title=URL.
func (c *client) tree(t *testing.T, root string) string {
	t.Helper()
	var parts []string
	lists := c.call(t, 200, "GET", "/lists", "")["lists"].([]any)
	for _, one := range lists {
		list := object(one.(map[string]any))
		if parent, _ := list["parentId"].(string); parent == root {
			parts = append(parts, list["name"].(string)+"("+c.tree(t, list.id())+")")
		}
	}
	page := c.call(t, 200, "GET", "/lists/"+root+"/bookmarks?includeContent=false&", "")
	if page["nextCursor"] != nil {
		t.Errorf("got the cursor %v of a listing without a limit", page["nextCursor"])
	}
	for _, one := range page["bookmarks"].([]any) {
		content := one.(map[string]any)["content"].(map[string]any)
		if content["type"] != "link" {
			t.Errorf("got the type %v", content["type"])
		}
		title, _ := one.(map[string]any)["title"].(string)
		parts = append(parts, title+"="+content["url"].(string))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

func (c *client) wantTree(t *testing.T, root, want string) {
	t.Helper()
	if got := c.tree(t, root); got != want {
		t.Errorf("got the tree %s\nwant %s", got, want)
	}
}

func TestSyncOfATree(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		root := c.addFolder(t, "Floccus", "")
		news, work := c.addFolder(t, "News", root), c.addFolder(t, "Work / 50%", root)
		deep := c.addFolder(t, "Deep", work)
		one := c.addBookmark(t, "http://a.example/?q=1#x", "One", news)
		c.addBookmark(t, "http://b.example/", "", deep)
		c.addBookmark(t, "http://a.example/?q=1#x", "One, again", deep) // one bookmark in two folders
		c.wantTree(t, root, "News(One, again=http://a.example/?q=1#x) Work / 50%(Deep(=http://b.example/ One, again=http://a.example/?q=1#x))")

		// A bookmark is renamed and moved, a folder too.
		c.call(t, 200, "PATCH", "/bookmarks/"+one, `{"url":"http://a.example/new","title":"Uno"}`)
		c.call(t, 200, "DELETE", "/lists/"+news+"/bookmarks/"+one, "")
		c.call(t, 200, "PUT", "/lists/"+work+"/bookmarks/"+one, "")
		c.call(t, 200, "PATCH", "/lists/"+deep, fmt.Sprintf(`{"name":"Deeper","parentId":%q}`, news))
		c.wantTree(t, root, "News(Deeper(=http://b.example/ Uno=http://a.example/new)) Work / 50%(Uno=http://a.example/new)")

		// A bookmark is deleted when it is in no folder any more.
		c.call(t, 200, "DELETE", "/lists/"+work+"/bookmarks/"+one, "")
		if lists := c.call(t, 200, "GET", "/bookmarks/"+one+"/lists", "")["lists"].([]any); len(lists) != 1 || object(lists[0].(map[string]any)).id() != deep {
			t.Errorf("got the lists %v, want %s", lists, deep)
		}
		c.call(t, 200, "DELETE", "/lists/"+deep+"/bookmarks/"+one, "")
		if lists := c.call(t, 200, "GET", "/bookmarks/"+one+"/lists", "")["lists"].([]any); len(lists) != 0 {
			t.Errorf("got the lists %v, want none", lists)
		}
		c.call(t, 200, "DELETE", "/bookmarks/"+one, "")
		for _, gone := range []string{"GET /bookmarks/" + one, "GET /bookmarks/" + one + "/lists", "DELETE /bookmarks/" + one, "DELETE /lists/" + deep + "/bookmarks/" + one, "PUT /lists/" + deep + "/bookmarks/" + one} {
			method, path, _ := strings.Cut(gone, " ")
			c.call(t, 404, method, path, "")
		}
		c.call(t, 200, "DELETE", "/lists/"+deep, "")
		c.call(t, 404, "DELETE", "/lists/"+deep, "")
		c.wantTree(t, root, "News() Work / 50%()")
		trash, err := c.store.TrashedLinks(c.user.ID).Page(t.Context())
		if err != nil || trash.Total != 1 || trash.Entities[0].Title != "Uno" {
			t.Errorf("got the trash %v (error %v), want the bookmark that was deleted", trash, err)
		}
		c.addBookmark(t, "http://a.example/new", "Again", news) // although there is one in the trash
		c.wantTree(t, root, "News(Again=http://a.example/new) Work / 50%()")
	})
}

// All that a client has changed within a short time is undone together.
func TestSyncIsUndone(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		root := c.addFolder(t, "Floccus", "")
		kept, moved := c.addBookmark(t, "http://kept.example/", "Kept", root), c.addFolder(t, "Moved", root)
		c.addBookmark(t, "http://moved.example/", "In a folder", moved)
		const before = "Kept=http://kept.example/ Moved(In a folder=http://moved.example/)"
		c.wantTree(t, root, before)

		phone := c.withKey(t, c.user, waymark.AccessFull)
		added := phone.addFolder(t, "Added", root)
		phone.addBookmark(t, "http://added.example/", "Added", added)
		phone.call(t, 200, "PATCH", "/lists/"+moved, fmt.Sprintf(`{"name":"Renamed","parentId":%q}`, added))
		phone.call(t, 200, "PATCH", "/bookmarks/"+kept, `{"url":"http://kept.example/2","title":"Changed"}`)
		phone.call(t, 200, "DELETE", "/lists/"+root+"/bookmarks/"+kept, "")
		phone.call(t, 200, "DELETE", "/bookmarks/"+kept, "")
		brief := phone.addBookmark(t, "http://brief.example/", "Brief", root)
		phone.call(t, 200, "DELETE", "/bookmarks/"+brief, "")
		c.wantTree(t, root, "Added(Added=http://added.example/ Renamed(In a folder=http://moved.example/))")

		syncs, err := c.store.Syncs(t.Context(), c.user.ID)
		if err != nil || len(syncs) != 2 || syncs[0].Changes != 10 || syncs[0].APIKey == syncs[1].APIKey {
			t.Fatalf("got the syncs %+v (error %v)", syncs, err)
		}
		other := storetest.User(t, c.store, "ben")
		if _, err := c.store.UndoSync(t.Context(), other, syncs[0]); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("another user: got error %v", err)
		}
		result, err := c.store.UndoSync(t.Context(), c.user, syncs[0])
		if err != nil || result.Skipped != 0 {
			t.Errorf("got %+v, error %v", result, err)
		}
		c.wantTree(t, root, before)
		if _, err := c.store.UndoSync(t.Context(), c.user, syncs[0]); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("a second time: got error %v", err)
		}
		if rest, err := c.store.Syncs(t.Context(), c.user.ID); err != nil || len(rest) != 1 {
			t.Errorf("got the syncs %+v (error %v), want the first one", rest, err)
		}
	})
}

// A client deletes a tree list by list, the inner ones first, or several at once in any order.
func TestSyncThatDeletesATreeIsUndone(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		root := c.addFolder(t, "Floccus", "")
		outer := c.addFolder(t, "Outer", root)
		inner := c.addFolder(t, "Inner", outer)
		innermost := c.addFolder(t, "Innermost", inner)
		bookmark := c.addBookmark(t, "http://a.example/", "A", innermost)
		const before = "Outer(Inner(Innermost(A=http://a.example/)))"
		for _, order := range [][]string{{innermost, inner, outer}, {outer, inner, innermost}, {inner, outer, innermost}, {outer, innermost, inner}} {
			phone := c.withKey(t, c.user, waymark.AccessFull)
			phone.call(t, 200, "DELETE", "/lists/"+innermost+"/bookmarks/"+bookmark, "")
			phone.call(t, 200, "DELETE", "/bookmarks/"+bookmark, "")
			for _, list := range order {
				phone.call(t, 200, "DELETE", "/lists/"+list, "")
			}
			c.wantTree(t, root, "")
			syncs, err := c.store.Syncs(t.Context(), c.user.ID)
			if err != nil {
				t.Fatal(err)
			}
			if result, err := c.store.UndoSync(t.Context(), c.user, syncs[0]); err != nil || result.Skipped != 0 {
				t.Errorf("deleted in the order %v: got %+v, error %v", order, result, err)
			}
			c.wantTree(t, root, before)
		}
	})
}

func TestBookmarksInPages(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		root := c.addFolder(t, "Floccus", "")
		for i := range 5 {
			c.addBookmark(t, fmt.Sprintf("http://%d.example/", i), "", root)
		}
		for _, path := range []string{"/bookmarks", "/lists/" + root + "/bookmarks"} {
			var urls []string
			for cursor := ""; ; {
				page := c.call(t, 200, "GET", path+"?limit=2"+cursor, "")
				for _, b := range page["bookmarks"].([]any) {
					urls = append(urls, b.(map[string]any)["content"].(map[string]any)["url"].(string))
				}
				next, ok := page["nextCursor"].(string)
				if !ok {
					break
				}
				cursor = "&cursor=" + next
			}
			slices.Sort(urls)
			if got := strings.Join(urls, " "); got != "http://0.example/ http://1.example/ http://2.example/ http://3.example/ http://4.example/" {
				t.Errorf("%s: got %s", path, got)
			}
			c.call(t, 400, "GET", path+"?limit=x", "")
			c.call(t, 400, "GET", path+"?cursor=-1", "")
		}
	})
}

// Lists and links of other users do not exist for a client, even those that it sees elsewhere.
func TestOnlyTheOwnTree(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		user := storetest.User(t, c.store, "ben")
		ben := c.withKey(t, user, waymark.AccessFull)
		list := strconv.FormatInt(int64(storetest.SharedList(t, c.store, user).ID), 10) // the client's user edits it elsewhere
		link := ben.addBookmark(t, "http://ben.example/", "Ben's", list)
		if lists := c.call(t, 200, "GET", "/lists", "")["lists"].([]any); len(lists) != 0 {
			t.Errorf("got the lists %v", lists)
		}
		shared := strconv.FormatInt(int64(storetest.SharedList(t, c.store, c.user).ID), 10) // ben edits it
		listID, _ := strconv.Atoi(shared)
		linkID, _ := strconv.Atoi(link)
		if err := c.store.AddToList(t.Context(), user, waymark.ListID(listID), waymark.LinkID(linkID), waymark.MaxLinkLists); err != nil {
			t.Fatal(err)
		}
		c.addBookmark(t, "http://ada.example/", "Ada's", shared)
		c.wantTree(t, shared, "Ada's=http://ada.example/")
		own, hidden := c.addFolder(t, "Own", ""), ben.addFolder(t, "Hidden", "")
		for _, request := range []string{
			"GET /lists/" + hidden, "DELETE /lists/" + hidden, "GET /lists/" + list, "PATCH /lists/" + list, "DELETE /lists/" + list, "GET /lists/" + list + "/bookmarks", "GET /bookmarks/" + link,
			"PATCH /bookmarks/" + link, "DELETE /bookmarks/" + link, "PUT /lists/" + own + "/bookmarks/" + link, "PUT /lists/" + list + "/bookmarks/" + link,
		} {
			method, path, _ := strings.Cut(request, " ")
			c.call(t, 404, method, path, "{}")
		}
		c.call(t, 400, "PATCH", "/lists/"+own, `{"parentId":7}`)
		c.call(t, 400, "POST", "/lists", `{"name":"Starred","type":"smart","query":"is:fav"}`)
		if got := c.call(t, 400, "POST", "/lists", fmt.Sprintf(`{"name":"Below","parentId":%q}`, list)); got["message"] == "" {
			t.Errorf("got %v", got)
		}
	})
}

func TestAccessOfKeys(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		list := c.addFolder(t, "Floccus", "")
		reader, adder := c.withKey(t, c.user, waymark.AccessRead), c.withKey(t, c.user, waymark.AccessAdd)
		for _, path := range []string{"/lists", "/tags", "/users/me", "/users/me/stats", "/bookmarks/search?q=a"} {
			reader.call(t, 200, "GET", path, "")
			adder.call(t, 403, "GET", path, "")
		}
		reader.call(t, 403, "POST", "/tags", `{"name":"a"}`)
		tag := adder.call(t, 201, "POST", "/tags", `{"name":"a"}`).id()
		adder.call(t, 403, "PATCH", "/tags/"+tag, `{"name":"b"}`)
		reader.call(t, 403, "POST", "/lists", `{"name":"a"}`)
		adder.call(t, 201, "POST", "/lists", `{"name":"a"}`)
		adder.call(t, 403, "DELETE", "/lists/"+list, "")
		c.key = "wrong"
		c.call(t, 401, "GET", "/lists", "")
		c.call(t, 404, "GET", "/unknown", "")
	})
}

// What a browser can hold and Waymark cannot comes back as it was sent, until somebody changes it in Waymark.
func TestTreeOfABrowserComesBackAsItWasSent(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		root := c.addFolder(t, "Floccus", "")
		deep := root
		for i := range 50 {
			deep = c.addFolder(t, fmt.Sprintf("level %d", i+2), deep)
		}
		copies := c.addFolder(t, "copies", deep)
		for range 60 {
			c.addBookmark(t, "https://in.example/", "In many", c.addFolder(t, "copy", copies))
		}
		names := []string{"", " ", "a, b", " c ", "d\x00\x1be", strings.Repeat("n", 400), "\u200b"}
		for _, name := range names {
			c.addBookmark(t, "https://in.example/", "In many", c.addFolder(t, name, root))
		}
		titles := []string{"", " ", " t ", strings.Repeat("word ", 300), "a\x00b\x01", strings.Repeat("\x02", 200), strings.Repeat("long ", 300_000)}
		urls := []string{"https://long.example/?" + strings.Repeat("x", 9000), "https://long.example/#" + strings.Repeat("x", 2<<20), "https://space.example/a b", "about:config", "chrome://version", "file:///etc/hosts",
			"place:sort=8", "javascript:alert(1)", "data:text/html,a", "https://known.example/"}
		for i, title := range titles {
			c.addBookmark(t, fmt.Sprintf("https://%d.example/", i), title, deep)
		}
		for _, url := range urls {
			c.addBookmark(t, url, "URL", deep)
		}
		for range 2 { // and again what the browser has
			parents := map[string]string{}
			var gotNames []string
			for _, one := range c.call(t, 200, "GET", "/lists", "")["lists"].([]any) {
				list := object(one.(map[string]any))
				parents[list.id()], _ = list["parentId"].(string)
				if name := list["name"].(string); parents[list.id()] == root && name != "level 2" {
					gotNames = append(gotNames, name)
				}
			}
			depth := 0
			for at := deep; at != root && depth < 99; at = parents[at] {
				depth++
			}
			if depth != 50 || !slices.Equal(gotNames, names) {
				t.Errorf("got the depth %d, want 50; names %q, want %q", depth, gotNames, names)
			}
			var gotTitles, gotURLs []string
			for i, one := range c.call(t, 200, "GET", "/lists/"+deep+"/bookmarks", "")["bookmarks"].([]any) {
				bookmark := object(one.(map[string]any))
				title, url := bookmark["title"].(string), bookmark["content"].(map[string]any)["url"].(string)
				if i < len(titles) {
					gotTitles = append(gotTitles, title)
				} else {
					gotURLs = append(gotURLs, url)
				}
				c.call(t, 200, "PATCH", "/bookmarks/"+bookmark.id(), fmt.Sprintf(`{"url":%s,"title":%s}`, jsonText(url), jsonText(title)))
			}
			if !slices.Equal(gotTitles, titles) || !slices.Equal(gotURLs, urls) {
				t.Errorf("got the titles %.99q and the URLs %.99q", gotTitles, gotURLs)
			}
		}
		link := c.addBookmark(t, "https://edited.example/", "", root)
		id, _ := strconv.Atoi(link)
		if _, err := service.New(c.store).EditLink(t.Context(), c.user, waymark.LinkID(id), waymark.LinkInput{URL: "https://edited.example/", Title: new("Typed")}); err != nil {
			t.Fatal(err)
		}
		if got := c.call(t, 200, "GET", "/bookmarks/"+link, "")["title"]; got != "Typed" {
			t.Errorf("after an edit in Waymark: got the title %q", got)
		}
	})
}

// Folders can be moved and deleted at any depth: each stays where the browser has it, and in Waymark as near to that as
// ten levels allow.
func TestFoldersMoveAtAnyDepth(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		random := mathrand.New(mathrand.NewPCG(1, 2))
		parents, ids := map[string]string{}, []string{}
		above := func(id string) (all []string) {
			for at := parents[id]; at != ""; at = parents[at] {
				all = append(all, at)
			}
			return all
		}
		add := func(parent string) string {
			id := c.addFolder(t, "folder", parent)
			parents[id], ids = parent, append(ids, id)
			return id
		}
		at := add("")
		for range 24 {
			at = add(at)
		}
		for step := range 120 {
			id, to := ids[random.IntN(len(ids))], ids[random.IntN(len(ids))]
			inside := id == to || slices.Contains(above(to), id)
			switch {
			case step%10 == 0:
				add(to)
			case step%10 == 1 && len(above(id)) > 0:
				c.call(t, 200, "DELETE", "/lists/"+id, "")
				for sublist, parent := range parents {
					if parent == id {
						parents[sublist] = parents[id]
					}
				}
				delete(parents, id)
				ids = slices.DeleteFunc(ids, func(other string) bool { return other == id })
			case inside:
				c.call(t, 400, "PATCH", "/lists/"+id, fmt.Sprintf(`{"name":"folder","parentId":%q}`, to))
			default:
				c.call(t, 200, "PATCH", "/lists/"+id, fmt.Sprintf(`{"name":"folder","parentId":%q}`, to))
				parents[id] = to
			}
			got := map[string]string{}
			for _, one := range c.call(t, 200, "GET", "/lists", "")["lists"].([]any) {
				list := object(one.(map[string]any))
				got[list.id()], _ = list["parentId"].(string)
			}
			if !maps.Equal(got, parents) {
				t.Fatalf("step %d: got the parents %v, want %v", step, got, parents)
			}
			kept, err := c.store.OwnLists(c.user.ID).Page(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, list := range kept.Entities {
				way := above(strconv.Itoa(int(list.ID)))
				slices.Reverse(way)
				if want := way[:min(len(way), waymark.MaxListDepth-1)]; len(list.Path) != len(want) || len(want) > 0 && want[len(want)-1] != strconv.Itoa(int(list.Parent)) {
					t.Fatalf("step %d: the list %d stands in %d, want the last of %v", step, list.ID, list.Parent, want)
				}
			}
		}
	})
}

// The folders in a deleted one come into its place, if people have ordered the lists.
func TestFoldersTakeThePlaceOfADeletedOne(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		first, second, third := c.addFolder(t, "first", ""), c.addFolder(t, "second", ""), c.addFolder(t, "third", "")
		c.addFolder(t, "inside", second)
		ids := waymark.Map([]string{first, second, third}, func(id string) waymark.ListID {
			n, _ := strconv.Atoi(id)
			return waymark.ListID(n)
		})
		if err := c.store.MoveLists(t.Context(), c.user, ids, waymark.ListPlace{Last: true}); err != nil {
			t.Fatal(err)
		}
		c.call(t, 200, "DELETE", "/lists/"+second, "")
		tree, err := c.store.ListTree(t.Context(), c.user.ID)
		if err != nil {
			t.Fatal(err)
		}
		names := waymark.Map(tree, func(l waymark.List) string { return l.Name })
		if want := []string{"first", "inside", "third"}; !slices.Equal(names, want) {
			t.Errorf("got the lists %v, want %v", names, want)
		}
	})
}

// A bookmark that gets the URL of another one is joined with it, and its id stands for both.
func TestURLBecomesAKnownOne(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		root, other := c.addFolder(t, "Floccus", ""), c.addFolder(t, "Elsewhere", "")
		known := c.addBookmark(t, "https://new.example/", "Saved long ago", other)
		old := c.addBookmark(t, "http://old.example/", "Old", root)
		c.call(t, 200, "PATCH", "/bookmarks/"+old, `{"url":"https://new.example/","title":"New"}`)
		if got := c.tree(t, root); got != "New=https://new.example/" {
			t.Errorf("got the tree %s", got)
		}
		newest := c.addBookmark(t, "https://newest.example/", "Newest", other)
		c.call(t, 200, "PATCH", "/bookmarks/"+known, `{"url":"https://newest.example/","title":"New"}`)
		known = newest
		below := c.addFolder(t, "Below", root)
		c.call(t, 200, "DELETE", "/lists/"+root+"/bookmarks/"+old, "")
		c.call(t, 200, "PUT", "/lists/"+below+"/bookmarks/"+old, "")
		if got := c.call(t, 200, "GET", "/bookmarks/"+old, "").id(); got != known {
			t.Errorf("got the bookmark %s, want %s", got, known)
		}
		c.wantTree(t, below, "New=https://newest.example/")
	})
}

// Miniflux sends the tags of an entry after the entry.
func TestTagsAndNotesOfBookmarks(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		id := c.call(t, 201, "POST", "/bookmarks", `{"type":"link","url":"https://a.example/","title":"A","note":"first"}`).id()
		attached := c.call(t, 200, "POST", "/bookmarks/"+id+"/tags", `{"tags":[{"tagName":"Go"},{"tagName":"go"},{"tagName":"news"}]}`)["attached"].([]any)
		if len(attached) != 2 {
			t.Fatalf("got %v, want two ids", attached)
		}
		detached := c.call(t, 200, "DELETE", "/bookmarks/"+id+"/tags", fmt.Sprintf(`{"tags":[{"tagId":%q},{"tagName":"unknown"}]}`, attached[0]))["detached"].([]any)
		if len(detached) != 1 || detached[0] != attached[0] {
			t.Errorf("got %v, want %v", detached, attached[:1])
		}
		c.call(t, 404, "POST", "/bookmarks/"+id+"/tags", `{"tags":[{"tagId":"999"}]}`)
		c.call(t, 400, "POST", "/bookmarks/"+id+"/tags", `{"tags":[{}]}`)
		for _, note := range []string{"second", ""} {
			got := c.call(t, 200, "PATCH", "/bookmarks/"+id, fmt.Sprintf(`{"note":%q}`, note))
			if got["note"] != note || len(got["tags"].([]any)) != 1 {
				t.Errorf("got %v, want the note %q and one tag", got, note)
			}
		}
		c.call(t, 405, "PUT", "/bookmarks/"+id, "")
	})
}

// texts returns a field of the objects in a list of a response, each as text, with spaces between them.
func texts(t *testing.T, response object, list, field string) string {
	t.Helper()
	var all []string
	for _, one := range response[list].([]any) {
		all = append(all, fmt.Sprint(one.(map[string]any)[field]))
	}
	return strings.Join(all, " ")
}

// Clients of Karakeep's SDK list, rename and delete tags.
func TestTags(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		ben := c.withKey(t, storetest.User(t, c.store, "ben"), waymark.AccessFull)
		of := ben.call(t, 201, "POST", "/tags", `{"name":"Ben's"}`).id()
		id := c.call(t, 201, "POST", "/tags", `{"name":" Go "}`).id()
		c.call(t, 400, "POST", "/tags", `{"name":"go"}`)
		c.call(t, 400, "POST", "/tags", `{}`)
		link := c.call(t, 201, "POST", "/bookmarks", `{"type":"link","url":"https://a.example/"}`).id()
		c.call(t, 200, "POST", "/bookmarks/"+link+"/tags", `{"tags":[{"tagName":"news"},{"tagName":"apple"}]}`)
		c.call(t, 200, "POST", "/bookmarks/"+c.call(t, 201, "POST", "/bookmarks", `{"type":"link","url":"https://b.example/"}`).id()+"/tags", `{"tags":[{"tagName":"news"}]}`)
		for query, want := range map[string]string{"": "news apple Go", "?sort=name": "apple Go news", "?nameContains=E": "news apple", "?sort=usage&limit=1": "news", "?limit=1&cursor=1&sort=relevance": "apple"} {
			if got := texts(t, c.call(t, 200, "GET", "/tags"+query, ""), "tags", "name"); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
		if got := c.call(t, 200, "GET", "/tags?limit=2", "")["nextCursor"]; got != "2" {
			t.Errorf("got the cursor %v, want 2", got)
		}
		c.call(t, 400, "GET", "/tags?sort=x", "")
		news := c.call(t, 200, "GET", "/tags?nameContains=news", "")["tags"].([]any)[0].(map[string]any)["id"].(string)
		if got := c.call(t, 200, "GET", "/tags/"+news, ""); got["numBookmarks"] != 2.0 || got["numBookmarksByAttachedType"].(map[string]any)["human"] != 2.0 {
			t.Errorf("got %v, want two bookmarks", got)
		}
		if got := texts(t, c.call(t, 200, "GET", "/tags/"+news+"/bookmarks?sortOrder=asc", ""), "bookmarks", "id"); !strings.HasPrefix(got, link+" ") {
			t.Errorf("got the bookmarks %s, want %s first", got, link)
		}
		if got := c.call(t, 200, "PATCH", "/tags/"+id, `{"name":"Golang"}`); got["name"] != "Golang" {
			t.Errorf("got %v", got)
		}
		c.call(t, 400, "PATCH", "/tags/"+id, `{"name":"NEWS"}`)
		c.call(t, 200, "DELETE", "/tags/"+id, "")
		for _, gone := range []string{id, of, "x"} {
			c.call(t, 404, "GET", "/tags/"+gone, "")
			c.call(t, 404, "PATCH", "/tags/"+gone, `{"name":"a"}`)
			c.call(t, 404, "DELETE", "/tags/"+gone, "")
			c.call(t, 404, "GET", "/tags/"+gone+"/bookmarks", "")
		}
		c.call(t, 404, "POST", "/bookmarks/"+link+"/tags", fmt.Sprintf(`{"tags":[{"tagName":"new"},{"tagId":%q}]}`, of))
		if got := texts(t, c.call(t, 200, "GET", "/tags", ""), "tags", "name"); got != "news apple" {
			t.Errorf("got the tags %s", got)
		}
	})
}

func TestSearchAndProfile(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		add := func(url, fields string) string {
			return c.call(t, 201, "POST", "/bookmarks", fmt.Sprintf(`{"type":"link","url":%q%s}`, url, fields)).id()
		}
		a := add("https://a.example/", `,"title":"Go tools","favourited":true,"createdAt":"2020-05-06T07:08:09.000Z"`)
		b := add("https://b.example/", `,"title":"to be or not to be","archived":true`)
		d := add("https://d.example/", `,"title":"Tools"`)
		c.call(t, 200, "POST", "/bookmarks/"+d+"/tags", `{"tags":[{"tagName":"x"}]}`)
		c.addFolder(t, "L", "")
		for query, want := range map[string][]string{
			"bookmarks/search?q=go": {a}, "bookmarks/search?q=tools&sortOrder=asc": {a, d}, "bookmarks/search?q=tools&sortOrder=desc&searchMode=hybrid": {d, a},
			"bookmarks/search?q=is:fav": {a}, "bookmarks/search?q=-is:fav&sortOrder=asc": {b, d}, "bookmarks/search?q=is:tagged": {d},
			"bookmarks/search?q=-is:tagged&sortOrder=asc": {a, b}, "bookmarks/search?q=is:link&sortOrder=asc": {a, b, d}, "bookmarks/search?q=is:text": {},
			"bookmarks/search?q=is:inlist": {}, "bookmarks/search?q=to+be+or+not+to+be": {b}, "bookmarks/search?q=%23x+or+is:fav&sortOrder=asc": {a, d},
			"bookmarks/search?q=tools+and+(go)": {a}, "bookmarks/search?q=(go": {}, "bookmarks/search?q=": {d, b, a},
			"bookmarks?archived=true": {b}, "bookmarks?archived=false&sortOrder=asc": {a, d}, "bookmarks?favourited=true": {a}, "bookmarks": {d, b, a},
		} {
			if got := texts(t, c.call(t, 200, "GET", "/"+query, ""), "bookmarks", "id"); got != strings.Join(want, " ") {
				t.Errorf("%s: got %q, want %q", query, got, want)
			}
		}
		for _, invalid := range []string{"bookmarks/search", "bookmarks/search?q=a&sortOrder=x", "bookmarks?archived=1", "bookmarks/check-url"} {
			c.call(t, 400, "GET", "/"+invalid, "")
		}
		if got := c.call(t, 200, "GET", "/bookmarks/check-url?url=https://a.example/", "")["bookmarkId"]; got != a {
			t.Errorf("got the bookmark %v, want %s", got, a)
		}
		c.call(t, 200, "DELETE", "/bookmarks/"+b, "")
		if got, ok := c.call(t, 200, "GET", "/bookmarks/check-url?url=https://b.example/", "")["bookmarkId"]; got != nil || !ok {
			t.Errorf("got the bookmark %v of the trash", got)
		}
		if got := c.call(t, 200, "GET", "/users/me", ""); got["name"] != "ada" || got["localUser"] != true {
			t.Errorf("got the user %v", got)
		}
		if got := fmt.Sprint(c.call(t, 200, "GET", "/users/me/stats", "")); got != "map[numArchived:0 numBookmarks:2 numFavorites:1 numHighlights:0 numLists:1 numTags:1]" {
			t.Errorf("got %s", got)
		}
		if got := c.call(t, 200, "GET", "/bookmarks/"+a+"/highlights", "")["highlights"].([]any); len(got) != 0 {
			t.Errorf("got the highlights %v", got)
		}
		got := c.call(t, 200, "PATCH", "/bookmarks/"+a, `{"title":null,"description":"about","note":null,"summary":null}`)
		content := got["content"].(map[string]any)
		if got["title"] != nil || content["description"] != "about" || got["createdAt"] != "2020-05-06T07:08:09.000000Z" || got["taggingStatus"] != "success" || content["htmlContent"] != nil {
			t.Errorf("got %v", got)
		}
		for _, lost := range []string{"summary", "text", "author", "precrawledArchiveId"} {
			c.call(t, 400, "PATCH", "/bookmarks/"+a, fmt.Sprintf(`{%q:"a"}`, lost))
			c.call(t, 400, "POST", "/bookmarks", fmt.Sprintf(`{"type":"link","url":"https://e.example/",%q:"a"}`, lost))
		}
	})
}

func TestInvalidRequests(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		list := c.addFolder(t, "Floccus", "")
		for _, test := range []struct{ request, body string }{
			{"POST /lists", `{`}, {"POST /lists", `[]`}, {"POST /lists", `{}`},
			{"PATCH /lists/" + list, fmt.Sprintf(`{"parentId":%q}`, list)},
			{"POST /bookmarks", `{"type":"text","text":"a"}`}, {"POST /bookmarks", `{"type":"link"}`}, {"POST /bookmarks", `{"type":"link","url":"a b"}`},
		} {
			method, path, _ := strings.Cut(test.request, " ")
			if got := c.call(t, 400, method, path, test.body); got["code"] != "BadRequest" {
				t.Errorf("%s: got %v", test.request, got)
			}
		}
	})
}
