package crawl_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestARefreshWaitsForThePauseOfTheHost(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		svc.set(func(o *crawl.Options) { o.HostPause = time.Hour })
		var paths []string
		url := site(t, func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, r.URL.Path)
			w.Header().Set("Refresh", "0; url=/new")
		})
		save(t, svc, s, ada, waymark.LinkInput{URL: url + "old"})
		if got := strings.Join(paths, " "); got != "/old" {
			t.Errorf("got the requests %s, want only that of the page", got)
		}
		wantWaiting(t, s, 1)
	})
}

func TestTextsOfWallsAreNotSaved(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		walls := map[string]string{
			"/anubis":     `<title>Making sure you're not a bot!</title><script id="anubis_challenge" type="application/json">{}</script>`,
			"/italian":    `<title>Un attimo...</title>`,
			"/fastly":     `<title>Client Challenge</title>`,
			"/siteground": `<title>Robot Challenge Screen</title><meta http-equiv=refresh content="0;/.well-known/sgcaptcha/?r=%2F">`,
		}
		url := site(t, func(w http.ResponseWriter, r *http.Request) {
			path := r.URL.Path
			switch {
			case walls[path] != "":
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, walls[path])
			case path == "/post":
				http.Redirect(w, r, "/authwall?next=/post", http.StatusFound)
			case path == "/article":
				http.Redirect(w, r, "/consent/tcf/?url=/article", http.StatusFound)
			case path == "/refresh":
				fmt.Fprint(w, `<meta http-equiv=refresh content="0; url=/login">`)
			default:
				fmt.Fprint(w, "<title>Sign in</title>")
			}
		})
		walls["/post"], walls["/article"], walls["/refresh"] = "", "", ""
		for path := range walls {
			if got := save(t, svc, s, ada, waymark.LinkInput{URL: strings.TrimSuffix(url, "/") + path}); got.Title != "127.0.0.1" {
				t.Errorf("%s: got the title %q, want only the host", path, got.Title)
			}
		}
		if got := save(t, svc, s, ada, waymark.LinkInput{URL: url + "login"}); got.Title != "Sign in" {
			t.Errorf("a link to a sign-in: got the title %q, want that of its page", got.Title)
		}
		wantWaiting(t, s, 0)
	})
}

func TestOneRefreshIsFollowed(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url := site(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/header":
				w.Header().Set("Refresh", "1; url=/new")
			case "/meta":
				fmt.Fprint(w, `<title>Moved</title><meta http-equiv="Refresh" content="0;URL='new'">`)
			case "/new":
				fmt.Fprint(w, `<title>Bread</title><meta http-equiv=refresh content="0; url=/again"><meta name=description content=Flour>`)
			default:
				fmt.Fprint(w, "<title>Too far</title>")
			}
		})
		for _, path := range []string{"header", "meta"} {
			if got := save(t, svc, s, ada, waymark.LinkInput{URL: url + path}); got.Title != "Bread" {
				t.Errorf("%s: got the title %q, want that of the page to which it refers", path, got.Title)
			}
		}
	})
}
