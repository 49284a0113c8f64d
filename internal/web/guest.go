package web

import (
	"cmp"
	"html/template"
	"strings"

	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// guestPage is the data of a page for guests. It shows public entities only, of all users or
// of one.
type guestPage struct {
	Section string   // links, lists or tags for the page with all of them, else ""
	Query   string   // of a search
	words   []string // of the search, folded
	AsText  string   // the parts of the search that have no meaning
	Heading string
	Title   string         // of the document, if it is more than the heading
	Text    string         // what the owner says about it
	Owner   string         // the user who owns the list or the tag
	about   waymark.UserID // the user whose links they are, zero for several
	list    int64          // the list or the tag whose links they are, zero for none
	tag     int64
	Facts   string // how many entities there are, and when the list was last changed
	Changed string // the day of the last change, "" if it is not known
	Feed    string // the path of the feed, "" for none

	Above []waymark.ListName // the public lists around a list, the outermost one first
	Links []linkView         // with owners if they have several
	Lists []labelView
	Tags  []tagGroup
	Pager page.Pager
}

const (
	guestLinksPerPage = 48
	guestListsPerPage = 36
	guestTagsPerPage  = 500
	maxUserLists      = 12  // on the page of a user: those with the most links
	maxGuestSublists  = 500 // on the page of a list
)

func showGuestLinks(r *page.Request) error {
	p := guestPage{Section: "links", Heading: r.T("guest.links"), Feed: "/guest/links/feed"}
	return showGuestListing(r, p, r.Store.UnarchivedLinks(waymark.Guest, newestFirst, pagination(r, guestLinksPerPage)))
}

func showGuestSearch(r *page.Request) error {
	p := guestPage{Query: strings.TrimSpace(cmp.Or(r.Parameters.Get("q"), r.Parameters.Get("query"))), Heading: r.T("guest.search")} // LinkAce has query
	if p.Query == "" {
		return r.Redirect("/guest/links")
	}
	p.Title = r.T("guest.search-title", "query", p.Query)
	p.Feed = page.JoinQuery("/guest/links/feed", page.QueryOf("q", p.Query))
	all, err := readSearches(r, waymark.Guest, p.Query)
	if err != nil {
		return err
	}
	filter := all[0].filter(r)
	p.words, p.AsText = highlights(filter.Where), strings.Join(all[0].asText, ", ")
	return showGuestListing(r, p, matchingLinks(r, filter, waymark.BestMatch, pagination(r, guestLinksPerPage)))
}

func showGuestList(r *page.Request, list waymark.List) error {
	p, err := guestPageOf(r, list.Owner, list.Name)
	if err != nil {
		return err
	}
	if page.NumberOf(r) == 1 {
		sublists, _, err := r.Store.Sublists(r.Context(), waymark.Guest, list.ID, maxGuestSublists)
		if err != nil {
			return err
		}
		p.Lists = waymark.Map(sublists, newListView)
	}
	p.list, p.Above = int64(list.ID), list.Path
	p.Text, p.Feed = list.Description, "/guest"+listPath(list.ID)+"/feed"
	p.Changed = r.Date(list.UpdatedAt.Time().In(r.Zone), "month")
	return showGuestListing(r, p, r.Store.LinksOfList(waymark.Guest, list.ID, newestFirst, pagination(r, guestLinksPerPage)))
}

func showGuestTag(r *page.Request, tag waymark.Tag) error {
	p, err := guestPageOf(r, tag.Owner, "#"+tag.Name)
	if err != nil {
		return err
	}
	p.tag, p.Feed = int64(tag.ID), "/guest"+tagPath(tag.ID)+"/feed"
	return showGuestListing(r, p, r.Store.LinksOfTag(waymark.Guest, tag.ID, newestFirst, pagination(r, guestLinksPerPage)))
}

func showGuestSmartList(r *page.Request, search waymark.SavedSearch) error {
	p, err := guestPageOf(r, search.Owner, search.Name)
	if err != nil {
		return err
	}
	p.Feed = "/guest" + searchPathOf(search.ID) + "/feed"
	filter, err := linksOfSearch(r, search)
	if err != nil {
		return err
	}
	return showGuestListing(r, p, matchingLinks(r, filter, newestFirst, pagination(r, guestLinksPerPage)))
}

// guestPageOf returns the page about something that a user owns.
func guestPageOf(r *page.Request, owner waymark.UserID, heading string) (guestPage, error) {
	names, err := r.Store.Accounts.UserNames(r.Context(), []waymark.UserID{owner})
	name := names[owner]
	return guestPage{Heading: heading, Owner: name, about: owner, Title: r.T("guest.by", "name", heading, "owner", name)}, err
}

// showGuestUser shows the public lists and links of a user. The response for a user
// without any is the same as for a name that does not exist.
func showGuestUser(r *page.Request) error {
	name := r.PathValue("name")
	if waymark.ValidateUserName(name) != nil {
		return waymark.ErrNotFound
	}
	user, err := r.Store.Accounts.UserByName(r.Context(), name)
	if err != nil {
		return err
	}
	p := guestPage{Heading: user.Name, about: user.ID, Title: r.T("guest.user-title", "name", user.Name)}
	if page.NumberOf(r) == 1 {
		lists, err := r.Store.SearchLists(r.Context(), waymark.Guest, waymark.LabelFilter{Owner: user.ID}, mostLinks, waymark.Pagination{Limit: maxUserLists})
		if err != nil {
			return err
		}
		p.Lists = waymark.Map(lists.Entities, newListView)
	}
	found, err := r.Store.SearchLinks(waymark.Guest, waymark.LinkFilter{Where: waymark.OwnedBy{ID: user.ID}}, newestFirst, pagination(r, guestLinksPerPage)).Page(r.Context())
	if err != nil {
		return err
	}
	if len(p.Lists) == 0 && found.Total == 0 {
		return waymark.ErrNotFound
	}
	return renderGuestLinks(r, p, found)
}

func showGuestListing(r *page.Request, p guestPage, listing store.Listing[waymark.Link]) error {
	found, err := listing.Page(r.Context())
	if err != nil {
		return err
	}
	return renderGuestLinks(r, p, found)
}

func renderGuestLinks(r *page.Request, p guestPage, found store.Page[waymark.Link]) error {
	names, err := userNames(r, waymark.Map(found.Entities, linkOwner))
	if err != nil {
		return err
	}
	views, err := newLinkViews(r, waymark.ComfortableView, p.words, found.Entities)
	if err != nil {
		return err
	}
	views.list.ID, views.tag = waymark.ListID(p.list), p.tag
	for _, l := range found.Entities {
		link := views.of(l)
		if l.Owner != p.about && len(names) > 1 {
			link.Owner = names[l.Owner]
		}
		p.Links = append(p.Links, link)
	}
	return renderGuest(r, p, found.Total, guestLinksPerPage)
}

func showGuestLists(r *page.Request) error {
	found, err := r.Store.SearchLists(r.Context(), waymark.Guest, waymark.LabelFilter{}, byName, pagination(r, guestListsPerPage))
	if err != nil {
		return err
	}
	p := guestPage{Section: "lists", Heading: r.T("guest.lists"), Feed: "/guest/lists/feed"}
	names, err := userNames(r, waymark.Map(found.Entities, listOwner))
	if err != nil {
		return err
	}
	for _, list := range found.Entities {
		label := newListView(list)
		if len(names) > 1 {
			label.Owner = names[list.Owner]
		}
		p.Lists = append(p.Lists, label)
	}
	return renderGuest(r, p, found.Total, guestListsPerPage)
}

func showGuestTags(r *page.Request) error {
	found, err := r.Store.SearchTags(r.Context(), waymark.Guest, waymark.LabelFilter{}, byName, pagination(r, guestTagsPerPage))
	if err != nil {
		return err
	}
	p := guestPage{Section: "tags", Heading: r.T("guest.tags"), Feed: "/guest/tags/feed"}
	for _, tag := range found.Entities {
		letter := strings.ToUpper(page.Initial(tag.Name))
		if n := len(p.Tags); n == 0 || p.Tags[n-1].Letter != letter {
			p.Tags = append(p.Tags, tagGroup{Letter: letter})
		}
		last := &p.Tags[len(p.Tags)-1]
		last.Tags = append(last.Tags, newTagView(tag))
	}
	return renderGuest(r, p, found.Total, guestTagsPerPage)
}

// renderGuest sends a page with a part of total entities. A page beyond the last one does
// not exist.
func renderGuest(r *page.Request, p guestPage, total, perPage int) error {
	key := "guest.n-" + cmp.Or(p.Section, "links")
	p.Facts, p.Pager = r.T(key, "n", total), page.NewPager(r, total, perPage)
	if p.Changed != "" {
		p.Facts += " · " + r.T("guest.changed", "day", p.Changed)
	}
	if p.Pager.BeyondEnd() != "" {
		return waymark.ErrNotFound
	}
	return r.Render("guest", p)
}

func (p guestPage) PageTitle() string { return cmp.Or(p.Title, p.Heading) }

// Prose is the text of the page as HTML.
func (p guestPage) Prose() template.HTML { return page.Markdown(p.Text, 2) }

// Describe describes the page to other programs.
func (p guestPage) Describe() page.Description {
	text := cmp.Or(page.PlainText(p.Text), p.Facts)
	return page.Description{Feed: p.Feed, FeedTitle: p.PageTitle(), Text: page.Cut(text, 300)}
}
