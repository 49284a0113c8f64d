package waymark

// Map returns what f makes of each element, in their order. The result is not nil.
func Map[S, T any](all []S, f func(S) T) []T {
	made := make([]T, len(all))
	for i := range all {
		made[i] = f(all[i])
	}
	return made
}
