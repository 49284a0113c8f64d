package web_test

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx"
	"waymark/internal/httpx/browsertest"
)

// scriptServer serves one page of links with the markup that the script expects, and the
// responses that it needs.
type scriptServer struct {
	t     *testing.T
	pages *template.Template
	*httptest.Server
	mu    sync.Mutex
	seen  []string // requests, except those for files and pages
	fail  bool     // requests of the script get no response
	toast string   // what the next page says
}

type scriptLink struct {
	ID    int
	Title string
}

var scriptLinks = []scriptLink{{1, "one"}, {2, "two"}, {3, "three"}, {4, "four"}}

func newScriptServer(t *testing.T) *scriptServer {
	s := &scriptServer{t: t, pages: template.Must(template.ParseFiles("testdata/script.html"))}
	mux := http.NewServeMux()
	assets, err := httpx.LoadAssets(os.DirFS("page/static"))
	if err != nil {
		t.Fatal(err)
	}
	mux.HandleFunc("GET /static/{name}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("name") == "htmx.min.js" && s.failing() {
			panic(http.ErrAbortHandler)
		}
		assets.Handler(r.PathValue("name")).ServeHTTP(w, r)
	})
	s.handlePages(mux)
	s.handleParts(mux)
	s.handleForms(mux)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'")
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *scriptServer) render(w http.ResponseWriter, name string, data any) {
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, name, data); err != nil {
		s.t.Error(err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(b.Bytes()) //nolint:errcheck // the test would fail
}

func (s *scriptServer) link(r *http.Request) scriptLink {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		s.t.Error(err)
	}
	return scriptLinks[id-1]
}

func (s *scriptServer) handlePages(mux *http.ServeMux) {
	mux.HandleFunc("GET /{path...}", func(w http.ResponseWriter, r *http.Request) {
		query := r.FormValue("query")
		var found []scriptLink
		for _, l := range scriptLinks {
			if strings.Contains(l.Title, query) {
				found = append(found, l)
			}
		}
		name := "page"
		if r.Header.Get("HX-Target") == "div#results" {
			s.record(r, "")
			name = "results"
			if query == "busy" {
				w.WriteHeader(http.StatusServiceUnavailable)
				io.WriteString(w, "<h1>The server is busy</h1>") //nolint:errcheck // the test would fail
				return
			}
		}
		s.mu.Lock()
		toast := s.toast
		if name == "page" && !strings.HasSuffix(r.URL.Path, ".example") {
			s.toast = ""
		}
		s.mu.Unlock()
		s.render(w, name, map[string]any{"Links": found, "Query": query, "Toast": toast, "Off": r.URL.Path == "/off"})
	})
}

