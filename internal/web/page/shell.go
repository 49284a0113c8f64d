package page

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// shell is the data of every page: what surrounds the content, and the content's own data.
type shell struct {
	Clock
	Title         string // of the document
	Page          string // the name of the page, which the navigation marks
	Language      string
	Theme         string // light or dark, or "" to follow the device
	Shortcuts     bool   // the page has keyboard shortcuts
	NewTab        bool   // links to other sites open in a new tab
	Posted        bool   // the page is the response to a form: loading it again would send the form again
	Guest         bool   // the page is one for guests
	GuestPages    bool   // the server has pages for guests
	Indexed       bool   // search engines may list the page
	Administrator bool   // the menu of the settings has the pages of administrators
	Version       string // of Waymark
	InSettings    bool   // the page is one of the settings
	Here          string // the path and query of the page, for forms that return to it
	LinksPath     string // of the page with the links
	Section       string // which of the first entries of the sidebar leads to the page: the path, or ""
	URL           string // of the page, with the scheme and the host
	Field         SearchField
	Add           string   // the path of the form for a new link, filled in with the list or tag that the page shows
	Sidebar       *Sidebar // nil for guests, and on pages without a sidebar
	Toast         *Toast
	Person        string // who is signed in, for the worker: their id, "0" if nobody is, or "" if that is not known
	About         Description
	Data          any
}

// Sidebar is what the sidebar of each page shows.
type Sidebar struct {
	User     string
	Counts   waymark.Counts
	Flags    []SidebarEntry // links with flags
	Searches []SidebarEntry
	Lists    []SidebarEntry
	Tree     []SidebarEntry // instead of Lists, if lists stand in lists
	Smart    []SidebarEntry // smart lists below the tree
	Tags     []SidebarEntry
}

// SidebarEntry leads to a list, a tag or a search.
type SidebarEntry struct {
	Path    string
	Name    string
	Icon    string // "" if there is a dot
	Hue     int    // of the dot
	Count   int    // -1 if it is not known
	Current bool   // it is the page that is shown

	// Of a list in the tree:
	ID         int64
	Visibility string
	Pinned     bool
	Branch     int            // the number of lists that stand in it
	Seek       bool           // these are too many to be shown: the branch begins with a field that finds them
	Sub        []SidebarEntry // the first ones, if the branch is open
}

// More is the number of lists that an open branch does not show.
func (e SidebarEntry) More() int {
	if len(e.Sub) == 0 {
		return 0
	}
	return e.Branch - len(e.Sub)
}

// Mark also marks the entries that lead to the page at path with the query of a search.
func (s *Sidebar) Mark(path, search string) {
	for _, entries := range [][]SidebarEntry{s.Flags, s.Searches, s.Lists, s.Smart, s.Tree, s.Tags} {
		mark(entries, path, search)
	}
}

func mark(entries []SidebarEntry, path, search string) {
	for i := range entries {
		entryPath, query, _ := strings.Cut(entries[i].Path, "?")
		if entryPath == path && (query == "" || query == search) {
			entries[i].Current = true
		}
		mark(entries[i].Sub, path, search)
	}
}

// titled is implemented by the data of pages whose title is more than the name of the page.
type titled interface{ PageTitle() string }

// titleOf returns the title of a page that has more than its name, and "" otherwise.
func titleOf(data any) string {
	if t, ok := data.(titled); ok {
		return t.PageTitle()
	}
	return ""
}

// plain is implemented by the data of pages that can be without a sidebar.
type plain interface{ WithoutShell() bool }

// Plain is embedded in the data of pages that never have a sidebar.
type Plain struct{}

// WithoutShell returns true.
func (Plain) WithoutShell() bool { return true }

// themed is implemented by the data of pages that can have a theme of their own.
type themed interface{ PageTheme() string }

// filer is implemented by the data of pages that file new links: it returns the fields of their forms.
type filer interface{ Files() url.Values }

// searched is implemented by the data of pages that show a search.
type searched interface{ Field() SearchField }

