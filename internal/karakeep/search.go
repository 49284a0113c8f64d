package karakeep

import (
	"errors"
	"net/http"
	"regexp"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/query"
	"waymark/internal/waymark"
)

var newestFirst = waymark.Order{By: waymark.SortByID, Desc: true}

// search lists the user's own bookmarks that a query finds, the best matches first. What cannot be read in the
// query is searched for as text: this API has no error for it.
func (a *API) search(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := httpx.ParseQuery(r.URL.RawQuery)
	if !q.Has("q") {
		return badRequest("The parameter q is missing.")
	}
	where, _ := query.Parse(translate(q.Get("q")))
	return a.searchBookmarks(w, r, user, waymark.AndOf(waymark.IsMine, where), waymark.BestMatch)
}

// searchBookmarks lists the bookmarks that satisfy a condition, in the order that the request asks for.
func (a *API) searchBookmarks(w http.ResponseWriter, r *http.Request, user waymark.User, where waymark.Condition, order waymark.Order) error {
	pagination, err := paginationOf(r)
	if err != nil {
		return err
	}
	switch httpx.ParseQuery(r.URL.RawQuery).Get("sortOrder") {
	case "", "relevance":
	case "asc":
		order = waymark.Order{By: waymark.SortByID}
	case "desc":
		order = newestFirst
	default:
		return badRequest("The parameter sortOrder must be asc, desc or relevance.")
	}
	return a.streamBookmarks(w, r, user, pagination, a.Store.SearchLinks(user.ID, waymark.LinkFilter{Where: where}, order, pagination))
}

// spellings are conditions of Karakeep's queries that are spelled differently in Waymark's. All bookmarks are links.
var spellings = map[string]string{
	"is:fav": "is:favorite", "is:tagged": "-is:untagged", "is:inlist": "-is:unfiled", "is:link": "is:mine", "is:text": "-is:mine", "is:media": "-is:mine",
}

// token matches a quoted text with what stands before it, a parenthesis, or a word.
var token = regexp.MustCompile(`[^\s"()]*"[^"]*"|[()]|[^\s"()]+|"`)

// condition matches a token with a meaning other than its text.
var condition = regexp.MustCompile(`^(-?(#|[a-z]+:).*|[()])$`)

// translate returns a query of Karakeep in Waymark's language. There and, or are operators in small letters, which
// are words here unless they stand between two conditions or before a parenthesis.
func translate(text string) string {
	var b strings.Builder
	tokens, at := token.FindAllStringIndex(text, -1), 0
	tokenAt := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return text[tokens[i][0]:tokens[i][1]]
	}
	for i, place := range tokens {
		word := tokenAt(i)
		plain, negated := strings.CutPrefix(word, "-")
		if known, ok := spellings[plain]; ok {
			if word = known; negated {
				word = strings.TrimPrefix("-"+known, "--")
			}
		}
		next := tokenAt(i + 1)
		if (word == "and" || word == "or") && (next == "(" && i > 0 || condition.MatchString(tokenAt(i-1)) && condition.MatchString(next)) {
			word = strings.ToUpper(word)
		}
		b.WriteString(text[at:place[0]] + word)
		at = place[1]
	}
	return b.String() + text[at:]
}

// checkURL writes the id of the user's bookmark with a URL.
func (a *API) checkURL(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	url := httpx.ParseQuery(r.URL.RawQuery).Get("url")
	if url == "" {
		return badRequest("The parameter url is missing.")
	}
	var response struct {
		ID *string `json:"bookmarkId"`
	}
	known, err := a.Store.LinkByURL(r.Context(), user.ID, keptURL(url))
	switch {
	case errors.Is(err, waymark.ErrNotFound):
	case err != nil:
		return err
	case known.DeletedAt == 0:
		response.ID = new(idText(known.ID))
	}
	return httpx.WriteJSON(w, http.StatusOK, response)
}

// noHighlights writes the highlights of a bookmark: there are none.
func (a *API) noHighlights(w http.ResponseWriter, _ *http.Request, _ waymark.User, _ waymark.Link) error {
	return httpx.WriteJSON(w, http.StatusOK, struct {
		Highlights []struct{} `json:"highlights"`
		Next       *string    `json:"nextCursor"`
	}{Highlights: []struct{}{}})
}

// userJSON is the user of the API key. Waymark knows no e-mail address and no picture of a user.
type userJSON struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Email     *string `json:"email"`
	Image     *string `json:"image"`
	LocalUser bool    `json:"localUser"`
}

func (a *API) getUser(w http.ResponseWriter, _ *http.Request, user waymark.User) error {
	return httpx.WriteJSON(w, http.StatusOK, userJSON{ID: idText(user.ID), Name: user.Name, LocalUser: true})
}

// statsJSON are the numbers of what a user has.
type statsJSON struct {
	Bookmarks  int `json:"numBookmarks"`
	Favorites  int `json:"numFavorites"`
	Archived   int `json:"numArchived"`
	Tags       int `json:"numTags"`
	Lists      int `json:"numLists"`
	Highlights int `json:"numHighlights"`
}

func (a *API) getStats(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	counts, err := a.Store.CountLinks(r.Context(), user.ID, []waymark.LinkFilter{
		{Where: waymark.IsMine}, {Where: waymark.And{waymark.IsMine, waymark.IsFavorite}}, {Where: waymark.And{waymark.IsMine, waymark.IsArchived}},
	})
	if err != nil {
		return err
	}
	own, byName, one := waymark.LabelFilter{Owner: user.ID}, waymark.Order{By: waymark.SortByName}, waymark.Pagination{Limit: 1}
	tags, err := a.Store.SearchTags(r.Context(), user.ID, own, byName, one)
	if err != nil {
		return err
	}
	lists, err := a.Store.SearchLists(r.Context(), user.ID, own, byName, one)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, statsJSON{Bookmarks: counts[0], Favorites: counts[1], Archived: counts[2], Tags: tags.Total, Lists: lists.Total})
}
