package linkindex

import (
	"cmp"
	"strings"

	"waymark/internal/waymark"
)

// textOf returns what gives the text or key by which a field sorts, or nil, and which text that is.
func textOf(by waymark.SortField) (text func(*link) string, which flags) {
	switch by {
	case waymark.SortByURL:
		return (*link).url, typedURL
	case waymark.SortByTitle:
		return (*link).titleKey, typedTitle
	case waymark.SortByDescription:
		return (*link).description, typedDescription
	}
	return nil, 0
}

// comparison returns the function that compares two links by the field of an order, and then by id.
func comparison(order waymark.Order) func(a, b *link) int {
	number := func(of func(*link) int64) func(a, b *link) int {
		return func(a, b *link) int { return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(a.id, b.id)) }
	}
	if text, which := textOf(order.By); text != nil {
		return func(a, b *link) int {
			c := strings.Compare(text(a), text(b))
			if a, b := a.typed(which), b.typed(which); c == 0 && a != b {
				c = cmp.Or(strings.Compare(waymark.Fold(a), waymark.Fold(b)), strings.Compare(a, b))
			}
			return cmp.Or(c, cmp.Compare(a.id, b.id))
		}
	}
	switch order.By {
	case waymark.SortByPrivate:
		return number(func(l *link) int64 { return int64(l.scope.Visibility()) / int64(waymark.Private) })
	case waymark.SortByVisibility:
		return number(func(l *link) int64 { return int64(l.scope.Visibility()) })
	case waymark.SortByStatus:
		return number(func(l *link) int64 { return int64(l.status) })
	case waymark.SortByCheckDisabled:
		return number(func(l *link) int64 { return int64(l.flags & checkDisabled) })
	case waymark.SortByCreatedAt:
		return number(func(l *link) int64 { return int64(l.created) })
	case waymark.SortByMinutes:
		return number(func(l *link) int64 { return int64(l.minutes - 1) }) // 0 becomes the largest
	case waymark.SortByUpdatedAt:
		return number(func(l *link) int64 { return int64(l.updated) })
	case waymark.SortByRandom:
		return number(func(l *link) int64 { return mixed(mixed(order.Seed) ^ l.id) })
	}
	return func(a, b *link) int { return cmp.Compare(a.id, b.id) }
}

// mixed returns a number whose bits all depend on those of another one: the last step of SplitMix64.
func mixed(n int64) int64 {
	z := uint64(n) + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int64(z ^ z>>31)
}
