package linkindex

import (
	"time"

	"waymark/internal/waymark"
)

// Query selects links and a part of them.
type Query struct {
	Viewer waymark.UserID // who sees the links that are found
	As     waymark.UserID // whose names and own links the conditions mean
	Now    time.Time      // from which the periods of conditions are counted, in the time zone of their days

	// Where is the condition. Its texts and names are waymark.Plain, its lists and tags have ids that As sees, and its users ids. A
	// condition about what the index does not know, such as notes, is a waymark.Among.
	Where waymark.Condition

	Order      waymark.Order
	Pagination waymark.Pagination

	// Words are what waymark.SortByRelevance sorts by. They are no condition.
	Words []Word
}

// Result is the result of a Query.
type Result struct {
	Total int     // the number of links that satisfy the query
	IDs   []int64 // the ids that the pagination selects, in order
}
