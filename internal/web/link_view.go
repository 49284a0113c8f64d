package web

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"time"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// linkView is a link as a row or a card.
type linkView struct {
	ID          waymark.LinkID
	Path        string // of its page, with the path of the base URL
	Details     string // the same, with the place of the link in a list
	Title       string
	Labels      linkLabels
	MarkedTitle []textPart   // with the words of a search marked
	Href        template.URL // "" if the page may not contain the URL as a link
	NewTab      bool         // the URL opens in a new tab
	URL         string
	Host        []textPart
	Site        place // of the host
	Initial     string
	Icon        *waymark.Picture // nil if there is none
	Thumbnail   *waymark.Picture // nil if there is none
	Hue         int
	Cover       string     // the text on a card without a picture
	Description []textPart // its first words
	Hit         []textPart // what is near the first word of a search, if the first words do not have it
	InPath      bool       // Description is the path of the URL, in which a search has found something
	Excerpt     []textPart // from the snapshot or a note, if a search has found it there
	InNote      bool       // Excerpt is of a note
	Lists       []nameView
	Tags        []nameView
	More        int    // lists and tags that are not shown
	Status      string // broken, moved, or ""
	Badges      []badge
	Marks       []badge // icons
	Saved       page.Moment
	Mine        bool
	Picked      bool   // it has a box to select it
	Owner       string // "" if it is the user
	You         string // the word for the user as its owner, on the page of a list that others change, too
	Take        string // the path to which a form is sent that takes it out of that list, "" if it is not in it
	OwnerPath   string // of their links, with the path of the base URL
	Waiting     bool   // the title and the pictures of its page may still arrive
	Unread      bool   // and the page shows it
	Opened      string // the path to which a script sends that the link was opened, "" if that changes nothing
	Flags       []flagButton
	Read        *textLink   // in place of when the link was saved, nil on pages that show this
	Done        *flagButton // that stands beside it
	Minutes     string      // of the next text in the reader
}

// textLink leads from a row to the reader. Path is "" if the link has no text.
type textLink struct {
	Path        string
	Text, Label string
	Percent     int // how much was read, 0 if the text was not begun
}

// day is a group of links under one heading. The heading is "" if the links are not grouped.
type day struct {
	Heading string
	Links   []linkView
}

// linkLabels are what screen readers say of the controls in a row.
type linkLabels struct{ Select, Details, Actions, Trash, Take string }

// badge says what is unusual about a link.
type badge struct {
	Class string // bad or warn; of marks, set for a filled icon
	Icon  string
	Text  string
}

// first returns the link with n lists and tags, and counts the others in More. If there are more of
// both, half of the names are tags. A single other one is kept: "1 more" needs as much space.
func (l linkView) first(n int) linkView {
	if l.More == 0 && len(l.Lists)+len(l.Tags) == n+1 {
		return l
	}
	tags := min(len(l.Tags), max(n/2, n-len(l.Lists)))
	lists := min(len(l.Lists), n-tags)
	l.More += len(l.Lists) - lists + len(l.Tags) - tags
	l.Lists, l.Tags = l.Lists[:lists], l.Tags[:tags]
	return l
}

const (
	// maxNames, maxCompactNames and maxGuestNames limit the names in a row or card, of another owner,
	// lists and tags together: more names would be cut to two letters. The page of the link has all of
	// them.
	maxNames, maxCompactNames, maxGuestNames = 4, 2, 16
)

// linkViews makes rows of links for a visitor.
type linkViews struct {
	page.Clock
	user     waymark.User // zero for a guest
	settings waymark.Settings
	base     string       // the path of the base URL
	guests   bool         // the page shows what guests see
	names    int          // the number of lists and tags in a row
	list     waymark.List // whose page it is: the rows need not say it; zero for none
	shared   bool         // others change it, too
	tag      int64        // likewise
	words    []string     // of a search, folded
	owners   map[waymark.UserID]string
	pictures map[waymark.LinkID]waymark.LinkPictures
	queued   map[waymark.LinkID]bool // new links whose pages are to be fetched, see queue.Store.QueuedPages
	below    map[int64]string        // the paths of lists from the list that is shown
	texts    map[waymark.ListID]string
	shown    waymark.FlagsInput // the flags that all links of the page have
	in       sequence           // of which the rows are
	begun    map[waymark.LinkID]waymark.ReadingPosition

	// narrowed returns the path of the search of the page with a condition, "" if the search has it. It is nil if names
	// open on their own.
	narrowed func(waymark.Condition) string
}

