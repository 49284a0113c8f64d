package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"waymark/internal/waymark"
)

// slowForms serves a site as on a slow network: after hold, the responses to forms wait until the
// page requests /clicked-again. The changes are made at once, also if the browser no longer waits
// for the response.
type slowForms struct {
	*httptest.Server
	mu       sync.Mutex
	released chan struct{} // nil while responses are not held
	sent     []string      // the paths of forms since the last hold
}

func newSlowForms(t *testing.T, site http.Handler) *slowForms {
	t.Helper()
	s := &slowForms{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/clicked-again" {
			s.release()
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if r.Method != http.MethodPost {
			site.ServeHTTP(w, r)
			return
		}
		s.mu.Lock()
		s.sent = append(s.sent, r.URL.Path)
		released := s.released
		s.mu.Unlock()
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		response := httptest.NewRecorder()
		site.ServeHTTP(response, r)
		if released != nil {
			<-released
		}
		for name, values := range response.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(response.Code)
		w.Write(response.Body.Bytes()) //nolint:errcheck // the browser may have closed the connection
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.release)
	return s
}

func (s *slowForms) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.released, s.sent = make(chan struct{}), nil
}

func (s *slowForms) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released != nil {
		close(s.released)
		s.released = nil
	}
}

func (s *slowForms) wantSent(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.sent, want) {
		t.Errorf("the browser sent forms to %q, want %q", s.sent, want)
	}
}

func TestRepeatedClicksSendAFormOnceInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", Title: new("First title")})
	server := newSlowForms(t, s.site)
	tab := openTab(t, chromium, server.URL)
	tab.Allow("status of 422")
	do := func(statement string) {
		t.Helper()
		tab.Do(run(statement))
	}
	// twice runs a statement again while the browser waits for the response to the first form.
	// It does so in the page, because chromedp waits for responses.
	twice := func(statement string) {
		t.Helper()
		server.hold()
		do(fmt.Sprintf(`setTimeout(() => { %[1]s; fetch("/clicked-again") }, 100); %[1]s`, statement))
	}
	const save = `document.querySelector("main form .main-act").click()`

	tab.Go("/lists/create")
	tab.Until(`document.activeElement.name === "name"`)
	tab.Type("Twice")
	twice(save)
	tab.Until(`document.readyState === "complete" && location.pathname.match("/lists/[0-9]")`)
	server.wantSent(t, "/lists")

	// Back loads the page again, because its form was saved.
	const loadedAgain = `location.pathname === "/lists/create" && document.readyState === "complete" && performance.getEntriesByType("navigation")[0].type === "reload"`
	do("history.back()")
	tab.Until(loadedAgain)
	do(`document.querySelector("#name").value = "with, comma"; ` + save)
	tab.Until(`document.querySelector("[aria-invalid]")`)

	// Back from a refused form shows the page with the state of its script, which was loaded again, or loads it again if
	// the browser has not kept it. Its form can be sent at once.
	do("setTimeout(() => history.back())")
	tab.Until(loadedAgain)
	do(`document.querySelector("#name").value = "Corrected"; ` + save)
	tab.UntilPath("/lists/2")

	// htmx sends the form of a pane, and keeps the page.
	tab.Go("/links")
	tab.Press("je")
	tab.Until(`document.activeElement.name === "title"`)
	tab.Type("Changed")
	twice(`document.querySelector(".look form").requestSubmit()`)
	tab.UntilText(".link .title", "Changed")
	tab.Until(`document.activeElement.matches(".title a")`) // the script moves the focus there
	server.wantSent(t, "/links/1")

	// The script sends a URL that is typed into the search field.
	tab.Go("/lists")
	tab.Press("/")
	tab.Type("https://example.net/")
	twice(`document.querySelector(".find").requestSubmit()`)
	tab.UntilPath("/links")
	server.wantSent(t, "/links")
}

// While a change is on its way, the key to undo must not undo the change before it.
func TestKeysDuringASlowChangeInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	ada.addLinks(3)
	server := newSlowForms(t, s.site)
	tab := openTab(t, chromium, server.URL)
	tab.Until("window.htmx")
	tab.Press("j#")
	tab.UntilText(".toast", "in the trash")
	server.hold()
	tab.Press("#z")
	tab.UntilText(".toast", "There is nothing to undo.")
	server.release()
	tab.UntilText(".toast", "in the trash")
	server.wantSent(t, "/links/2/trash")
}
