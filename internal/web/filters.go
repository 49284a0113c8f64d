package web

import (
	"cmp"
	"slices"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// filterChoice is a state that the page offers as a filter.
type filterChoice struct {
	Icon   string
	Text   string
	Path   string // of the page with the state, or without it if it is chosen
	Chosen bool
}

// stateIcons are the icons of states. Others have that of a filter.
var stateIcons = map[waymark.Is]string{
	waymark.IsMine: "user", waymark.IsPublic: "globe", waymark.IsInternal: "users", waymark.IsPrivate: "lock",
	waymark.IsBroken: "unlink", waymark.IsOK: "circle-check", waymark.IsDead: "search-x", waymark.IsMoved: "arrow-up-right",
	waymark.IsBlocked: "eye-off", waymark.IsUnsure: "circle-alert", waymark.IsUnread: "circle-dot", waymark.IsFavorite: "star",
	waymark.IsArchived: "archive", waymark.IsUnfiled: "inbox", waymark.IsUntagged: "hash",
}

// filtersOf returns the states that the page of a search offers, in groups. others says whether the server has other
// users.
func filtersOf(r *page.Request, s search, others bool) (groups [][]filterChoice) {
	for _, states := range waymark.StateGroups {
		var group []filterChoice
		for _, state := range states.States {
			if state == waymark.IsMine && !others {
				continue
			}
			before := s
			if states.One && !s.has(state) { // in place of another one
				before = s.with(waymark.And(slices.DeleteFunc(slices.Clone(s.parts()), func(c waymark.Condition) bool {
					is, ok := c.(waymark.Is)
					return ok && slices.Contains(states.States, is)
				})))
			}
			icon := cmp.Or(stateIcons[state], "list-filter")
			group = append(group, filterChoice{icon, stateText(r, state), before.toggled(state).path(), s.has(state)})
		}
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// stateText returns the text of a state: a sentence, or the query for it if the pages have none.
func stateText(r *page.Request, state waymark.Is) string {
	for _, file := range []string{"filter.", "visibility."} {
		key := file + string(state)
		if text := r.T(key); text != key {
			return text
		}
	}
	return query.Print(state)
}
