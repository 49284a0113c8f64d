package query

import (
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// Scope is a value of visible_to: who sees an entity. The scopes of a viewer are
// disjoint, so the total of a listing is the sum of the totals of its scopes.
type Scope int64

// The scopes that several users see. Any other is the id of the one user who sees it.
const (
	Public   Scope = 0  // everyone, guests included
	Internal Scope = -1 // every signed-in user
)

// ScopesOf returns the scopes that a viewer sees.
func ScopesOf(viewer waymark.UserID) []Scope {
	if viewer == waymark.Guest {
		return []Scope{Public}
	}
	return []Scope{Public, Internal, Scope(viewer)}
}

// Visibility is the visibility of all entities in the scope.
func (s Scope) Visibility() waymark.Visibility {
	switch s {
	case Public:
		return waymark.Public
	case Internal:
		return waymark.Internal
	}
	return waymark.Private
}

// inScopes returns the condition that a column, visible_to, is one of the scopes.
func inScopes(a *database.Args, column string, scopes []Scope) string {
	if len(scopes) == 1 {
		return column + " = " + a.Add(scopes[0])
	}
	parameters := waymark.Map(scopes, func(s Scope) string { return a.Add(s) })
	return column + " IN (" + strings.Join(parameters, ", ") + ")"
}

// VisibleTo returns the condition that a viewer sees an entity with the column visible_to.
func VisibleTo(a *database.Args, column string, viewer waymark.UserID) string {
	if viewer == waymark.Guest {
		return column + " = 0"
	}
	return VisibleToUser(column, a.Add(viewer))
}

// VisibleToUser is VisibleTo for a user whose id is an expression.
func VisibleToUser(column, user string) string { return column + " IN (0, -1, " + user + ")" }
