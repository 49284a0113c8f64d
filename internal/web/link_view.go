package web

import (
	"html/template"
	"strings"

	"waymark/internal/waymark"
)

// linkView is a link as a row or a card.
type linkView struct {
	ID           waymark.LinkID
	Title        string
	EscapedTitle template.HTML
	MarkedTitle  template.HTML // with the words of a search marked
	Address      template.URL  // "" if the page may not contain the URL as a link
	URL          string
	Host         template.HTML
	Initial      string
	Icon         *pictureView // nil if there is none
	Thumbnail    *pictureView // nil if there is none
	Hue          int
	Cover        []string // the text on a card without a picture, in pieces that may be on lines of their own
	Description  template.HTML
	Excerpt      template.HTML // of the snapshot of its page, if a search has found that
	Lists        []nameView
	Tags         []nameView
	base         template.HTML // of the addresses of lists and tags
	More         int           // lists and tags that are not shown
	Visibility   string        // "" if it is the default of the visitor
	Status       string        // broken, moved, or ""
	Health       string        // dead, blocked or unsure, if Status does not say more, or ""
	Saved        moment
	Mine         bool
	Owner        string // "" if it is the user
}

// outside returns the attributes of a link to another site, which opens in this tab unless the
// user has chosen a new one.
func (v *visit) outside() template.HTMLAttr {
	if v.settings.NewTab {
		return `rel="noreferrer" target="_blank"`
	}
	return `rel="noreferrer"`
}

// nameView is a list or a tag of a link.
type nameView struct {
	ID   int64
	Name string
	Hue  int
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

// Filed returns links to the lists and tags of a link. They are written here since a page has
// some hundred of them, and a template takes half of the time of the page for them.
func (l linkView) Filed() template.HTML {
	var w htmlWriter
	for _, list := range l.Lists {
		w.add(`<a class="in-list" href="`, l.base, `lists/`, number(list.ID), `"><span class="dot h`, number(list.Hue), `"></span><bdi>`, escaped(list.Name), `</bdi></a>`)
	}
	for _, tag := range l.Tags {
		w.add(`<a class="tag" href="`, l.base, `tags/`, number(tag.ID), `"><bdi>`, escaped(tag.Name), `</bdi></a>`)
	}
	return w.written()
}

const (
	// maxRowDescription limits the description in a row, in characters: it is cut anyway.
	maxRowDescription = 300
	// maxRowNames limits the lists, and the tags, in a row of the pages for guests.
	maxRowNames = 8
	// maxNames and maxCompactNames limit the names in a row or card, of another owner, lists and
	// tags together: more names would be cut to two letters. The page of the link has all of them.
	maxNames, maxCompactNames = 4, 2
)

// linkView returns a link as a row.
func (v *visit) linkView(l waymark.Link) linkView { return v.markedLinkView(l, nil) }

// markedLinkView returns a link as a row in which folded words are marked.
func (v *visit) markedLinkView(l waymark.Link, words []string) linkView {
	host := shortHost(waymark.Host(l.URL))
	title := escaped(l.Title)
	view := linkView{
		ID: l.ID, Title: l.Title, EscapedTitle: title, MarkedTitle: title, URL: l.URL, Host: marked(host, words), Hue: hue(host), Initial: initial(host), Cover: cover(l.URL, host),
		Description: marked(cut(l.Description, maxRowDescription), words), Saved: v.moment(l.CreatedAt), Mine: v.user.ID.MayEdit(l.Owner),
	}
	switch {
	case len(words) > 0:
		view.MarkedTitle = marked(l.Title, words)
		if part := urlExcerpt(l.URL, host, l.Title+"\n"+host+"\n"+cut(l.Description, maxRowDescription), words); part != "" {
			view.Host = part
		}
	case v.settings.HideDescriptions: // a search shows where it has found its words
		view.Description = ""
	}
	if view.base = escaped(v.url("/")); v.forGuests() {
		view.base += "guest/"
	}
	if waymark.Linkable(l.URL) {
		view.Address = template.URL(l.URL) //nolint:gosec // its scheme is one that pages may contain
	}
	if host == "" {
		view.Host = marked(cut(l.URL, 80), words)
	}
	if !v.signedIn() || l.Visibility != v.user.DefaultVisibility.Links {
		view.Visibility = l.Visibility.String()
	}
	switch l.Status {
	case waymark.StatusMoved:
		view.Status = "moved"
	case waymark.StatusBroken:
		view.Status = "broken"
	}
	switch l.Verdict {
	case waymark.VerdictDead, waymark.VerdictBlocked, waymark.VerdictUnsure:
		if view.Status != "broken" && v.signedIn() {
			view.Health = l.Verdict.String()
		}
	}
	for _, list := range l.Lists[:min(len(l.Lists), maxRowNames)] {
		view.Lists = append(view.Lists, nameView{int64(list.ID), list.Name, hue(list.Name)})
	}
	for _, tag := range l.Tags[:min(len(l.Tags), maxRowNames)] {
		view.Tags = append(view.Tags, nameView{int64(tag.ID), tag.Name, 0})
	}
	view.More = max(0, len(l.Lists)-maxRowNames) + max(0, len(l.Tags)-maxRowNames)
	return view
}

// forges are hosts whose addresses begin with an owner and a repository.
var forges = map[string]bool{"github.com": true, "gitlab.com": true, "codeberg.org": true, "bitbucket.org": true, "git.sr.ht": true}

// cover returns the text of a card without a picture: the host, or the owner and the
// repository on a forge.
func cover(url, host string) []string {
	if _, rest, ok := strings.Cut(url, "://"); ok && forges[host] {
		parts := strings.SplitN(strings.TrimSuffix(rest, "/"), "/", 4)
		if len(parts) >= 3 && parts[1] != "" && parts[2] != "" {
			repository, _, _ := strings.Cut(parts[2], "?")
			return []string{cut(parts[1], 40) + "/", cut(repository, 60)}
		}
	}
	return []string{cut(host, 80)}
}

// cut returns the first n characters of a text, with an ellipsis if there are more.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
