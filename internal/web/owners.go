package web

import (
	"slices"

	"waymark/internal/waymark"
)

// ownersOf returns the owner of each entity.
func ownersOf[T any](entities []T, owner func(T) waymark.UserID) []waymark.UserID {
	owners := make([]waymark.UserID, len(entities))
	for i, entity := range entities {
		owners[i] = owner(entity)
	}
	return owners
}

func linkOwner(l waymark.Link) waymark.UserID { return l.Owner }

func listOwner(l waymark.List) waymark.UserID { return l.Owner }

func tagOwner(t waymark.Tag) waymark.UserID { return t.Owner }

// userNames returns the names of users, each of whom can be in ids several times. It changes ids.
func userNames(v *visit, ids []waymark.UserID) (map[waymark.UserID]string, error) {
	slices.Sort(ids)
	return v.Store.UserNames(v.ctx(), slices.Compact(ids))
}

// otherOwners is userNames without the user of the request.
func otherOwners(v *visit, ids []waymark.UserID) (map[waymark.UserID]string, error) {
	return userNames(v, slices.DeleteFunc(ids, func(id waymark.UserID) bool { return id == v.user.ID }))
}