// newLinkViews returns what makes rows of links, in a view in which words are marked. The words are folded.
func newLinkViews(r *page.Request, view waymark.View, words []string, links []waymark.Link) (linkViews, error) {
	m := linkViews{Clock: r.Clock, user: r.User, settings: r.Settings, base: r.Config.BaseURL.EscapedPath(), guests: r.ForGuests(), names: maxNames, words: words}
	switch {
	case m.guests:
		m.names = maxGuestNames
	case view == waymark.CompactView:
		m.names = maxCompactNames
	}
	ids := waymark.Map(links, func(l waymark.Link) waymark.LinkID { return l.ID })
	var lists []waymark.List
	for _, l := range links {
		lists = append(lists, l.Lists...)
	}
	var err error
	if m.texts, err = r.Store.ListTexts(r.Context(), r.Viewer(), lists); err != nil {
		return m, err
	}
	if m.pictures, err = r.Store.Snapshots.LinkPictures(r.Context(), r.Viewer(), ids); err != nil || m.guests {
		return m, err
	}
	var latest []waymark.LinkID
	for _, l := range links {
		if r.Crawler.Parts() != 0 && m.Now.Sub(l.CreatedAt.Time()) < waitingTime {
			latest = append(latest, l.ID)
		}
	}
	if m.queued, err = r.Store.Queue.QueuedPages(r.Context(), latest); err != nil {
		return m, err
	}
	m.owners, err = otherOwners(r, waymark.Map(links, linkOwner))
	return m, err
}

// setShown sets the flags that all links of the page have. Rows of unread links say how far they were read.
func (m *linkViews) setShown(r *page.Request, flags waymark.FlagsInput, links []waymark.Link) (err error) {
	if m.shown = flags; flags.Unread != nil {
		m.begun, err = r.Store.Snapshots.ReadingPositions(r.Context(), r.User.ID, waymark.Map(links, func(l waymark.Link) waymark.LinkID { return l.ID }))
	}
	return err
}

// setList leaves out the list that a page shows in rows of links. Those in it stand there with their paths from it.
func (m *linkViews) setList(r *page.Request, shown waymark.List, links []waymark.Link) error {
	m.list, m.below = shown, map[int64]string{}
	var ids []waymark.ListID
	for _, l := range links {
		for _, list := range l.Lists {
			ids = append(ids, list.ID)
		}
	}
	paths, err := r.Store.ListPaths(r.Context(), r.Viewer(), ids)
	for list, path := range paths {
		at := slices.IndexFunc(path, func(above waymark.ListName) bool { return above.ID == shown.ID })
		if at < 0 {
			continue
		}
		names := waymark.Map(path[at+1:], func(below waymark.ListName) string { return below.Name })
		m.below[int64(list)] = strings.Join(names, " › ")
	}
	return err
}

func newLinkView(r *page.Request, l waymark.Link) (linkView, error) {
	m, err := newLinkViews(r, r.Settings.View, nil, []waymark.Link{l})
	return m.of(l), err
}

