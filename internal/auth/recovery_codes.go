package auth

import (
	"encoding/base32"
	"strings"
)

// recoveryBytes is the length of a recovery code. It has 80 random bits, which nobody can guess, so its
// stored hash needs no salt and no work factor.
const recoveryBytes = 10

// recoveryEncoding has no letters that look like digits (Crockford's base32).
var recoveryEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRecoveryCode generates a recovery code, such as 7k4m-q2wd-x9hb-3tfe, and its hash.
func NewRecoveryCode() (code string, hash []byte) {
	text := recoveryEncoding.EncodeToString(randomBytes(recoveryBytes))
	return strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:]}, "-"), hashSecret(text)
}

// RecoveryCodeHash returns the hash under which a recovery code is stored, as a person has typed it.
func RecoveryCodeHash(code string) []byte {
	plain := strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1").Replace(strings.ToLower(code))
	return hashSecret(plain)
}
