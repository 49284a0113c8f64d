package web

import (
	"slices"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

func linkOwner(l waymark.Link) waymark.UserID { return l.Owner }

func listOwner(l waymark.List) waymark.UserID { return l.Owner }

func tagOwner(t waymark.Tag) waymark.UserID { return t.Owner }

// userNames returns the names of users. A user can be in ids several times. It changes ids.
func userNames(r *page.Request, ids []waymark.UserID) (map[waymark.UserID]string, error) {
	slices.Sort(ids)
	return r.Store.Accounts.UserNames(r.Context(), slices.Compact(ids))
}

// otherOwners is userNames without the user of the request.
func otherOwners(r *page.Request, ids []waymark.UserID) (map[waymark.UserID]string, error) {
	return userNames(r, slices.DeleteFunc(ids, func(id waymark.UserID) bool { return id == r.User.ID }))
}
