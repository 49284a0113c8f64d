package auth_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// Any implementation of argon2id verifies the hash with the parameters that are in it.
func TestHashIsArgon2idWithItsParameters(t *testing.T) {
	hash, err := auth.HashPassword(t.Context(), "ada", "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if other, err := auth.HashPassword(t.Context(), "ada", "correct horse"); err != nil || other == hash {
		t.Errorf("got %q and %q, %v, want two different hashes", hash, other, err)
	}
	encoded, ok := strings.CutPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$")
	if !ok {
		t.Fatalf("got hash %q, want argon2id with the default parameters", hash)
	}
	encodedSalt, encodedKey, _ := strings.Cut(encoded, "$")
	salt, saltErr := base64.RawStdEncoding.DecodeString(encodedSalt)
	key, keyErr := base64.RawStdEncoding.DecodeString(encodedKey)
	if saltErr != nil || keyErr != nil || len(salt) != 16 || len(key) != 32 {
		t.Fatalf("got hash %q, want a salt of 16 bytes and a key of 32", hash)
	}
	if !bytes.Equal(argon2.IDKey([]byte("correct horse"), salt, 2, 19456, 1, 32), key) {
		t.Errorf("the hash %q is not that of the password", hash)
	}
}

func TestStoredHashContainsItsParameters(t *testing.T) {
	// From the reference implementation: echo -n password | argon2 somesalt -id -t 4 -k 4096 -p 4 -l 24 -e
	const stored = "$argon2id$v=19$m=4096,t=4,p=4$c29tZXNhbHQ$FF25czqfTuQ+3zPFCb6WuTTVBaTvszxa"
	for password, want := range map[string]bool{"password": true, "password ": false, "Password": false, "": false, strings.Repeat("a", 1e6): false} {
		if ok, err := auth.CheckPassword(t.Context(), stored, password); ok != want || err != nil {
			t.Errorf("%.20q: got %t, %v, want %t", password, ok, err, want)
		}
	}
	if ok, err := auth.CheckPassword(t.Context(), "", ""); ok || err != nil {
		t.Errorf("a user without a password: got %t, %v, want false", ok, err)
	}
}

func TestMalformedHashIsAnError(t *testing.T) {
	const salt, hash = "c29tZXNhbHRzb21lc2FsdA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	for _, stored := range []string{
		"x",
		"$argon2i$v=19$m=64,t=1,p=1$" + salt + "$" + hash,
		"$argon2id$v=16$m=64,t=1,p=1$" + salt + "$" + hash,
		"$argon2id$v=19$m=4194304,t=1,p=1$" + salt + "$" + hash,
		"$argon2id$v=19$m=64,t=1000000,p=1$" + salt + "$" + hash,
		"$argon2id$v=19$m=64,t=0,p=1$" + salt + "$" + hash,
		"$argon2id$v=19$m=64,t=1,p=0$" + salt + "$" + hash,
		"$argon2id$v=19$m=64,t=1,p=256$" + salt + "$" + hash,
		"$argon2id$v=19$m=64,t=1,p=1,x=1$" + salt + "$" + hash,
		"$argon2id$v=19$m=64,t=1,p=1$" + salt + "$",
		"$argon2id$v=19$m=64,t=1,p=1$$" + hash,
		"$argon2id$v=19$m=64,t=1,p=1$" + salt + "$" + strings.Repeat("A", 4000),
		"$argon2id$v=19$m=64,t=1,p=1$*$" + hash,
	} {
		ok, err := auth.CheckPassword(t.Context(), stored, "correct horse")
		if ok || err == nil {
			t.Errorf("%.60q: got %t, %v, want an error", stored, ok, err)
		} else if strings.Contains(err.Error(), "argon") {
			t.Errorf("%.60q: the error %q shows the hash", stored, err)
		}
	}
}

