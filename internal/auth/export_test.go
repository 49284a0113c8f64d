package auth

import "testing"

// WithoutTurns makes everybody wait for their turn until t ends.
func WithoutTurns(t *testing.T) {
	for range cap(turns) {
		turns <- struct{}{}
	}
	t.Cleanup(func() {
		for range cap(turns) {
			<-turns
		}
	})
}
