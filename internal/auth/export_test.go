package auth

import "testing"

// AcquireAllSlots makes every computation of a hash wait until t ends.
func AcquireAllSlots(t *testing.T) {
	for range cap(hashSlots) {
		hashSlots <- struct{}{}
	}
	t.Cleanup(func() {
		for range cap(hashSlots) {
			<-hashSlots
		}
	})
}
