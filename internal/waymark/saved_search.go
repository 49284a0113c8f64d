package waymark

import "slices"

// SavedSearch is a search that a user has given a name. Only its owner sees it, but guests see the public
// links that a public one finds.
type SavedSearch struct {
	ID        SavedSearchID
	Owner     UserID
	Name      string
	Query     string // in the query language
	Order     string // of SearchOrders, "" for the default
	InLists   bool   // it stands among the lists: a smart list
	Public    bool   // it has a page for guests
	CreatedAt Time
}

// SearchOrders are the names of the orders of a search.
var SearchOrders = []string{"best", "newest", "oldest", "title", "edited", "shortest"}

// MaxSavedSearches is the maximum number of saved searches of a user. Every page shows all of
// them.
const MaxSavedSearches = 100

// MaxSavedQuery is the maximum length of SavedSearch.Query, in bytes.
const MaxSavedQuery = 4000

// SavedSearchInput is a user's input for a new or an existing saved search. In an existing one
// nil fields are kept.
type SavedSearchInput struct {
	Name    *string
	Query   *string
	Order   *string // an unknown one is the default
	InLists *bool
	Public  *bool
}

// Apply sets the fields of search from in. It returns a ValidationError if the input breaks a
// rule; the search must then be discarded.
func (in SavedSearchInput) Apply(search *SavedSearch) error {
	problems := &ValidationError{}
	if in.Name != nil {
		search.Name = trimName(*in.Name)
	}
	problems.validateName(search.Name)
	if in.InLists != nil {
		search.InLists = *in.InLists
	}
	if in.Public != nil {
		search.Public = *in.Public
	}
	if in.Order != nil {
		search.Order = ""
		if slices.Contains(SearchOrders, *in.Order) {
			search.Order = *in.Order
		}
	}
	if in.Query != nil {
		search.Query = *in.Query
	}
	if problems.validateRequired(FieldQuery, search.Query) {
		problems.validateBytes(FieldQuery, search.Query, MaxSavedQuery)
	}
	return problems.Err()
}
