package auth_test

import (
	"strings"
	"testing"

	"waymark/internal/auth"
)

func TestDeviceBelongsToOnePassword(t *testing.T) {
	token := auth.NewDevice("hash")
	if token == auth.NewDevice("hash") {
		t.Error("got the same token twice")
	}
	for name, test := range map[string]struct {
		token, hash string
		want        bool
	}{
		"its password":     {token, "hash", true},
		"another password": {token, "hash2", false},
		"no password":      {auth.NewDevice(""), "", false},
		"empty":            {"", "hash", false},
		"another token":    {strings.Repeat("A", len(token)), "hash", false},
		"not base64":       {strings.Repeat("*", len(token)), "hash", false},
		"longer":           {token + "AAAA", "hash", false},
	} {
		if got := auth.CheckDevice(test.token, test.hash); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}
