package linkindex

import (
	"cmp"
	"encoding/binary"
	"strings"

	"waymark/internal/waymark"
)

// ordering is an order of links: by a key, then those with the same key by rest, and then by id.
type ordering struct {
	key  func(*link) int64    // of a text, its first eight bytes
	text func(*link) string   // the text that is sorted by, or nil
	rest func(a, b *link) int // or nil
	desc bool
}

// keyed is the position of a link, and its key in an order.
type keyed struct {
	key int64
	at  int32
}

// compare compares two links in ascending order.
func (x *Links) compare(o *ordering, a, b keyed) int {
	c := cmp.Compare(a.key, b.key)
	if c == 0 && o.rest != nil {
		c = o.rest(&x.links[a.at], &x.links[b.at])
	}
	return cmp.Or(c, cmp.Compare(a.at, b.at))
}

// keyOfText returns eight bytes of a text from byte start on as a number that is sorted as they are.
func keyOfText(text string, start int) int64 {
	var bytes [8]byte
	if start < len(text) {
		copy(bytes[:], text[start:])
	}
	return int64(binary.BigEndian.Uint64(bytes[:]) ^ 1<<63)
}

// ordering returns the order of a query.
func (x *Links) ordering(q Query) ordering {
	o := ordering{desc: q.Order.Desc}
	byText := func(text func(*link) string, which flags) {
		o.text = text
		o.key = func(l *link) int64 { return keyOfText(text(l), 0) }
		o.rest = func(a, b *link) int {
			c := strings.Compare(text(a), text(b))
			if a, b := a.typed(which), b.typed(which); c == 0 && a != b {
				c = cmp.Or(strings.Compare(waymark.Fold(a), waymark.Fold(b)), strings.Compare(a, b))
			}
			return c
		}
	}
	switch q.Order.By {
	case waymark.SortByID:
		o.key = func(l *link) int64 { return l.id }
	case waymark.SortByURL:
		byText((*link).url, typedURL)
	case waymark.SortByTitle:
		byText((*link).titleKey, typedTitle)
	case waymark.SortByDescription:
		byText((*link).description, typedDescription)
	case waymark.SortByPrivate:
		o.key = func(l *link) int64 { return int64(l.visibility) / int64(waymark.Private) }
	case waymark.SortByVisibility:
		o.key = func(l *link) int64 { return int64(l.visibility) }
	case waymark.SortByStatus:
		o.key = func(l *link) int64 { return int64(l.status) }
	case waymark.SortByCheckDisabled:
		o.key = func(l *link) int64 { return int64(l.flags & checkDisabled) }
	case waymark.SortByCreatedAt:
		o.key = func(l *link) int64 { return int64(l.created) }
	case waymark.SortByMinutes:
		o.key = func(l *link) int64 { return int64(l.minutes - 1) } // 0 becomes the largest
	case waymark.SortByUpdatedAt:
		o.key = func(l *link) int64 { return int64(l.updated) }
	case waymark.SortByRandom:
		seed := mixed(q.Order.Seed)
		o.key = func(l *link) int64 { return mixed(seed ^ l.id) }
	case waymark.SortByRelevance:
		ranking := x.ranking(q.Words)
		o.key = func(l *link) int64 { return int64(ranking.score(l)) }
		o.rest = func(a, b *link) int { return cmp.Compare(a.created, b.created) }
	}
	return o
}

// mixed returns a number whose bits all depend on those of another one: the last step of SplitMix64. Different numbers
// become different ones.
func mixed(n int64) int64 {
	z := uint64(n) + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int64(z ^ z>>31)
}
