package web

import (
	"context"
	"math"
	"strings"

	"waymark/internal/query"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type tidyPage struct {
	Health *health // nil if the user has no links, or none of them is checked
	Cut    bool    // checks cannot reach the web, so they have found nothing
	Heaps  []heap
}

// heap is a part of the user's links that could be tidied.
type heap struct {
	Name, Hint string
	Count      int
	Path       string // where its button leads
	Round      bool   // that is a round, and not a page
	First      []heapMember
}

type heapMember struct {
	Name    string
	Initial string // on its tile, "" for none
	Hue     int
	About   string
}

// linkHeap is a heap of links.
type linkHeap struct {
	key   string // of its name among the texts; that of its hint ends in -hint
	where waymark.Condition
	pages bool // its button shows the links instead of starting a round
}

var (
	waitingHeap = linkHeap{key: "tidy.waiting", where: waymark.And{waymark.IsUnread, waymark.NotOf(waymark.IsArchived), waymark.Dated{Field: waymark.SavedBefore, Period: "3m"}}}
	brokenHeap  = linkHeap{key: "tidy.broken", where: brokenOnly, pages: true}
	longHeap    = linkHeap{key: "tidy.long", where: waymark.And{
		waymark.NotOf(waymark.Dated{Field: waymark.SeenOn, Period: "2y"}), waymark.Dated{Field: waymark.SavedBefore, Period: "2y"}, waymark.NotOf(waymark.IsArchived),
	}}
	unfiledHeap = linkHeap{key: "tidy.unfiled", where: waymark.And{waymark.IsUnfiled, waymark.IsUntagged, waymark.NotOf(waymark.IsArchived)}}

	linkHeaps = []linkHeap{waitingHeap, brokenHeap, longHeap, unfiledHeap}
	// importHeaps are those after an import. Nobody has looked at its links here yet.
	importHeaps = []linkHeap{waitingHeap, brokenHeap, unfiledHeap}
)

// brokenOnly selects broken links, without those whose pages have moved.
var brokenOnly = waymark.And{waymark.IsBroken, waymark.NotOf(waymark.IsMoved)}

// ofUser returns the condition that a link is the user's own and in the heap.
func (h linkHeap) ofUser() waymark.Condition { return waymark.AndOf(waymark.IsMine, h.where) }

func showTidy(r *page.Request) error {
	p := tidyPage{Cut: r.Crawler.Cut()}
	var err error
	if p.Heaps, err = heapsOf(r, linkHeaps); err != nil {
		return err
	}
	if checksLinks(r) {
		if p.Health, err = newHealth(r); err != nil {
			return err
		}
	}
	return r.Render("tidy", p)
}

// heapsOf returns the heaps of the user that are not empty: those of links, and the others.
func heapsOf(r *page.Request, ofLinks []linkHeap) ([]heap, error) {
	filters := waymark.Map(ofLinks, func(h linkHeap) waymark.LinkFilter { return filterOf(r, h.ofUser()) })
	counts, err := r.Store.CountLinks(r.Context(), r.User.ID, filters)
	if err != nil {
		return nil, err
	}
	var heaps []heap
	for i, h := range ofLinks {
		if counts[i] > 0 {
			shown, err := h.shown(r, filters[i], counts[i])
			if err != nil {
				return nil, err
			}
			heaps = append(heaps, shown)
		}
		if h.key == brokenHeap.key {
			moved, err := movedHeap(r)
			if err != nil {
				return nil, err
			}
			heaps = append(heaps, moved...)
		}
	}
	for _, find := range []func(*page.Request) ([]heap, error){duplicatesHeap, tagsHeap, emptyLists} {
		found, err := find(r)
		if err != nil {
			return nil, err
		}
		heaps = append(heaps, found...)
	}
	return heaps, nil
}

const firstMembers = 2

func (h linkHeap) shown(r *page.Request, filter waymark.LinkFilter, count int) (heap, error) {
	shown := heap{Name: r.T(h.key), Hint: r.T(h.key+"-hint", "n", 0), Count: count, Path: roundPath(query.Print(h.ofUser())), Round: true}
	if h.pages {
		shown.Path, shown.Round = searchPath(h.ofUser()), false
	}
	if h.key == brokenHeap.key {
		kept, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{filterOf(r, waymark.AndOf(filter.Where, waymark.HasSnapshot))})
		if err != nil {
			return shown, err
		}
		if shown.Hint = ""; kept[0] > 0 {
			shown.Hint = r.T("tidy.broken-hint", "n", kept[0])
		}
	}
	first, err := r.Store.SearchLinks(r.User.ID, filter, waymark.Order{By: waymark.SortByCreatedAt}, waymark.Pagination{Limit: firstMembers}).Page(r.Context())
	for _, l := range first.Entities {
		shown.First = append(shown.First, newHeapMember(l.Title, l.URL, page.ShortHost(waymark.Host(l.URL))))
	}
	return shown, err
}

