package waymark

import (
	"net/url"
	"strconv"
	"strings"
)

// SavedSearch is a search that a user has given a name. Only its owner sees it.
type SavedSearch struct {
	ID        SavedSearchID
	Owner     UserID
	Name      string
	Query     string // of the URL of the page with the result, without the question mark
	CreatedAt Time
}

// MaxSavedSearches is the maximum number of saved searches of a user. Every page shows all of
// them.
const MaxSavedSearches = 100

// MaxSavedQuery is the maximum length of SavedSearch.Query, in bytes.
const MaxSavedQuery = 4000

// SavedSearchInput is a user's input for a new or an existing saved search. In an existing one
// nil fields are kept.
type SavedSearchInput struct {
	Name      *string
	Query     *string
	DecodeErr error // see LinkInput
}

// Apply sets the fields of search from in. It returns a ValidationError if the input breaks a
// rule; the search must then be discarded.
func (in SavedSearchInput) Apply(search *SavedSearch) error {
	problems := newValidationError(in.DecodeErr)
	if in.Name != nil {
		search.Name = trimName(*in.Name)
	}
	problems.validateName(search.Name)
	if in.Query != nil {
		search.Query = *in.Query
	}
	if problems.validateRequired(FieldQuery, search.Query) {
		problems.validateBytes(FieldQuery, search.Query, MaxSavedQuery)
	}
	return problems.Err()
}

// MapSavedQuery returns the query of a saved search with other ids of lists and tags, and another
// name of the user whose links they are. The rest stays as it is, also what the pages do not
// understand.
func MapSavedQuery(query string, list, tag func(id int64) int64, by func(name string) string) string {
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		name, value, ok := strings.Cut(parameter, "=")
		switch {
		case !ok:
		case name == "lists":
			parameters[i] = name + "=" + mapIDs(value, list)
		case name == "tags":
			parameters[i] = name + "=" + mapIDs(value, tag)
		case name == "by":
			decoded, err := url.QueryUnescape(value)
			if mapped := by(decoded); err == nil && mapped != decoded {
				parameters[i] = name + "=" + url.QueryEscape(mapped)
			}
		}
	}
	return strings.Join(parameters, "&")
}

// mapIDs maps the ids in the value of a parameter, which commas separate.
func mapIDs(value string, mapped func(id int64) int64) string {
	ids := strings.Split(strings.NewReplacer("%2C", ",", "%2c", ",").Replace(value), ",")
	for i, text := range ids {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil && id > 0 {
			ids[i] = strconv.FormatInt(mapped(id), 10)
		}
	}
	return strings.Join(ids, ",")
}