func (m linkViews) of(l waymark.Link) linkView {
	name := page.ShortHost(waymark.Host(l.URL))
	host := page.ShortHost(waymark.HostWithPort(l.URL))
	view := linkView{
		ID: l.ID, Path: m.base + linkPath(l.ID), Details: m.base + page.JoinQuery(linkPath(l.ID), m.in.parameters(m.in.N).Encode()), Title: l.Title, MarkedTitle: marked(l.Title, m.words), NewTab: m.settings.NewTab, URL: l.URL, Host: marked(host, m.words),
		Hue: page.Hue(host), Initial: page.Initial(name), Cover: page.Cut(cover(l.URL, host), 80),
		Icon: m.pictures[l.ID].Icon, Thumbnail: m.pictures[l.ID].Thumbnail, Saved: m.Moment(l.CreatedAt), Mine: m.user.ID.MayEdit(l.Owner),
		Lists: m.markedNames(waymark.Lists, namesExcept(m.listNames(l.Lists), int64(m.list.ID))), Tags: m.markedNames(waymark.Tags, namesExcept(tagNames(l.Tags), m.tag)), Owner: m.owners[l.Owner],
	}
	view.Description, view.Hit = rowDescription(page.PlainText(l.Description), l.Title, m.words)
	switch {
	case len(m.words) > 0:
		if inHost, inPath, ok := pathExcerpt(l.URL, l.Title+"\n"+host+"\n"+textOf(view.Description)+"\n"+textOf(view.Hit), m.words); ok {
			view.Host, view.Description, view.Hit, view.InPath = inHost, inPath, nil, true
		}
	case m.settings.HideDescriptions: // a search shows where it has found its words
		view.Description = nil
	}
	if waymark.Linkable(l.URL) {
		view.Href = template.URL(l.URL) //nolint:gosec // its scheme is one that pages may contain
	}
	if host == "" && l.Title != l.URL {
		view.Host = marked(page.Cut(l.URL, 80), m.words)
	}
	if name != "" && !m.guests {
		view.Site = m.placeOf(waymark.OnSite(name), searchPath(waymark.OnSite(name)))
	}
	m.addBadges(&view, l)
	view.Labels.Details, view.Labels.Actions = m.T("links.details", "title", l.Title), m.T("links.actions", "title", l.Title)
	if view.Picked = view.Mine || m.list.CanEdit; view.Picked {
		view.Labels.Select = m.T("links.select", "title", l.Title)
	}
	if m.shared {
		if view.Mine {
			view.You, view.OwnerPath = m.T("share.you"), m.base+searchPath(waymark.IsMine)
		}
		if slices.ContainsFunc(l.Lists, func(list waymark.List) bool { return list.ID == m.list.ID }) {
			view.Take = fmt.Sprintf("%s%s/links/%d/take", m.base, listPath(m.list.ID), l.ID)
			view.Labels.Take = m.T("share.take-out", "name", page.Quoted(m.list.Name))
		}
	}
	if view.Mine {
		byHand, queued := m.queued[l.ID]
		view.Waiting = queued && (byHand || l.LacksTitle())
		view.Labels.Trash = m.T("links.trash", "title", l.Title)
		view.Flags = flagButtons(m.Clock, m.base, &l, m.shown)
		if m.settings.OpeningReads && l.Unread {
			view.Opened = view.Path + "/seen?opened=1"
		}
		view.Unread = l.Unread && m.shown.Unread == nil
		if m.shown.Unread != nil {
			m.addRead(&view, l)
		}
	}
	n := m.names
	if view.Owner != "" {
		view.OwnerPath = m.base + searchPath(waymark.OwnedBy{Name: view.Owner})
		n-- // for their name
	}
	return view.first(n)
}

// addRead adds what rows of unread links have in place of when they were saved.
func (m linkViews) addRead(view *linkView, l waymark.Link) {
	view.Read = &textLink{}
	if last := len(view.Flags) - 1; l.Unread {
		view.Done, view.Flags = &view.Flags[last], view.Flags[:last]
	}
	if l.Minutes == 0 {
		return
	}
	position := m.begun[l.ID]
	view.Read.Path = m.base + m.in.readPath(&neighbour{l, m.in.N})
	view.Read.Text, view.Read.Percent = minutesLeft(m.Clock, l, position), position.PerMille/10
	view.Read.Label = m.T("read.of", "minutes", view.Read.Text, "title", l.Title)
}

