package web

import (
	"fmt"
	"net/url"
	"strings"

	"waymark/internal/query"
	"waymark/internal/waymark"
)

// narrowing makes the paths of a view with one more condition.
type narrowing struct {
	before, after string // of the condition in the path
	has           map[string]bool
}

// newNarrowing returns what narrows the view of a query, nil if the view shows all links, or all of the
// user with this name: there, a list or tag opens on its own.
func newNarrowing(q linksQuery, user string) *narrowing {
	if q.showsAll(user) {
		return nil
	}
	condition, _ := query.Parse(q.Text)
	n := narrowing{has: map[string]bool{}}
	for _, part := range query.Parts(condition) {
		n.has[waymark.Fold(query.Print(part))] = true
	}
	if len(q.Lists) == 1 {
		n.has[listCondition(q.Lists[0])] = true
	}
	if len(q.Tags) == 1 {
		n.has[tagCondition(q.Tags[0])] = true
	}
	const place = "_condition_"
	q.Text = query.Print(waymark.And{condition, waymark.OnSite(place)})
	n.before, n.after, _ = strings.Cut(q.path(), url.QueryEscape("site:"+place))
	return &n
}

// path returns the path of the view with a condition, "" if it has the condition, or the same with the
// name of a list or tag.
func (n *narrowing) path(condition, named string) string {
	if n == nil || n.has[condition] || n.has[waymark.Fold(named)] {
		return ""
	}
	return n.before + url.QueryEscape(condition) + n.after
}

// listCondition, tagCondition and siteCondition are conditions as a part of a query.
func listCondition(id int64) string    { return fmt.Sprintf("list:#%d", id) }
func tagCondition(id int64) string     { return fmt.Sprintf("tag:#%d", id) }
func siteCondition(host string) string { return query.Print(waymark.OnSite(host)) }
