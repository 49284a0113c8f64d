package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// linksQuery is what a page of links shows: the query of its URL.
type linksQuery struct {
	Text        string // what is in the field at the top
	Lists       []int64
	Direct      bool // without the lists that stand in Lists
	Tags        []int64
	Visibility  string
	CheckResult string   // the result of the last check
	States      []string // that the links have, of queryStates
	Content     bool     // search the snapshots of pages, too
	Since       string   // a day such as 2026-11-22
	Before      string
	By          string // the name of the owner
	Order       string
	View        string
	Saved       int64 // the id of the saved search that the page began with, 0 for none
}

// maxFilterNames limits the lists, and the tags, of a query.
const maxFilterNames = 20

// linksQueryOf decodes a query. What is malformed is left out.
func linksQueryOf(values url.Values) linksQuery {
	q := linksQuery{
		Text:        strings.TrimSpace(values.Get("query")),
		Lists:       parseIDs(values["lists"], maxFilterNames),
		Direct:      values.Get("direct") == "1",
		Tags:        parseIDs(values["tags"], maxFilterNames),
		Visibility:  values.Get("visibility"),
		CheckResult: values.Get("check"),
		Content:     values.Get("content") == "1",
		Since:       values.Get("since"),
		Before:      values.Get("before"),
		By:          values.Get("by"),
		Order:       values.Get("order"),
		View:        values.Get("view"),
	}
	if ids := parseIDs(values["saved"], 1); len(ids) == 1 {
		q.Saved = ids[0]
	}
	for _, name := range queryStates {
		if values.Get(name) == "1" {
			q.States = append(q.States, name)
		}
	}
	if _, err := waymark.ParseVisibility(q.Visibility); err != nil {
		q.Visibility = ""
	}
	if _, ok := waymark.ParseCheckResult(q.CheckResult); !ok {
		q.CheckResult = ""
	}
	for _, day := range []*string{&q.Since, &q.Before} {
		if *day == "" {
			continue // most pages
		}
		if _, err := time.Parse(time.DateOnly, *day); err != nil {
			*day = ""
		}
	}
	if _, ok := linkOrders[q.Order]; !ok {
		q.Order = ""
	}
	if !waymark.View(q.View).Valid() {
		q.View = ""
	}
	return q
}

// queryStates are the states that have a parameter of their own.
var queryStates = []string{"broken", "unfiled", "untagged", "archived", "favorite", "unread"}

// flagNames are the flags by their names in queries.
var flagNames = map[string]waymark.LinkFlag{"unread": waymark.FlagUnread, "archived": waymark.FlagArchived, "favorite": waymark.FlagFavorite}

// parseIDs returns the first ids in the values of a parameter, each once. The parameter may be
// repeated or contain commas.
func parseIDs(values []string, limit int) []int64 {
	var ids []int64
	seen := map[int64]bool{}
	for _, value := range strings.Split(strings.Join(values, ","), ",") {
		id, err := strconv.ParseInt(value, 10, 64)
		if err == nil && id > 0 && !seen[id] && len(ids) < limit {
			ids = append(ids, id)
			seen[id] = true
		}
	}
	return ids
}

// listField returns the id of a list in a field of a form, 0 if there is none.
func listField(r *page.Request, name string) waymark.ListID {
	id, _ := strconv.ParseInt(r.Field(name), 10, 64)
	return waymark.ListID(id)
}

// Encode returns the query string, with the parameters in the order of the names. Two
// queries with the same meaning have the same string.
func (q linksQuery) Encode() string { return strings.ReplaceAll(q.values().Encode(), "%2C", ",") }

// values returns the parameters of the URL.
func (q linksQuery) values() url.Values {
	values := url.Values{}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	set("query", q.Text)
	set("lists", joinIDs(q.Lists))
	set("direct", checkedValue(q.Direct))
	set("tags", joinIDs(q.Tags))
	set("visibility", q.Visibility)
	set("check", q.CheckResult)
	for _, name := range q.States {
		set(name, "1")
	}
	set("content", checkedValue(q.Content))
	set("since", q.Since)
	set("before", q.Before)
	set("by", q.By)
	set("order", q.Order)
	set("view", q.View)
	if q.Saved != 0 {
		values.Set("saved", strconv.FormatInt(q.Saved, 10))
	}
	return values
}

// checkedValue returns the value that a form has for a check box.
func checkedValue(checked bool) string {
	if checked {
		return "1"
	}
	return ""
}

func joinIDs(ids []int64) string {
	texts := waymark.Map(ids, func(id int64) string { return strconv.FormatInt(id, 10) })
	return strings.Join(texts, ",")
}

// path returns the path and the query of the page with these links.
func (q linksQuery) path() string { return page.JoinQuery("/links", q.Encode()) }

// Restricts reports whether the query has a condition.
func (q linksQuery) Restricts() bool {
	q.Order, q.View, q.Content, q.Saved = "", "", false, 0
	return q.Encode() != ""
}

// condition returns the condition of the text, and the parts that have no meaning.
func (q linksQuery) condition() (waymark.Condition, []query.Problem) {
	condition, problems := query.Parse(q.Text)
	if q.Content {
		condition = query.Also(condition, waymark.InSnapshot)
	}
	return condition, problems
}

// plainText returns the words of the text that are no filters.
func (q linksQuery) plainText() string {
	condition, _ := query.Parse(q.Text)
	var words waymark.And
	for _, part := range query.Parts(condition) {
		if query.IsWord(part) {
			words = append(words, part)
		}
	}
	return query.Print(query.NotAlso(words, waymark.InSnapshot|waymark.InNotes))
}

// marks returns the folded texts that a page marks in the links that a condition selects.
func marks(c waymark.Condition) (texts []string) {
	for _, text := range waymark.Wanted(c) {
		if text.In&waymark.InTexts != 0 {
			texts = append(texts, waymark.Fold(text.Text))
		}
	}
	return texts
}

// orders returns the names of the orders that the page offers.
func (q linksQuery) orders() []string {
	if condition, _ := q.condition(); len(marks(condition)) == 0 {
		return linkOrderNames[1:]
	}
	return linkOrderNames
}

func (q linksQuery) order() string {
	if offered := q.orders(); !slices.Contains(offered, q.Order) {
		return offered[0]
	}
	return q.Order
}