// SearchField is the field at the top. On pages that show no search it searches all links, or the user's own.
type SearchField struct {
	Text string     // of the search
	Path string     // of the page that shows the search
	Kept url.Values // parameters that stay while the text changes
}

// described is implemented by the data of pages that describe themselves to other programs.
type described interface{ Describe() Description }

// Description is what the head of a page says to feed readers, messengers and search engines.
type Description struct {
	Feed      string // the path of the feed with the links of the page
	FeedTitle string
	Text      string // of a page for guests
}

// partShell returns the data for a part of a page, or for a page without a sidebar.
func (r *Request) partShell(title string, data any) *shell {
	s := &shell{
		Clock: r.Clock, Title: title, Data: data, Language: r.Locale.Name, Theme: string(r.Settings.Theme), Shortcuts: !r.Settings.NoShortcuts,
		NewTab: r.Settings.NewTab, Posted: r.HTTP.Method == http.MethodPost, Guest: r.ForGuests(), GuestPages: r.Config.GuestPages, Administrator: r.User.Admin, Version: r.Version,
		Indexed: r.ForGuests() && r.shared() && r.Config.GuestIndexing,
		Here:    r.HTTP.URL.RequestURI(), LinksPath: r.LinksPath(), Section: r.section(), Add: "/links/create", Field: SearchField{Path: "/links"},
	}
	shown := r.Shown().Path + "/"
	s.InSettings = strings.HasPrefix(shown, "/settings/") || strings.HasPrefix(shown, "/import/") || strings.HasPrefix(shown, "/imports/")
	s.URL = r.AbsoluteURL(s.Here)
	if t, ok := data.(themed); ok {
		s.Theme = cmp.Or(t.PageTheme(), s.Theme)
	}
	if p, ok := data.(searched); ok {
		s.Field = p.Field()
	} else if r.Settings.OnlyMine {
		s.Field.Kept = url.Values{"add": {mine}}
	}
	return s
}

func (r *Request) shell(page string, data any) (*shell, error) {
	s := r.partShell("", data)
	s.Page = page
	if s.Title = titleOf(data); s.Title == "" {
		s.Title = r.T(page + ".title")
	}
	if d, ok := data.(described); ok {
		s.About = d.Describe()
	}
	switch {
	case r.SignedIn():
		s.Person = fmt.Sprint(r.User.ID)
	case page == "signin":
		s.Person = "0"
	}
	if f, ok := data.(filer); ok {
		s.Add = JoinQuery(s.Add, f.Files().Encode())
	}
	if r.ForGuests() {
		return s, nil
	}
	s.Toast = r.said()
	p, ok := data.(plain)
	if inShell := !ok || !p.WithoutShell(); inShell && r.SignedIn() && !r.LacksFactor {
		var err error
		if s.Sidebar, err = r.sidebarOf(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// section returns the path of the sidebar's entry that leads to the page, "" if it is none of the
// first ones.
func (r *Request) section() string {
	shown := r.Shown()
	switch {
	case JoinQuery(shown.Path, shown.RawQuery) == r.LinksPath(), shown.Path == "/lists", shown.Path == "/tags", shown.Path == "/tidy", shown.Path == "/passages":
		return shown.Path
	case strings.HasPrefix(shown.Path, "/trash/"):
		return "/trash"
	}
	return ""
}

// hues is the number of colours of tiles and dots in the sheet: the classes h0 to h11.
const hues = 12

// Hue returns the number of the colour for a host or a name. The path of a list has the colour of its name.
func Hue(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name[strings.LastIndexByte(name, '/')+1:]))
	return int(h.Sum32() % hues)
}

// Initial returns the first letter or digit of a name, for its tile.
func Initial(name string) string {
	for i, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return name[i : i+utf8.RuneLen(r)]
		}
	}
	return "•"
}

// ShortHost returns a host without its www.
func ShortHost(host string) string { return strings.TrimPrefix(host, "www.") }
