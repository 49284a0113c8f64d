package web

import (
	"fmt"
	"slices"
	"strings"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// guestPage is the data of a page for guests. It shows public entities only, of all users or
// of one.
type guestPage struct {
	v       *visit
	Section string // links, lists or tags for the page with all of them, else ""
	Query   string // of a search
	Heading string
	Title   string         // of the document, if it is more than the heading
	Text    string         // what the owner says about it
	Owner   string         // the user who owns the list or the tag
	about   waymark.UserID // the user whose links they are, zero for several
	list    int64          // the list or the tag whose links they are, zero for none
	tag     int64
	Total   int
	Changed string // the day of the last change, "" if it is not known
	Feed    string // the path of the feed, "" for none

	Links []guestLink
	Lists []guestLabel
	Tags  []guestLetter
	Pager pager
}

// guestLink is a link on a page for guests.
type guestLink struct {
	linkView
	Owner string // "" if the page is about one user, or has the links of one only
}

// guestLabel is a list or a tag on a page for guests.
type guestLabel struct {
	nameView
	Description string
	Count       int
	Owner       string
}

// guestLetter is the tags whose names begin with a letter.
type guestLetter struct {
	Letter string
	Tags   []guestLabel
}

const (
	guestLinksPerPage = 48
	guestListsPerPage = 36
	guestTagsPerPage  = 500
	maxUserLists      = 12 // on the page of a user: those with the most links
)

// showGuestLinks shows all public links.
func showGuestLinks(v *visit) error {
	p := guestPage{v: v, Section: "links", Heading: v.t("guest.links"), Feed: "/guest/links/feed"}
	return showGuestListing(v, p, v.Store.Links(waymark.Guest, newestFirst, pagination(v, guestLinksPerPage)))
}

// showGuestSearch shows the public links that match the query.
func showGuestSearch(v *visit) error {
	p := guestPage{v: v, Query: strings.TrimSpace(v.parameters.Get("query")), Heading: v.t("guest.search")}
	if p.Query == "" {
		return v.redirect("/guest/links")
	}
	p.Title = v.t("guest.search-title", "query", p.Query)
	p.Feed = joinQuery("/guest/links/feed", queryOf("query", p.Query))
	s, err := newSelection(v, linksQuery{Text: p.Query})
	if err != nil {
		return err
	}
	return showGuestListing(v, p, matchingLinks(v, s.filter, newestFirst, pagination(v, guestLinksPerPage)))
}

// showGuestList shows a public list.
func showGuestList(v *visit) error {
	id, err := pathID[waymark.ListID](v)
	if err != nil {
		return err
	}
	list, err := v.Store.List(v.ctx(), waymark.Guest, id)
	if err != nil {
		return err
	}
	p, err := guestPageOf(v, list.Owner, list.Name)
	if err != nil {
		return err
	}
	p.list = int64(id)
	p.Text, p.Feed, p.Changed = list.Description, fmt.Sprintf("/guest/lists/%d/feed", id), dayOf(v, list.UpdatedAt)
	return showGuestListing(v, p, v.Store.LinksOfList(waymark.Guest, id, newestFirst, pagination(v, guestLinksPerPage)))
}

// showGuestTag shows the public links with a public tag.
func showGuestTag(v *visit) error {
	id, err := pathID[waymark.TagID](v)
	if err != nil {
		return err
	}
	tag, err := v.Store.Tag(v.ctx(), waymark.Guest, id)
	if err != nil {
		return err
	}
	p, err := guestPageOf(v, tag.Owner, "#"+tag.Name)
	if err != nil {
		return err
	}
	p.tag, p.Feed = int64(id), fmt.Sprintf("/guest/tags/%d/feed", id)
	return showGuestListing(v, p, v.Store.LinksOfTag(waymark.Guest, id, newestFirst, pagination(v, guestLinksPerPage)))
}

// guestPageOf returns the page about something that a user owns.
func guestPageOf(v *visit, owner waymark.UserID, heading string) (guestPage, error) {
	names, err := v.Store.UserNames(v.ctx(), []waymark.UserID{owner})
	name := names[owner]
	return guestPage{v: v, Heading: heading, Owner: name, about: owner, Title: v.t("guest.by", "name", heading, "owner", name)}, err
}

// showGuestUser shows the public lists and links of a user. The response for a user
// without any is the same as for a name that does not exist.
func showGuestUser(v *visit) error {
	name := v.pathValue("name")
	if waymark.ValidateUserName(name) != nil {
		return waymark.ErrNotFound
	}
	user, err := v.Store.UserByName(v.ctx(), name)
	if err != nil {
		return err
	}
	p := guestPage{v: v, Heading: user.Name, about: user.ID, Title: v.t("guest.user-title", "name", user.Name)}
	if pageNumber(v) == 1 {
		lists, err := v.Store.SearchLists(v.ctx(), waymark.Guest, waymark.LabelFilter{Owner: user.ID}, mostLinks, waymark.Pagination{Limit: maxUserLists})
		if err != nil {
			return err
		}
		for _, list := range lists.Entities {
			p.Lists = append(p.Lists, guestLabel{nameView{int64(list.ID), list.Name, hue(list.Name)}, list.Description, list.LinkCount, ""})
		}
	}
	found, err := v.Store.SearchLinks(waymark.Guest, waymark.LinkFilter{Owner: user.ID}, newestFirst, pagination(v, guestLinksPerPage)).Page(v.ctx())
	if err != nil {
		return err
	}
	if len(p.Lists) == 0 && found.Total == 0 {
		return waymark.ErrNotFound
	}
	return renderGuestLinks(v, p, found)
}

// mostLinks is the order of lists that begins with those that have the most links.
var mostLinks = waymark.Order{By: waymark.SortByLinks, Desc: true}

// showGuestListing shows the links of a listing.
func showGuestListing(v *visit, p guestPage, listing store.Listing[waymark.Link]) error {
	found, err := listing.Page(v.ctx())
	if err != nil {
		return err
	}
	return renderGuestLinks(v, p, found)
}

func renderGuestLinks(v *visit, p guestPage, found store.Page[waymark.Link]) error {
	names, err := userNames(v, ownersOf(found.Entities, linkOwner))
	if err != nil {
		return err
	}
	views, err := newLinkViews(v, waymark.ComfortableView, nil, found.Entities)
	if err != nil {
		return err
	}
	for _, l := range found.Entities {
		link := guestLink{linkView: views.of(l)}
		link.Lists = exceptName(link.Lists, p.list)
		link.Tags = exceptName(link.Tags, p.tag)
		if l.Owner != p.about && len(names) > 1 {
			link.Owner = names[l.Owner]
		}
		p.Links = append(p.Links, link)
	}
	return renderGuest(v, p, found.Total, guestLinksPerPage)
}

// exceptName returns the names without that of a list or a tag, which the page has as heading.
func exceptName(names []nameView, id int64) []nameView {
	return slices.DeleteFunc(names, func(name nameView) bool { return name.ID == id })
}

// showGuestLists shows all public lists.
func showGuestLists(v *visit) error {
	found, err := v.Store.SearchLists(v.ctx(), waymark.Guest, waymark.LabelFilter{}, byName, pagination(v, guestListsPerPage))
	if err != nil {
		return err
	}
	p := guestPage{v: v, Section: "lists", Heading: v.t("guest.lists"), Feed: "/guest/lists/feed"}
	names, err := userNames(v, ownersOf(found.Entities, listOwner))
	if err != nil {
		return err
	}
	for _, list := range found.Entities {
		label := guestLabel{nameView{int64(list.ID), list.Name, hue(list.Name)}, list.Description, list.LinkCount, ""}
		if len(names) > 1 {
			label.Owner = names[list.Owner]
		}
		p.Lists = append(p.Lists, label)
	}
	return renderGuest(v, p, found.Total, guestListsPerPage)
}

// showGuestTags shows all public tags.
func showGuestTags(v *visit) error {
	found, err := v.Store.SearchTags(v.ctx(), waymark.Guest, waymark.LabelFilter{}, byName, pagination(v, guestTagsPerPage))
	if err != nil {
		return err
	}
	p := guestPage{v: v, Section: "tags", Heading: v.t("guest.tags"), Feed: "/guest/tags/feed"}
	for _, tag := range found.Entities {
		letter := strings.ToUpper(initial(tag.Name))
		if n := len(p.Tags); n == 0 || p.Tags[n-1].Letter != letter {
			p.Tags = append(p.Tags, guestLetter{Letter: letter})
		}
		last := &p.Tags[len(p.Tags)-1]
		last.Tags = append(last.Tags, guestLabel{nameView: nameView{int64(tag.ID), tag.Name, 0}, Count: tag.LinkCount})
	}
	return renderGuest(v, p, found.Total, guestTagsPerPage)
}

// byName is the order of lists and tags on pages for guests.
var byName = waymark.Order{By: waymark.SortByName}

// renderGuest sends a page with a part of total entities. A page beyond the last one does
// not exist.
func renderGuest(v *visit, p guestPage, total, perPage int) error {
	p.Total, p.Pager = total, newPager(v, total, perPage)
	if p.Pager.beyondEnd() != "" {
		return waymark.ErrNotFound
	}
	return v.render("guest", p)
}

// pagination returns the part of a listing that the page in the request has.
func pagination(v *visit, perPage int) waymark.Pagination {
	return waymark.Pagination{Offset: (pageNumber(v) - 1) * perPage, Limit: perPage}
}

// dayOf returns the date of a time.
func dayOf(v *visit, t waymark.Time) string { return v.date(t.Time().In(v.zone), "month") }

// pageTitle implements titled.
func (p guestPage) pageTitle() string {
	if p.Title != "" {
		return p.Title
	}
	return p.Heading
}

// describe implements described.
func (p guestPage) describe() description {
	text := strings.Join(strings.Fields(p.Text), " ")
	if text == "" {
		text = p.Facts()
	}
	return description{Feed: p.Feed, FeedTitle: p.pageTitle(), Text: cut(text, 300)}
}

// Facts says how many entities there are, and when the list was last changed.
func (p guestPage) Facts() string {
	var facts []string
	switch p.Section {
	case "lists":
		facts = []string{p.v.t("guest.n-lists", "n", p.Total)}
	case "tags":
		facts = []string{p.v.t("guest.n-tags", "n", p.Total)}
	default:
		facts = []string{p.v.t("guest.n-links", "n", p.Total)}
	}
	if p.Changed != "" {
		facts = append(facts, p.v.t("guest.changed", "day", p.Changed))
	}
	return strings.Join(facts, " · ")
}
