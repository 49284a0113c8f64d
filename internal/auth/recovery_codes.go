package auth

import (
	"encoding/base32"
	"strings"
)

// recoveryBytes is the length of a recovery code. It has 128 random bits, which nobody can guess, also not who has
// stolen the hashes, so its stored hash needs no salt and no work factor.
const recoveryBytes = 16

// recoveryEncoding has no letters that look like digits (Crockford's base32).
var recoveryEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRecoveryCode generates a recovery code, such as 7k4mq-2wdx9-hb3tf-e8n0r-5gy6ja, and its hash.
func NewRecoveryCode() (code string, hash []byte) {
	text := recoveryEncoding.EncodeToString(randomBytes(recoveryBytes))
	return strings.Join([]string{text[:5], text[5:10], text[10:15], text[15:20], text[20:]}, "-"), hashSecret(text)
}

// RecoveryCodeHash returns the hash under which a recovery code is stored, as a person has typed it.
func RecoveryCodeHash(code string) []byte {
	plain := strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1").Replace(strings.ToLower(code))
	return hashSecret(plain)
}