// markedNames marks the words of the search in names. Names with a mark come first, because a row does not show all.
func (m linkViews) markedNames(kind waymark.EntityKind, names []nameView) []nameView {
	var found, others []nameView
	for _, name := range names {
		if kind == waymark.Lists {
			name.place = m.placeOf(hasID(waymark.Lists, name.ID), listPath(waymark.ListID(name.ID)))
		} else {
			name.place = m.placeOf(hasID(waymark.Tags, name.ID), tagPath(waymark.TagID(name.ID)))
		}
		shown := name.Name
		if below, ok := m.below[name.ID]; ok && kind == waymark.Lists {
			shown = below
		}
		if name.Marked = marked(shown, m.words); hasMark(name.Marked) {
			found = append(found, name)
		} else {
			others = append(others, name)
		}
	}
	return append(found, others...)
}

// listNames returns the lists of a link by names that each mean one list.
func (m linkViews) listNames(lists []waymark.List) []nameView {
	return waymark.Map(lists, func(list waymark.List) nameView {
		return nameView{ID: int64(list.ID), Name: m.texts[list.ID], Hue: page.Hue(list.Name)}
	})
}

// namesExcept returns the names but that with an id.
func namesExcept(names []nameView, id int64) []nameView {
	return slices.DeleteFunc(names, func(name nameView) bool { return name.ID == id })
}

// waitingTime is how long after a link was saved its row waits for the title and the pictures of its page.
const waitingTime = time.Minute

// addBadges adds what is unusual about a link.
func (m linkViews) addBadges(view *linkView, l waymark.Link) {
	switch l.Status {
	case waymark.StatusMoved:
		view.Status = "moved"
		view.Badges = append(view.Badges, badge{"warn", "arrow-up-right", m.T("filter.moved")})
	case waymark.StatusBroken:
		view.Status = "broken"
		view.Badges = append(view.Badges, badge{"bad", "unlink", m.T("links.broken")})
	}
	if l.Status != waymark.StatusBroken && m.user.ID != waymark.Guest {
		switch l.CheckResult {
		case waymark.CheckDead: // once or twice: it is not broken yet
			view.Badges = append(view.Badges, badge{"warn", "search-x", m.T("filter.dead")})
		case waymark.CheckBlocked:
			view.Marks = append(view.Marks, badge{"", "eye-off", m.T("filter.blocked")})
		case waymark.CheckUnsure:
			view.Marks = append(view.Marks, badge{"", "circle-alert", m.T("filter.unsure")})
		}
	}
	if m.user.ID.MayEdit(l.Owner) && l.Favorite && m.shown.Favorite == nil {
		view.Marks = append(view.Marks, badge{"set", "star", m.T("filter.favorite")})
	}
	if m.user.ID != waymark.Guest && l.Archived && m.shown.Archived == nil {
		view.Marks = append(view.Marks, badge{"", "archive", m.T("filter.archived")})
	}
	if m.user.ID == waymark.Guest || l.Visibility != m.user.DefaultVisibility.Links {
		name := l.Visibility.String()
		view.Marks = append(view.Marks, badge{"", visibilityIcons[name], m.T("visibility." + name)})
	}
}

var visibilityIcons = map[string]string{"public": "globe", "internal": "users", "private": "lock"}

// repository matches the owner and the name of a repository in a URL.
var repository = regexp.MustCompile(`^https?://(?:www\.)?(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org|git\.sr\.ht)/([^/?#]+/[^/?#]+)`)

// cover returns the text of a card without a picture. Of a repository it is the name: a page of cards can have one host.
func cover(url, host string) string {
	if found := repository.FindStringSubmatch(url); found != nil {
		return found[1]
	}
	return host
}

// placeOf returns where a name in a row leads: to the search of the page narrowed by a condition, or to its own page.
func (m linkViews) placeOf(c waymark.Condition, alone string) place {
	if m.narrowed != nil {
		if path := m.narrowed(c); path != "" {
			return place{m.base + path, m.base + alone}
		}
	}
	return place{Path: m.base + alone}
}
