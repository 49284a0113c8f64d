package waymark

import "strings"

// All is the Page.Size that means everything on one page.
const All = 0

// Page is a part of an ordered collection: the Number-th, from 1, of parts of
// Size entries.
type Page struct {
	Number int
	Size   int
}

// Offset returns how many entries stand before the page. It stays at the largest
// number where the true one would be larger.
func (p Page) Offset() int {
	if p.Number <= 1 {
		return 0
	}
	const most = int(^uint(0) >> 1)
	if p.Size == All || p.Number-1 > most/p.Size {
		return most
	}
	return (p.Number - 1) * p.Size
}

// Last returns the number of the last page of total entries, at least 1.
func (p Page) Last(total int) int {
	if p.Size == All || total == 0 {
		return 1
	}
	return (total-1)/p.Size + 1
}

// Order is by what a collection is ordered, and which way. Entries that are equal
// in it follow by id, the same way.
type Order struct {
	By   string
	Desc bool
}

// The orders that each collection has, by the names that clients use.
var (
	LinkOrders = []string{"id", "url", "title", "description", "is_private", "visibility", "status", "check_disabled", "created_at", "updated_at"}
	ListOrders = []string{"id", "name", "description", "is_private", "visibility", "created_at", "updated_at"}
	TagOrders  = []string{"id", "name", "is_private", "visibility", "created_at", "updated_at"}
)

// ParseOrder understands a client's order_by and order_dir. What is not known
// falls back to its part of fallback.
func ParseOrder(by, dir string, known []string, fallback Order) Order {
	order := fallback
	for _, name := range known {
		if name == by {
			order.By = by
		}
	}
	switch strings.ToLower(dir) {
	case "asc":
		order.Desc = false
	case "desc":
		order.Desc = true
	}
	return order
}

// LinkFilter says which links are looked for among those that the viewer may see.
// Its parts combine with AND.
type LinkFilter struct {
	Text              string // a literal part of the address, whatever the case
	SearchTitle       bool   // Text may also be in the title
	SearchDescription bool   // Text may also be in the description

	Visibility   Visibility // zero for any
	PrivateOnly  bool
	BrokenOnly   bool // status is not 1
	WithoutLists bool // wins over Lists
	WithoutTags  bool // wins over Tags

	Lists        []Ref // in any of these, or in every one with AllLists
	Tags         []Ref
	AllLists     bool
	AllTags      bool
	ExcludeLists []Ref // in none of these
	ExcludeTags  []Ref
}
