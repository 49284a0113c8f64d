package auth

import "testing"

// AcquireAllPermits makes every computation of a hash wait until t ends.
func AcquireAllPermits(t *testing.T) {
	for range cap(hashPermits) {
		hashPermits <- struct{}{}
	}
	t.Cleanup(func() {
		for range cap(hashPermits) {
			<-hashPermits
		}
	})
}
