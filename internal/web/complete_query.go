package web

import (
	"regexp"
	"strings"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// unfinished matches a query that ends with a name that can be completed: what is before the name, its
// field, and its beginning. The script has the same expression.
var unfinished = regexp.MustCompile(`(?is)^((?:.*[\s(])?-?)(#|tag:|list:|is:|has:|site:)("[^"]*|[^\s"()]*)$`)

// maxCompletedHosts is the maximum number of hosts that complete a query, and of smart lists.
const maxCompletedHosts = 8

// completeQuery completes the name at the end of a query.
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
