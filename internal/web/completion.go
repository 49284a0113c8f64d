package web

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// completions are the names that complete what a person has typed in a field for lists or
// tags.
type completions struct {
	Lists bool // the names are names of lists
	Names []completion
	New   string // the text itself, if no list or tag has that name yet
}

// completion is one of the names. Before, Match and After are its parts.
type completion struct {
	Name                 string
	Value                string // the text with the name, if it is a query
	Before, Match, After string
	Place                string // what tells a list from others of the name: the path to it, or its id
	Hue                  int
	Count                int
}

func completeTags(r *page.Request) error {
	text := strings.TrimSpace(r.Parameters.Get("q"))
	found, err := r.Store.CompleteTags(r.Context(), r.User.ID, text)
	names := waymark.Map(found, func(tag waymark.Tag) completion { return newCompletion(tag.Name, text, -1, tag.LinkCount) })
	return sendCompletions(r, completions{Names: names}, text, err)
}

func completeLists(r *page.Request) error {
	text := strings.TrimSpace(r.Parameters.Get("q"))
	lists, err := r.Store.CompleteLists(r.Context(), r.User.ID, text)
	if err != nil {
		return err
	}
	if text == "" {
		if lists, err = latelyFirst(r, lists); err != nil {
			return err
		}
	}
	c := completions{Lists: true}
	others, owners, err := editableOfOthers(r, text)
	if err != nil {
		return err
	}
	names, err := listNames(r, lists)
	for i, list := range names {
		found := newCompletion(lists[i].Name, text, list.Hue, lists[i].LinkCount)
		found.Value = list.Name
		if above, ok := strings.CutSuffix(list.Name, "/"+lists[i].Name); ok {
			found.Place = above
		} else {
			found.Place = strings.TrimSpace(strings.TrimPrefix(list.Name, lists[i].Name))
		}
		c.Names = append(c.Names, found)
	}
	for _, list := range others {
		found := newCompletion(list.Name, text, page.Hue(list.Name), list.LinkCount)
		found.Value, found.Place = textOfOther(list), owners[list.Owner]
		c.Names = append(c.Names, found)
	}
	return sendCompletions(r, c, text, err)
}

const maxPeople = 10

func completePeople(r *page.Request) error {
	text := strings.TrimSpace(r.Parameters.Get("q"))
	users, err := r.Store.Accounts.Users(r.Context())
	if err != nil {
		return err
	}
	users = slices.DeleteFunc(users, func(u waymark.User) bool {
		return u.ID == r.User.ID || u.Disabled || !strings.Contains(waymark.Plain(u.Name), waymark.Plain(text))
	})
	var c completions
	for _, u := range users[:min(len(users), maxPeople)] {
		c.Names = append(c.Names, newCompletion(u.Name, text, -1, -1))
	}
	return r.RenderPart("completions", c)
}

// sendCompletions sends the names that complete a text, with the text itself if none of them is equal.
func sendCompletions(r *page.Request, c completions, text string, err error) error {
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(c.Names, func(known completion) bool { return waymark.Fold(known.Name) == waymark.Fold(text) }) {
		c.New = text
	}
	return r.RenderPart("completions", c)
}

func newCompletion(name, text string, dot, count int) completion {
	before, match, after := cutFold(name, text)
	return completion{Name: name, Before: before, Match: match, After: after, Hue: dot, Count: count}
}

// cutFold splits a text at the first place that contains part, without regard to case and accents.
func cutFold(text, part string) (before, match, after string) {
	found := newFoldedText(text).find([]string{waymark.Plain(part)}, indexFrom)
	if len(found) == 0 {
		return text, "", ""
	}
	return text[:found[0].from], text[found[0].from:found[0].to], text[found[0].to:]
}

// urlNotice is what a form says about the URL in it: that it is not valid, or that the user
// has a link with it.
type urlNotice struct {
	Wrong    string   // a sentence, "" if the URL can be saved
	Existing *urlCard // the user's other link with the URL, nil if there is none
	Near     *nearLink
}

