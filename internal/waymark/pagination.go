package waymark

// NoLimit is the Pagination.Limit that means everything from the offset on.
const NoLimit = 0

// Pagination selects a part of an ordered listing: at most Limit entities, after
// skipping Offset of them. The zero value selects everything.
type Pagination struct {
	Offset int
	Limit  int
}

// SortField is a field that a listing can be sorted by. Each kind of entity has some
// of them.
type SortField int

// The fields to sort by. SortByID is the default. Text is sorted without regard to
// case; equal values are sorted by id.
const (
	SortByID SortField = iota
	SortByURL
	SortByTitle
	SortByName
	SortByDescription
	SortByPrivate // everything that others can see comes before what is private
	SortByVisibility
	SortByStatus
	SortByCheckDisabled
	SortByCreatedAt
	SortByUpdatedAt
	SortByLinks     // the number of links of a list or tag that the viewer sees
	SortByRelevance // see BestMatch
	SortByRandom    // see Order.Seed
	SortByMinutes   // those without a text come last
)

// The fields that links, lists and tags can be sorted by.
var (
	LinkSortFields = []SortField{
		SortByID, SortByURL, SortByTitle, SortByDescription, SortByPrivate, SortByVisibility, SortByStatus, SortByCheckDisabled, SortByCreatedAt, SortByUpdatedAt,
		SortByRandom,
	}
	ListSortFields = []SortField{SortByID, SortByName, SortByDescription, SortByPrivate, SortByVisibility, SortByCreatedAt, SortByUpdatedAt}
	TagSortFields  = []SortField{SortByID, SortByName, SortByPrivate, SortByVisibility, SortByCreatedAt, SortByUpdatedAt}
)

// String returns the name of the field in lower case, for test names and debugging.
func (f SortField) String() string {
	return [...]string{"id", "url", "title", "name", "description", "private", "visibility", "status", "check disabled", "created at", "updated at", "links", "relevance", "random", "minutes"}[f]
}

// Order is the sort order of a listing. Equal entities are sorted by id, in the same
// direction.
type Order struct {
	By   SortField
	Desc bool
	// Seed chooses one of the orders SortByRandom. In which order two links come depends on it and their ids alone,
	// so that pages neither repeat nor miss a link while others come and go.
	Seed int64
}

// BestMatch is the order of a search for words by how well the links match them. Links that match
// equally well, and those of a search without words, are sorted from the newest to the oldest.
// There is no reverse of this order.
var BestMatch = Order{By: SortByRelevance, Desc: true}
