package karakeep

import (
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

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
