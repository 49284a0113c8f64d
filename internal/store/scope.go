package store

import (
	"waymark/internal/database"
	"waymark/internal/waymark"
)

// scope is a value of visible_to: who sees an entity. The scopes of a viewer are
// disjoint, so that a total is the sum of theirs.
type scope int64

// The scopes that are no user's own. Any other one is the id of the owner, who alone
// sees the entity.
const (
	publicScope   scope = 0  // everyone, guests included
	internalScope scope = -1 // every signed-in user
)

// scopesOf returns what a viewer sees.
func scopesOf(viewer waymark.UserID) []scope {
	if viewer == waymark.Guest {
		return []scope{publicScope}
	}
	return []scope{publicScope, internalScope, scope(viewer)}
}

// visibility is the visibility of all entities in the scope.
func (s scope) visibility() waymark.Visibility {
	switch s {
	case publicScope:
		return waymark.Public
	case internalScope:
		return waymark.Internal
	}
	return waymark.Private
}

// visibleTo returns the condition that the viewer sees the entity with that column
// visible_to.
func visibleTo(a *database.Args, column string, viewer waymark.UserID) string {
	if viewer == waymark.Guest {
		return column + " = 0"
	}
	return column + " IN (0, -1, " + a.Add(viewer) + ")"
}
