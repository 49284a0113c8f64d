package auth

import (
	"crypto/hmac"
	"crypto/sha256"
)

// deviceBytes is the length of the random part of a device's token.
const deviceBytes = 16

// NewDevice returns a token for a browser in which a user has signed in. The token is not stored.
// It is signed with the hash of the user's password, so it becomes invalid when the password
// changes.
func NewDevice(passwordHash string) (token string) {
	random := randomBytes(deviceBytes)
	return tokenEncoding.EncodeToString(append(random, sign("device", random, passwordHash)...))
}

// CheckDevice reports whether NewDevice created token with this password hash.
func CheckDevice(token, passwordHash string) bool {
	if len(token) != tokenEncoding.EncodedLen(deviceBytes+sha256.Size) || passwordHash == "" {
		return false
	}
	decoded, err := tokenEncoding.DecodeString(token)
	return err == nil && hmac.Equal(decoded[deviceBytes:], sign("device", decoded[:deviceBytes], passwordHash))
}
