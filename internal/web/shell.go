package web

import (
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shell is the data of every page: what surrounds the content, and the content's own data.
type shell struct {
	*visit
	Title   string   // of the document
	Page    string   // the name of the page, which the navigation marks
	Sidebar *sidebar // nil for guests, and on pages without a sidebar
	Toast   *toast
	About   description
	Data    any

	query linksQuery // of the address
}

// titled is implemented by the data of pages whose title is more than the name of the page.
type titled interface{ pageTitle() string }

// plain is implemented by the data of pages that can be without a sidebar.
type plain interface{ withoutShell() bool }

// described is implemented by the data of pages that describe themselves to other programs.
type described interface{ description() description }

// description is what the head of a page says to feed readers, messengers and search engines.
type description struct {
	Feed      string // the path of the feed with the links of the page
	FeedTitle string
	Text      string // of a page for guests
}

// Posted reports whether the page is the response to a form: loading it again would send the form again.
func (s *shell) Posted() bool { return s.r.Method == http.MethodPost }

// shell returns the data of a page.
func (v *visit) shell(page string, data any) (*shell, error) {
	s := &shell{visit: v, Page: page, Data: data, query: linksQueryOf(v.parameters)}
	if t, ok := data.(titled); ok {
		s.Title = t.pageTitle()
	} else {
		s.Title = v.t(page + ".title")
	}
	if d, ok := data.(described); ok {
		s.About = d.description()
	}
	if v.forGuests() {
		return s, nil
	}
	s.Toast = v.said()
	p, ok := data.(plain)
	if inShell := !ok || !p.withoutShell(); inShell && v.signedIn() {
		var err error
		if s.Sidebar, err = v.sidebar(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Language is the language of the page.
func (s *shell) Language() string { return s.locale.name }

// Theme is light or dark, or "" to follow the device.
func (s *shell) Theme() string { return string(s.settings.Theme) }

// Shortcuts reports whether the page has keyboard shortcuts.
func (s *shell) Shortcuts() bool { return !s.settings.NoShortcuts }

// Query is the text in the field at the top.
func (s *shell) Query() string { return s.parameters.Get("query") }

// KeptFilters are the filters and the order of a page with links, which stay while the text in
// the field changes. On other pages the field searches all links.
func (s *shell) KeptFilters() url.Values {
	if s.r.URL.Path != "/links" {
		return nil
	}
	q := s.query
	q.Text = ""
	return q.values()
}

// Here is the path and query of the page, for forms that return to it.
func (s *shell) Here() string { return s.r.URL.RequestURI() }

// Guest reports whether the page is one for guests.
func (s *shell) Guest() bool { return s.forGuests() }

// Address returns the address of the page, with the scheme and the host.
func (s *shell) Address() string { return s.address(s.Here()) }

// Indexed reports whether search engines may list the page.
func (s *shell) Indexed() bool { return s.forGuests() && s.shared() && s.Settings.GuestIndexing }

// hues is the number of colours of tiles and dots in the sheet: the classes h0 to h11.
const hues = 12

// hue returns the number of the colour for a host or a name.
func hue(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % hues)
}

// initial returns the first letter or digit of a name, for its tile.
func initial(name string) string {
	for i, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return name[i : i+utf8.RuneLen(r)]
		}
	}
	return "•"
}

// shortHost returns a host without its www.
func shortHost(host string) string { return strings.TrimPrefix(host, "www.") }