// handleParts handles the requests for parts of pages.
func (s *scriptServer) handleParts(mux *http.ServeMux) {
	mux.HandleFunc("GET /links/{id}/edit", func(w http.ResponseWriter, r *http.Request) { s.render(w, "edit", s.link(r)) })
	mux.HandleFunc("GET /shortcuts", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `<header><h2>Keyboard</h2><form method="dialog"><button autofocus>Close</button></form></header>`) //nolint:errcheck // as above
	})
	mux.HandleFunc("GET /complete/tags", func(w http.ResponseWriter, r *http.Request) {
		s.record(r, "")
		for _, name := range []string{"golang", "gopher", "<b>goose</b>"} {
			if strings.Contains(name, r.FormValue("q")) {
				fmt.Fprintf(w, `<div role="option" data-value="%[1]s" aria-selected="false">%[1]s</div>`, template.HTMLEscapeString(name)) //nolint:errcheck // as above
			}
		}
		fmt.Fprintf(w, `<div role="option" data-value="%[1]s" aria-selected="false">New tag “%[1]s”</div>`, template.HTMLEscapeString(r.FormValue("q"))) //nolint:errcheck // as above
	})
	mux.HandleFunc("GET /jump", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<a href="/lists/1">first %[1]s</a><a href="/lists/2">second %[1]s</a>`, template.HTMLEscapeString(r.FormValue("q"))) //nolint:errcheck // as above
	})
}

func (s *scriptServer) handleForms(mux *http.ServeMux) {
	mux.HandleFunc("POST /links/{id}/trash", func(w http.ResponseWriter, r *http.Request) {
		s.record(r, "back="+r.PostFormValue("back"))
		switch {
		case s.failing():
			panic(http.ErrAbortHandler)
		case s.link(r).Title == "four":
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, "<h1>There is nothing at this URL</h1>") //nolint:errcheck // as above
		default:
			s.render(w, "toast", s.link(r).Title+" is in the trash.")
		}
	})
	mux.HandleFunc("POST /links/{id}", func(w http.ResponseWriter, r *http.Request) {
		l := s.link(r)
		l.Title = r.PostFormValue("title")
		s.record(r, "tags="+r.PostFormValue("tags"))
		if l.Title == "" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			s.render(w, "edit", scriptLink{l.ID, "required"})
			return
		}
		s.render(w, "row", l)
	})
	mux.HandleFunc("POST /{path...}", func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm() //nolint:errcheck // the test would fail
		s.record(r, r.PostForm.Encode())
		s.mu.Lock()
		s.toast = "Done."
		s.mu.Unlock()
		http.Redirect(w, r, "/links", http.StatusSeeOther)
	})
}

func (s *scriptServer) record(r *http.Request, more string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+more))
}

func (s *scriptServer) failing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fail
}

func (s *scriptServer) setFailing(fail bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

// requests returns the recorded requests since the last call.
func (s *scriptServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

func TestScriptInBrowser(t *testing.T) {
	browser := browsertest.Start(t)
	for name, test := range map[string]func(*testing.T, *scriptServer, *browsertest.Tab){
		"keys move between rows":                            keysMove,
		"keys open pages":                                   keysOpenPages,
		"keys can be switched off":                          keysOff,
		"rows are selected one by one and in runs":          selection,
		"a trashed row disappears and offers undo":          trashRow,
		"a failed request brings the row back":              failure,
		"a library that does not load is loaded again":      libraryFails,
		"a row is edited in place":                          editInPlace,
		"results appear while typing":                       searchAsYouType,
		"a pasted URL is saved":                             paste,
		"names become tokens":                               tokens,
		"the dialog to jump suggests":                       jump,
		"snapshot, passwords, the time zone and the dialog": small,
	} {
		t.Run(name, func(t *testing.T) {
			server := newScriptServer(t)
			tab := browser.Open(t, server.URL)
			tab.Go("/links")
			test(t, server, tab)
		})
	}
}

// run runs a statement.
func run(statement string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](statement)
}

func wantFocus(t *testing.T, tab *browsertest.Tab, want string) {
	t.Helper()
	if got := tab.Focused(); got != want {
		t.Errorf("%q has the focus, want %q", got, want)
	}
}

func wantHeading(t *testing.T, tab *browsertest.Tab, want string) {
	t.Helper()
	if got := browsertest.Eval[string](tab, `document.querySelector("h1").textContent`); got != want {
		t.Errorf("the heading is %q, want %q", got, want)
	}
}

func wantRequests(t *testing.T, s *scriptServer, want ...string) {
	t.Helper()
	if got := s.requests(); !slices.Equal(got, want) {
		t.Errorf("got requests %q, want %q", got, want)
	}
}

func keysMove(t *testing.T, _ *scriptServer, tab *browsertest.Tab) {
	tab.Press("j")
	wantFocus(t, tab, "one")
	tab.Press("jj")
	wantFocus(t, tab, "three")
	tab.Press("k")
	wantFocus(t, tab, "two")
	tab.Press(kb.ArrowDown + kb.ArrowDown)
	wantFocus(t, tab, "four")
	tab.Press("j")
	wantFocus(t, tab, "Next")
	tab.Press("/")
	wantFocus(t, tab, "Search, or paste a link to save it")
	tab.Press("j")
	if got := browsertest.Eval[string](tab, "document.activeElement.value"); got != "j" {
		t.Errorf("the field has %q, want the letter", got)
	}
}

func keysOpenPages(t *testing.T, _ *scriptServer, tab *browsertest.Tab) {
	tab.Press("gi")
	tab.UntilPath("/lists")
	tab.Press("n")
	tab.UntilPath("/links/create")
	tab.Press("ji")
	tab.UntilPath("/links/1")
	tab.Press("j", kb.ModifierCtrl) // with Ctrl it is the browser's
	if browsertest.Eval[bool](tab, `document.querySelector(".here") !== null`) {
		t.Error("a key with Ctrl selects a row")
	}
}

func keysOff(t *testing.T, _ *scriptServer, tab *browsertest.Tab) {
	tab.Go("/off")
	tab.Press("j?gl")
	if got := browsertest.Eval[string](tab, "document.activeElement.tagName"); got != "BODY" || tab.Path() != "/off" {
		t.Errorf("%s has the focus on %s, want nothing", got, tab.Path())
	}
}

func selection(t *testing.T, server *scriptServer, tab *browsertest.Tab) {
	picked := func() string {
		return browsertest.Eval[string](tab, `[...document.querySelectorAll(".pick input:checked")].map((box) => box.value).join() + " " + document.querySelector(".bulk .count").innerText`)
	}
	tab.Press("jxjj")
	tab.Press("X")
	if got := picked(); got != "1,2,3 3 selected" {
		t.Errorf("after x and Shift x: %q", got)
	}
	tab.Press(kb.Escape)
	if got := picked(); got != " 0 selected" { // the sheet hides the bar
		t.Errorf("after Escape: %q", got)
	}
	tab.Press("*")
	if got := picked(); got != "1,2,3,4 4 selected" {
		t.Errorf("after *: %q", got)
	}
	tab.Press(kb.Escape)
	tab.Click("#link-2 .pick input")
	tab.Click("#link-4 .pick input", kb.ModifierShift)
	if got := picked(); got != "2,3,4 3 selected" {
		t.Errorf("after Shift and click: %q", got)
	}
	// All: screen readers hear it, and no row can be left out of all.
	wantStatus := func(want string) {
		t.Helper()
		if got := browsertest.Eval[string](tab, `document.querySelector("#status").textContent`); got != want {
			t.Errorf("the status is %q, want %q", got, want)
		}
	}
	wantStatus("3 selected")
	tab.Click(".all")
	wantStatus("All selected")
	if got := picked(); !strings.HasPrefix(got, "1,2,3,4") {
		t.Errorf("with all: %q", got)
	}
	tab.Click("#link-1 .pick input")
	wantStatus("3 selected")
	tab.Press("#")
	tab.UntilText("#toasts", "Done.")
	wantRequests(t, server, "POST /bulk do=trash&models=2&models=3&models=4")
}

func trashRow(t *testing.T, server *scriptServer, tab *browsertest.Tab) {
	tab.Press("jj#")
	tab.UntilText("#toasts", "two is in the trash.")
	wantFocus(t, tab, "three")
	wantRequests(t, server, "POST /links/2/trash back=/links")
	if browsertest.Eval[bool](tab, `document.getElementById("link-2").checkVisibility()`) {
		t.Error("the row is visible")
	}
	const shownDays = `[...document.querySelectorAll(".day")].filter((day) => day.checkVisibility()).map((day) => day.textContent).join(", ")`
	if got, want := browsertest.Eval[string](tab, shownDays), "Today, Sunday"; got != want {
		t.Errorf("the headings of days are %s, want %s: the only row of Monday is gone", got, want)
	}
	wantHeading(t, tab, "Links 1,003")
	tab.Do(run(`document.querySelector(".toast").remove()`))
	tab.Go("/lists") // the key works on other pages of the tab, too
	tab.Press("z")
	tab.UntilText("#toasts", "Done.")
	wantRequests(t, server, "POST /undo/token back=%2Flists")

	// It undoes what the last message offers, and not a change before that.
	tab.Go("/links")
	tab.Press("j#")
	tab.UntilText("#toasts", "one is in the trash.")
	tab.Press("jy")
	tab.UntilText("#toasts", "Copied.")
	tab.Press("z")
	tab.UntilText("#toasts", "There is nothing to undo.")
	wantRequests(t, server, "POST /links/1/trash back=/links")
}
