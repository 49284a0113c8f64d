package web

import (
	"slices"

	"waymark/internal/waymark"
)

// filterChoice is a condition that the page offers.
type filterChoice struct {
	Name   string // of the parameter or of its value
	Icon   string
	Text   string // the key of its sentence
	Path   string // of the page with the condition, or without it if it is set
	Chosen bool
}

// filterChoices are the conditions that the page offers, in groups. The first group is for servers
// with several users.
var filterChoices = [][]filterChoice{
	{{Name: "mine", Icon: "user", Text: "filter.mine"}},
	{
		{Name: "public", Icon: "globe", Text: "visibility.public"}, {Name: "internal", Icon: "users", Text: "visibility.internal"},
		{Name: "private", Icon: "lock", Text: "visibility.private"},
	},
	{
		{Name: "broken", Icon: "unlink", Text: "filter.broken"}, {Name: "dead", Icon: "search-x", Text: "filter.dead"},
		{Name: "moved", Icon: "arrow-up-right", Text: "filter.moved"}, {Name: "blocked", Icon: "eye-off", Text: "filter.blocked"},
		{Name: "unsure", Icon: "circle-alert", Text: "filter.unsure"},
	},
	{
		{Name: "unread", Icon: "circle-dot", Text: "filter.unread"}, {Name: "favorite", Icon: "star", Text: "filter.favorite"},
		{Name: "archived", Icon: "archive", Text: "filter.archived"},
	},
	{{Name: "unfiled", Icon: "inbox", Text: "filter.unfiled"}, {Name: "untagged", Icon: "hash", Text: "filter.untagged"}},
}

// filtersOf returns the conditions that the page of a query offers, to the user with this name.
// others says whether the server has other users.
func filtersOf(q linksQuery, user string, others bool) [][]filterChoice {
	groups := filterChoices
	if !others {
		groups = groups[1:]
	}
	all := make([][]filterChoice, len(groups))
	for i, group := range groups {
		for _, choice := range group {
			choice.Path, choice.Chosen = q.toggled(choice.Name, user).path(), q.has(choice.Name, user)
			all[i] = append(all[i], choice)
		}
	}
	return all
}

// toggled returns the query with one more condition, or without it if it is set. user is the name of
// the user.
func (q linksQuery) toggled(name, user string) linksQuery {
	on, value := !q.has(name, user), ""
	if on {
		value = name
	}
	switch name {
	case "dead", "moved", "blocked", "unsure":
		q.CheckResult = value
	case "public", "internal", "private":
		q.Visibility = value
	case "content":
		q.Content = on
	case "mine":
		if q.By = ""; on {
			q.By = user
		}
	default:
		return q.withState(name, on)
	}
	return q
}

// has reports whether the query has a condition.
func (q linksQuery) has(name, user string) bool {
	switch name {
	case "content":
		return q.Content
	case "mine":
		return waymark.Fold(q.By) == waymark.Fold(user)
	}
	return q.CheckResult == name || q.Visibility == name || slices.Contains(q.States, name)
}

// showsAll reports whether the query selects all links, or all of the user with this name.
func (q linksQuery) showsAll(user string) bool {
	if q.has("mine", user) {
		q.By = ""
	}
	return !q.Restricts()
}

// withState returns the query with a state that the links must have, or without it.
func (q linksQuery) withState(name string, on bool) linksQuery {
	before := q.States
	q.States = slices.DeleteFunc(slices.Clone(queryStates), func(other string) bool {
		if other == name {
			return !on
		}
		return !slices.Contains(before, other)
	})
	return q
}
