package query

import (
	"maps"
	"slices"
)

// Fields returns the names of all fields, sorted.
func Fields() []string { return slices.Sorted(maps.Keys(fields)) }
