package auth

import (
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"waymark/internal/waymark"
)

// The codes of authenticator apps follow RFC 6238 with what all apps can do: SHA-1, six digits, and a new
// code each 30 seconds.
const (
	totpStep = 30 * time.Second
	// totpWindow is how many steps the clock of a phone may be ahead or behind.
	totpWindow = 1
	totpBytes  = 20 // of a secret, as long as a hash
)

// totpEncoding encodes secrets as authenticator apps read them.
var totpEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewTOTPSecret returns a random secret for an authenticator app.
func NewTOTPSecret() string { return totpEncoding.EncodeToString(randomBytes(totpBytes)) }

// TOTPURL returns the URL from which an authenticator app learns a secret, and whose codes it shows for
// this account. It returns an error if NewTOTPSecret did not return the secret.
func TOTPURL(secret, account string) (string, error) {
	decoded, err := totpEncoding.DecodeString(secret)
	if err != nil || len(decoded) != totpBytes {
		return "", fmt.Errorf("a malformed secret: %w", waymark.ErrNotFound)
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Waymark", AccountName: account, Secret: decoded})
	if err != nil {
		return "", err
	}
	return key.URL(), nil
}

// TOTPStep returns the step of a code at the time now, false if it fits no step that is near enough.
func TOTPStep(secret, code string, now waymark.Time) (step int64, ok bool) {
	code = strings.Join(strings.Fields(waymark.Fold(code)), "") // keyboards for Japanese write wide digits
	current := now.Time().Unix() / int64(totpStep.Seconds())
	for step = current - totpWindow; step <= current+totpWindow; step++ {
		if step >= 0 && hotp.Validate(code, uint64(step), secret) {
			return step, true
		}
	}
	return 0, false
}
