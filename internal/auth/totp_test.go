package auth

import (
	"encoding/base32"
	"net/url"
	"strings"
	"testing"
	"time"

	"waymark/internal/waymark"
)

// The secret and the codes of RFC 6238, appendix B, with their last six digits.
func TestTOTPStepFollowsTheRFC(t *testing.T) {
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	at := func(seconds int64) waymark.Time { return waymark.FromTime(time.Unix(seconds, 0)) }
	for _, test := range []struct {
		code string
		now  int64
		step int64
		ok   bool
	}{
		{"287082", 59, 1, true},
		{"287 082", 59, 1, true},
		{"２８７０８２", 59, 1, true},
		{"287082", 59 + 30, 1, true},  // the clock of the phone is behind
		{"287082", 59 - 30, 1, true},  // ahead
		{"287082", 59 + 60, 0, false}, // too old
		{"081804", 1111111109, 1111111109 / 30, true},
		{"353130", 20000000000, 20000000000 / 30, true},
		{"353131", 20000000000, 0, false},
		{"", 59, 0, false},
		{"94287082", 59, 0, false}, // with eight digits
		{"٢٨٧٠٨٢", 59, 0, false},
	} {
		if step, ok := TOTPStep(secret, test.code, at(test.now)); step != test.step || ok != test.ok {
			t.Errorf("%q at %d: got %d, %v, want %d, %v", test.code, test.now, step, ok, test.step, test.ok)
		}
	}
}

func TestTOTPURLHasTheSecret(t *testing.T) {
	secret := NewTOTPSecret()
	address, err := TOTPURL(secret, "ada@links.example.org")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Waymark:ada@links.example.org" || u.Query().Get("secret") != secret || u.Query().Get("issuer") != "Waymark" {
		t.Errorf("got %s, %v", address, err)
	}
	for _, malformed := range []string{"", "AAAA", strings.ToLower(secret), secret + "AAAAAAAA", "1" + secret[1:]} {
		if address, err := TOTPURL(malformed, "ada"); err == nil {
			t.Errorf("%q: got %s, want an error", malformed, address)
		}
	}
}

func TestRecoveryCodesAreReadAsPeopleTypeThem(t *testing.T) {
	code, hash := NewRecoveryCode()
	if len(code) != 30 { // 26 characters of five bits, and four hyphens
		t.Errorf("got %q, want four groups of four", code)
	}
	for _, typed := range []string{code, strings.ToUpper(code), strings.ReplaceAll(code, "-", ""), " " + strings.ReplaceAll(code, "-", " "), strings.NewReplacer("0", "o", "1", "l").Replace(code), strings.ReplaceAll(code, "-", "–\u00a0")} {
		if got := RecoveryCodeHash(typed); string(got) != string(hash) {
			t.Errorf("%q is not read as %q", typed, code)
		}
	}
	if other, _ := NewRecoveryCode(); other == code || string(RecoveryCodeHash(other)) == string(hash) {
		t.Errorf("two codes are %q", other)
	}
}

func TestSecondStepIsSignedWithThePassword(t *testing.T) {
	want := SecondStep{User: 7, Keep: true, ExpiresAt: 9}
	token := want.Sign("hash")
	step, ok := ReadSecondStep(token)
	if !ok || step != want || !step.Signed(token, "hash") {
		t.Errorf("got %+v, %v, want %+v, signed", step, ok, want)
	}
	if step.Signed(token, "another hash") || (SecondStep{User: 7}).Signed(SecondStep{User: 7}.Sign(""), "") {
		t.Error("a token is valid with another password, or without one")
	}
	for i := range token {
		forged := token[:i] + "A" + token[i+1:]
		if step, ok := ReadSecondStep(forged); forged != token && ok && step.Signed(forged, "hash") {
			t.Errorf("%s is valid", forged)
		}
	}
	for _, malformed := range []string{"", token[1:], token + "A", NewDevice("hash")} {
		if step, ok := ReadSecondStep(malformed); ok && step.Signed(malformed, "hash") {
			t.Errorf("%q is valid", malformed)
		}
	}
}