func newHeapMember(name, url, about string) heapMember {
	return heapMember{Name: name, Initial: page.Initial(page.ShortHost(waymark.Host(url))), Hue: page.Hue(page.ShortHost(waymark.HostWithPort(url))), About: about}
}

func movedHeap(r *page.Request) ([]heap, error) {
	hosts, err := r.Store.MovedHosts(r.Context(), r.User.ID)
	if err != nil || len(hosts) == 0 {
		return nil, err
	}
	links := 0
	for _, host := range hosts {
		links += host.Links
	}
	shown := heap{Name: r.T("tidy.moved"), Hint: r.T("tidy.moved-hint"), Count: links, Path: "/links/moved"}
	for _, host := range hosts[:min(firstMembers, len(hosts))] {
		shown.First = append(shown.First, newHeapMember(host.Host, host.From, r.T("links.count", "n", host.Links)))
	}
	return []heap{shown}, nil
}

func emptyLists(r *page.Request) ([]heap, error) {
	found, err := r.Store.SearchLists(r.Context(), r.User.ID, waymark.LabelFilter{Owner: r.User.ID, Empty: true}, byName, waymark.Pagination{Limit: firstMembers})
	if err != nil || found.Total == 0 {
		return nil, err
	}
	shown := heap{Name: r.T("tidy.empty"), Hint: r.T("tidy.empty-hint"), Count: found.Total, Path: "/lists?empty=1"}
	for _, list := range found.Entities {
		shown.First = append(shown.First, heapMember{Name: list.Name, About: pathOf(list)})
	}
	return []heap{shown}, nil
}

func tagsHeap(r *page.Request) ([]heap, error) {
	groups, err := r.Store.TagsAlike(r.Context(), r.User.ID)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	shown := heap{Name: r.T("tags-alike.title"), Hint: r.T("tags-alike.hint"), Count: len(groups), Path: tagsAlikePath}
	for _, group := range groups[:min(firstMembers, len(groups))] {
		names := waymark.Map(group, func(tag waymark.Tag) string { return tag.Name })
		shown.First = append(shown.First, heapMember{Name: names[0], About: strings.Join(names[1:], ", ")})
	}
	return []heap{shown}, nil
}

func duplicatesHeap(r *page.Request) ([]heap, error) {
	exact, weak, err := r.Store.CountDuplicates(r.Context(), r.User.ID)
	if err != nil || exact+weak == 0 {
		return nil, err
	}
	found, err := r.Store.Duplicates(r.Context(), r.User.ID, exact == 0, store.FirstDuplicate, firstMembers)
	shown := heap{Name: r.T("duplicates.title"), Hint: r.T("duplicates.hint"), Count: exact + weak, Path: duplicatesPath}
	for _, g := range found.Groups {
		kept := g.Kept()
		shown.First = append(shown.First, newHeapMember(kept.Title, kept.URL, r.T("links.count", "n", len(g.Links))))
	}
	return []heap{shown}, err
}

// health is what the last checks have found about the user's links, as one bar.
type health struct{ Parts []healthPart }

// healthPart is a part of the bar. It is Width of 1,000 long, and begins at Start.
type healthPart struct {
	Class, Text, Path string
	Start, Width      int
}

// newHealth returns the bar, nil if the user has no links.
func newHealth(r *page.Request) (*health, error) {
	checked := waymark.Or{waymark.IsOK, waymark.IsMoved, waymark.IsDead, waymark.IsBlocked, waymark.IsUnsure}
	unbroken := waymark.NotOf(brokenOnly)
	parts := []struct {
		class, text string
		where       waymark.Condition
		path        string
	}{
		{"there", "tidy.there", waymark.AndOf(waymark.IsOK, unbroken), ""},
		{"moved", "tidy.has-moved", waymark.IsMoved, "/links/moved"},
		{"gone", "tidy.gone", brokenOnly, brokenPath},
		{"not-yet", "tidy.unclear", waymark.AndOf(waymark.Or{waymark.IsDead, waymark.IsBlocked, waymark.IsUnsure}, unbroken), ""},
		{"not-yet", "tidy.not-yet", waymark.AndOf(waymark.NotOf(checked), unbroken), ""},
	}
	filters := make([]waymark.LinkFilter, len(parts))
	for i, part := range parts {
		filters[i] = filterOf(r, waymark.AndOf(waymark.IsMine, part.where))
	}
	counts, err := r.Store.CountLinks(r.Context(), r.User.ID, filters)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	if total == 0 {
		return nil, nil //nolint:nilnil // there is no bar
	}
	const gap = 2
	shown, start := &health{}, 0
	for i, part := range parts {
		if counts[i] == 0 {
			continue
		}
		text := r.T(part.text, "n", counts[i])
		if i == len(parts)-1 {
			if text, err = addTimeLeft(r, text); err != nil {
				return nil, err
			}
		}
		end := start + max(gap+1, counts[i]*1000/total)
		shown.Parts = append(shown.Parts, healthPart{Class: part.class, Text: text, Path: part.path, Start: start, Width: end - start - gap})
		start = end
	}
	return shown, nil
}

