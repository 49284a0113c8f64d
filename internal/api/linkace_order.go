package api

import (
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// sortFieldNames are the values of order_by.
var sortFieldNames = map[waymark.SortField]string{
	waymark.SortByID:            "id",
	waymark.SortByURL:           "url",
	waymark.SortByTitle:         "title",
	waymark.SortByName:          "name",
	waymark.SortByDescription:   "description",
	waymark.SortByPrivate:       "is_private",
	waymark.SortByVisibility:    "visibility",
	waymark.SortByStatus:        "status",
	waymark.SortByCheckDisabled: "check_disabled",
	waymark.SortByCreatedAt:     "created_at",
	waymark.SortByUpdatedAt:     "updated_at",
	waymark.SortByRandom:        "random",
}

// newestFirst is the default order of the listings of links, lists and tags.
var newestFirst = waymark.Order{By: waymark.SortByCreatedAt, Desc: true}

// order returns the order in order_by and order_dir, where order_by must be one of
// fields. An invalid part is replaced by that part of fallback.
func (p *params) order(fields []waymark.SortField, fallback waymark.Order) waymark.Order {
	order := fallback
	if by, ok := sortField(fields, p.text("order_by")); ok {
		order.By = by
	}
	switch {
	case p.is("order_dir", "asc"):
		order.Desc = false
	case p.is("order_dir", "desc"):
		order.Desc = true
	}
	if order.By == waymark.SortByRandom {
		return p.randomOrder()
	}
	return order
}

// randomOrder returns the order that the seed chooses. It has no reverse.
func (p *params) randomOrder() waymark.Order {
	seed, _ := p.int("seed")
	return waymark.Order{By: waymark.SortByRandom, Seed: int64(seed)}
}

func sortField(fields []waymark.SortField, name string) (waymark.SortField, bool) {
	name = strings.ToLower(name)
	i := slices.IndexFunc(fields, func(f waymark.SortField) bool { return sortFieldNames[f] == name })
	if i < 0 {
		return 0, false
	}
	return fields[i], true
}

// searchSortFields are the fields that a search can be sorted by.
var searchSortFields = []waymark.SortField{waymark.SortByTitle, waymark.SortByURL, waymark.SortByCreatedAt}

// searchOrder returns the order_by: field:direction, or random. Anything else is title:asc.
func (p *params) searchOrder() waymark.Order {
	if p.is("order_by", "random") {
		return p.randomOrder()
	}
	name, direction, _ := strings.Cut(strings.ToLower(p.text("order_by")), ":")
	by, ok := sortField(searchSortFields, name)
	if !ok || direction != "asc" && direction != "desc" {
		return waymark.Order{By: waymark.SortByTitle}
	}
	return waymark.Order{By: by, Desc: direction == "desc"}
}
