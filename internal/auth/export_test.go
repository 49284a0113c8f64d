package auth

import "testing"

// WithoutTurns makes everybody wait for their turn until t ends.
func WithoutTurns(t *testing.T) {
	for range cap(hashSlots) {
		hashSlots <- struct{}{}
	}
	t.Cleanup(func() {
		for range cap(hashSlots) {
			<-hashSlots
		}
	})
}