func TestPasswordLengths(t *testing.T) {
	for _, test := range []struct{ name, password, want string }{
		{"empty", "", "too short"},
		{"seven characters of two bytes", "äöüäöüä", "too short"},
		{"eight characters", "äöüßéèàñ", ""},
		{"1000 bytes", strings.Repeat("sea of corn ", 83) + "corn", ""},
		{"1001 bytes", strings.Repeat("a", 1001), "too long"},
	} {
		err := auth.ValidatePassword("ada", test.password)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.want)
		}
	}
}

func TestPasswordsThatAreEasyToGuessAreRefused(t *testing.T) {
	for _, test := range []struct {
		name, password string
		want           waymark.Rule // 0 for a password that is accepted
	}{
		{"ada", "iloveyou", waymark.RuleNotCommon},
		{"ada", "bookmark", waymark.RuleNotCommon},
		{"ada", "localhost1", waymark.RuleNotCommon},
		{"ada", "Contraseña1", waymark.RuleNotCommon},
		{"ada", "ｐａｓｓｗｏｒｄ", waymark.RuleNotCommon},
		{"ada", "пароль123", waymark.RuleNotCommon},
		{"ada", "йцукенгш", waymark.RuleNotCommon},
		{"ada", "12341234", waymark.RuleNotCommon},
		{"ada", "\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", waymark.RuleNotCommon},
		{"ada", "ILoveYou", waymark.RuleNotCommon},
		{"ada", "Sunshine2026!", waymark.RuleNotCommon},
		{"ada", "87654321", waymark.RuleNotCommon},
		{"ada", "xyxyxyxyxyxyxyxyxyxyxyxy", waymark.RuleNotCommon},
		{"ada", "sunshine on the river", 0},
		{"Ölafson", "öLAFSON7", waymark.RuleNotName},
		{"Ölafson", "1850-ölafson", waymark.RuleNotName},
		{"Ölafson", "battery of Ölafson", 0},
		{"grace.hopper", "grace.hop", waymark.RuleNotName},
		{"ada", "Waymark77", waymark.RuleNotName},
	} {
		err := auth.ValidatePassword(test.name, test.password)
		var invalid *waymark.ValidationError
		switch {
		case test.want == 0 && err != nil:
			t.Errorf("%s, %s: got error %v, want none", test.name, test.password, err)
		case test.want != 0 && (!errors.As(err, &invalid) || invalid.Problems[0].Rule != test.want):
			t.Errorf("%s, %s: got error %v, want rule %d", test.name, test.password, err, test.want)
		}
	}
}

func TestWordsKeyboardRowsAndTheirVariationsAreCommon(t *testing.T) {
	for _, password := range []string{
		"passwort1", "Passwort12", "p4ssw0rt", "P@ssw0rt!", "geheim123", "1schatz!", "hallohallo", "HalloHallo1", "Sonnenschein", "sommer2026", "schalke04", "test1234", "Dragon1987",
		"qwertzuiop", "qwertz123", "QWERTZ1234", "yxcvbnm123", "asdfghjkl", "asdfjklö", "poiuztrewq", "asdf1234", "1qay2wsx", "qaywsxedc", "azertyuiop", "q1w2e3r4", "abcd1234", "mnbvcxz1", "1q2w3e4r!", "*1qaz2wsx*",
	} {
		if err := auth.ValidatePassword("ada", password); err == nil {
			t.Errorf("%s: got no error", password)
		}
	}
	for _, password := range []string{"sonne über dem meer", "qwerty uiop fährt", "typewriter of ann", "Zebrastreifen-9-Mond", "hallo du da drüben", "kvlxmqpd", "7h2kq9zd", "correct horse", "12.03.kornblume"} {
		if err := auth.ValidatePassword("ada", password); err != nil {
			t.Errorf("%s: got error %v, want none", password, err)
		}
	}
}

func TestHashingStopsWaitingWhenTheContextEnds(t *testing.T) {
	auth.AcquireAllPermits(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := auth.HashPassword(ctx, "ada", "correct horse"); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
}
