package auth_test

import (
	"testing"

	"waymark/internal/auth"
)

// The hash of "correct horse battery" as PHP writes it.
const phpHash = "$2y$04$s0DakKUh3ZaBL3XcqrodTOk5cQvJNrRcsAcQ28V.OJScX1jA9UGzi"

func TestBcryptHashOfPHPIsChecked(t *testing.T) {
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse": false, "": false} {
		got, err := auth.CheckPassword(t.Context(), phpHash, password)
		if err != nil || got != want {
			t.Errorf("%q: got %t, %v, want %t", password, got, err, want)
		}
	}
	if !auth.NeedsRehash(phpHash) {
		t.Error("the hash need not be replaced")
	}
	hash, err := auth.HashPassword(t.Context(), "ada", "correct horse battery")
	if err != nil || auth.NeedsRehash(hash) {
		t.Errorf("got %v, want a new hash that need not be replaced", err)
	}
}

func TestForeignHashesThatCannotBeCheckedAreRefused(t *testing.T) {
	for _, hash := range []string{"", "secret", "$argon2id$v=19$m=65536,t=4,p=1$c2FsdHNhbHQ$aGFzaA", "$2y$10$short", "$2y$15" + phpHash[6:]} {
		if auth.ValidateForeignHash(hash) == nil {
			t.Errorf("%q: got no error", hash)
		}
	}
	if _, err := auth.CheckPassword(t.Context(), "$2y$31"+phpHash[6:], "x"); err == nil {
		t.Error("a hash of the highest cost: got no error")
	}
}