// completeURL shows what is known about the URL in a form. The query has the id of the link, unless
// it is new.
func completeURL(r *page.Request) error {
	query := r.Parameters
	id, _ := strconv.ParseInt(query.Get("id"), 10, 64) // 0 for a new link
	link, err := r.Store.Link(r.Context(), r.User.ID, waymark.LinkID(id))
	if err != nil && !errors.Is(err, waymark.ErrNotFound) && !errors.Is(err, waymark.ErrForbidden) {
		return err
	}
	f := linkForm{ID: waymark.LinkID(id), URL: typedURL(query.Get("url"), link)}
	if err := findExisting(r, &f); err != nil {
		return err
	}
	notice := urlNotice{Existing: f.Existing, Near: f.Near}
	if wrong := (waymark.LinkInput{URL: f.URL}).Apply(&waymark.Link{}); f.URL != "" && f.URL != link.URL && (wrong != nil || mistyped(f.URL)) {
		notice.Wrong = r.T("problem.url-format", "value", page.Quoted(f.URL))
	}
	return r.RenderPart("url-notice", notice)
}

// unfinished matches a query that ends with a name that can be completed: what is before the name, its
// field, and its beginning. The script has the same expression.
var unfinished = regexp.MustCompile(`(?is)^((?:.*[\s(])?-?)(#|tag:|list:|is:|has:|site:)("[^"]*|[^\s"()]*)$`)

const maxCompletedHosts = 8

func completeQuery(r *page.Request) error {
	parts := unfinished.FindStringSubmatch(r.Parameters.Get("q"))
	if parts == nil {
		return r.RenderPart("completions", completions{})
	}
	before, text := parts[1], strings.TrimPrefix(parts[3], `"`)
	var c completions
	add := func(name string, hue, count int, condition string) {
		found := newCompletion(name, text, hue, count)
		found.Value = before + condition + " "
		c.Names = append(c.Names, found)
	}
	var err error
	switch strings.ToLower(parts[2]) {
	case "list:":
		var lists []waymark.List
		lists, err = r.Store.CompleteLists(r.Context(), r.User.ID, text)
		var names []nameView
		if err == nil {
			names, err = listNames(r, lists)
		}
		for i, list := range names {
			add(list.Name, list.Hue, lists[i].LinkCount, query.List(list.Name))
		}
		var smart []string
		if err == nil {
			smart, err = completeSmartLists(r, waymark.Plain(text))
		}
		for _, name := range smart {
			add(name, -1, -1, query.List(name))
		}
	case "is:":
		for _, state := range waymark.States {
			if strings.HasPrefix(string(state), strings.ToLower(text)) {
				add(string(state), -1, -1, query.Print(state))
			}
		}
	case "has:":
		for _, thing := range waymark.Things {
			if strings.HasPrefix(string(thing), strings.ToLower(text)) {
				add(string(thing), -1, -1, query.Print(thing))
			}
		}
	case "site:":
		var hosts []waymark.HostCount
		hosts, err = completeHosts(r, waymark.Plain(text))
		for _, host := range hosts {
			add(host.Host, -1, host.Links, query.Print(waymark.OnSite(host.Host)))
		}
	default:
		var tags []waymark.Tag
		tags, err = r.Store.CompleteTags(r.Context(), r.User.ID, text)
		for _, tag := range tags {
			add(tag.Name, -1, tag.LinkCount, query.Tag(tag.Name, false))
		}
	}
	if err != nil {
		return err
	}
	return r.RenderPart("completions", c)
}

// completeSmartLists returns the names of the user's smart lists that contain a text, see waymark.Plain, and that are not
// names of lists too, which come before them.
func completeSmartLists(r *page.Request, text string) (names []string, err error) {
	searches, err := r.Store.Accounts.SavedSearches(r.Context(), r.User.ID)
	var matching []waymark.Ref
	for _, search := range searches {
		if search.InLists && strings.Contains(waymark.Plain(search.Name), text) {
			matching = append(matching, waymark.Ref{Name: search.Name})
		}
	}
	if err != nil || len(matching) == 0 {
		return nil, err
	}
	lists, err := r.Store.FindLists(r.Context(), r.User.ID, matching)
	for _, ref := range matching {
		if _, ok := lists[ref]; !ok && len(names) < maxCompletedHosts {
			names = append(names, ref.Name)
		}
	}
	return names, err
}

// completeHosts returns the hosts with most links that contain a text, see waymark.Plain.
func completeHosts(r *page.Request, text string) (hosts []waymark.HostCount, err error) {
	filter := waymark.LinkFilter{}
	if text != "" {
		filter.Where = waymark.Contains{Text: text, In: waymark.InURL}
	}
	found, err := r.Store.Facets(r.Context(), r.User.ID, filter, 8*maxCompletedHosts)
	for _, host := range found.Hosts {
		if strings.Contains(waymark.Plain(host.Host), text) && len(hosts) < maxCompletedHosts {
			hosts = append(hosts, host)
		}
	}
	return hosts, err
}
