package web

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"waymark/internal/fetch/singlefile"
	"waymark/internal/httpx"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// saveWholePage saves a page of a link as it is, without cleaning it.
func saveWholePage(t testing.TB, s *testSite, link waymark.Link, file string) {
	t.Helper()
	claimed := queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}
	check(t, s.store.Snapshots.SaveFull(t.Context(), claimed, waymark.FullSnapshot{FetchedAt: s.store.Now(), URL: link.URL}, file, 1<<30))
}

func TestFullSnapshotIsOpenedUnderItsPolicyAndRemovedWithTheSnapshot(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	public := waymark.Public
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", VisibilityInput: waymark.VisibilityInput{Visibility: &public}})
	path := linkPath(link.ID) + "/full-snapshot"
	ada.get(path).wantStatus(404)
	ada.get(path + "/file").wantStatus(404)
	ada.get(linkPath(link.ID)).wantCount(`[href$="/full-snapshot"]`, 0)
	file := "<!DOCTYPE html><html><head></head><body>" + strings.Repeat("Bread. ", 1000) + "</body></html>"
	saveWholePage(t, s, link, file)
	for _, reader := range []*browser{ada, bob} {
		p := reader.get(linkPath(link.ID))
		p.wantAttr(`.facts [href$="/full-snapshot"]`, "href", path)
		p.wantText(`.facts dd:has([href$="/full-snapshot"]) + dd + dd`, "6.9 KiB")
		p = reader.get(path + "?back=%2Flists%2F1").wantStatus(200)
		if got, want := p.text("header h1")+", "+p.text("header p"), link.Title+", The page as it was on "; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, ", 6.9 KiB") {
			t.Errorf("above the frame: got %q, want %q, the time and the size", got, want)
		}
		if got, want := p.attr("header a", "href")+" "+p.attr("iframe", "src"), linkPath(link.ID)+"?back=%2flists%2f1 "+path+"/file"; got != want {
			t.Errorf("the way back and the file: got %q, want %q", got, want)
		}
		p = reader.get(path + "/file").wantStatus(200)
		for name, want := range map[string]string{
			"Content-Security-Policy": singlefile.Policy, "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
		} {
			if got := p.header.Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		if got, err := p.Html(); err != nil || got != file {
			t.Errorf("got %.100q, error %v", got, err)
		}
	}
	s.guest(t).get(path).wantStatus(303) // to sign in
	s.guest(t).get(path + "/file").wantStatus(303)
	remove := linkPath(link.ID) + "/snapshot/remove"
	ada.get(linkPath(link.ID)).wantCount(`[formaction="`+remove+`"]`, 1)
	ada.post(remove).wantStatus(303)
	ada.get(path).wantStatus(404)
	ada.get(path + "/file").wantStatus(404)
}

// A page that a browser has saved is shown in its character set, and downloaded as it was sent.
func TestPageFromABrowserIsShownAndDownloaded(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	const saved = "<!DOCTYPE html><meta charset=windows-1251><script>x()</script><p>\xd5\xeb\xe5\xe1"
	file, err := s.site.Uploads.Receive(t.Context(), ada.user.ID, strings.NewReader(saved))
	check(t, err)
	defer file.Close()
	read, err := s.site.Uploads.ReadPage(t.Context(), ada.user.ID, file, "text/html", link.URL)
	check(t, err)
	defer read.Close()
	if _, err := s.site.Uploads.SavePage(t.Context(), ada.user, link.ID, read); err != nil {
		t.Fatal(err)
	}
	download := ada.get(linkPath(link.ID)).attr(`.facts a[href*="/attachments/"]`, "href")
	alone := ada.get(linkPath(link.ID)+"/full-snapshot").attr(`header [href$="/file"]`, "href")
	for path, policy := range map[string]string{download: httpx.FilePolicy, alone: singlefile.Policy} {
		p := ada.get(path)
		if p.body != saved || p.header.Get("Content-Security-Policy") != policy || p.header.Get("Content-Type") != "text/html; charset=windows-1251" {
			t.Errorf("%s: got %q, %v, want what was sent under %s", path, p.body, p.header, policy)
		}
		if attached := strings.HasPrefix(p.header.Get("Content-Disposition"), "attachment"); attached != (path == download) {
			t.Errorf("%s: got Content-Disposition %q", path, p.header.Get("Content-Disposition"))
		}
	}
}

// goneClient is the ResponseWriter of a client that has disconnected.
type goneClient struct{ *httptest.ResponseRecorder }

func (goneClient) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestDisconnectedClientIsNoErrorOfTheServer(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link, thumbnail, _ := ada.addPictured(waymark.Private)
	saveWholePage(t, s, link, "<!DOCTYPE html><p>Bread")
	var log bytes.Buffer
	s.site.Log = slog.New(slog.NewTextHandler(&log, nil))
	for _, path := range []string{linkPath(link.ID) + "/full-snapshot/file", "/pictures/" + thumbnail.Hash} {
		r := httptest.NewRequest(http.MethodGet, s.URL+path, nil)
		for _, cookie := range ada.http.Jar.Cookies(r.URL) {
			r.AddCookie(cookie)
		}
		w := goneClient{httptest.NewRecorder()}
		s.site.ServeHTTP(w, r)
		if w.Code != http.StatusOK || log.Len() > 0 {
			t.Errorf("%s: got status %d, and the log %s", path, w.Code, &log)
		}
	}
}