// addTimeLeft adds to a text in what time the first checks of the user's links will have been made, if that is known.
func addTimeLeft(r *page.Request, text string) (string, error) {
	last, err := r.Store.Queue.LastFirstCheck(r.Context(), r.User.ID)
	left := last.Time().Sub(r.Now)
	if err != nil || left <= 0 {
		return text, err
	}
	return r.T("tidy.left", "text", text, "n", int(math.Ceil(left.Hours()))), nil
}

func roundPath(text string) string { return "/tidy/round?" + page.QueryOf("q", text) }

const maxMovedHosts = 50

// maxShownURL limits the URLs on the page of moved links, in characters.
const maxShownURL = 80

type movedPage struct {
	Hosts []movedHost
	More  int // hosts that are not shown
}

type movedHost struct {
	store.MovedHost
	Search string // the URL of its links
}

func showMoved(r *page.Request) error {
	hosts, err := r.Store.MovedHosts(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	p := movedPage{More: max(0, len(hosts)-maxMovedHosts)}
	for _, host := range hosts[:len(hosts)-p.More] {
		host.From, host.To = page.Cut(host.From, maxShownURL), page.Cut(host.To, maxShownURL)
		p.Hosts = append(p.Hosts, movedHost{host, searchPath(waymark.And{query.Word(host.Host), waymark.IsMoved})})
	}
	return r.Render("moved", p)
}

// acceptMoves gives the user's links of a host the URLs to which their pages have moved.
func acceptMoves(r *page.Request) error {
	return makeChange(r, "/links/moved", true, func(ctx context.Context, s *service.Service) (string, error) {
		accepted, err := s.AcceptMoves(ctx, r.User, r.Field("host"), waymark.MaxBulk)
		text := r.T("moved.accepted", "n", accepted.Changed)
		if accepted.Kept > 0 {
			text += " " + r.T("moved.kept", "n", accepted.Kept)
		}
		return text, err
	})
}

// showBroken shows the user's links that have become broken because checks did not find their pages,
// the latest first.
func showBroken(r *page.Request) error {
	found, err := r.Store.BrokenLinks(r.Context(), r.User.ID, pagination(r, r.Settings.LinksPerPage))
	if err != nil {
		return err
	}
	p := makeLinksPage(r, brokenPath, search{}, waymark.ComfortableView)
	p.Title = r.T("broken.title")
	p.Pager = page.NewPager(r, found.Total, r.Settings.LinksPerPage)
	links := waymark.Map(found.Entities, func(l store.BrokenLink) waymark.Link { return l.Link })
	views, err := newLinkViews(r, waymark.ComfortableView, nil, links)
	if err != nil {
		return err
	}
	for i, l := range links {
		p.addLink(r.DayHeading(found.Entities[i].BrokenAt), views.of(l))
	}
	if p.Feed, err = makeFeedLink(r, brokenPath+"/feed", nil, ""); err != nil {
		return err
	}
	return r.RenderListing("broken", p.Pager, p)
}

func feedBroken(r *page.Request) error {
	found, err := r.Store.BrokenLinks(r.Context(), r.User.ID, waymark.Pagination{Limit: maxFeedEntries})
	if err != nil {
		return err
	}
	entries := make([]atomEntry, len(found.Entities))
	for i, l := range found.Entities {
		entries[i] = newEntry("broken link", int64(l.ID), l.Title, l.URL, l.BrokenAt, l.BrokenAt)
		entries[i].Author = r.User.Name
		entries[i].Link.Href = r.AbsoluteURL(linkPath(l.ID))
	}
	return sendFeed(r, feed{title: r.T("broken.title"), page: brokenPath}, entries)
}
