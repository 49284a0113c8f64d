package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// tokenBytes is the length of a token. It has 256 random bits, so its stored hash needs no salt and
// no work factor: SHA-256 is enough.
const tokenBytes = 32

// tokenEncoding encodes a token as letters, digits, - and _, which need no quotes in a
// shell and no escapes in a URL or a cookie.
var tokenEncoding = base64.RawURLEncoding.Strict()

// NewToken generates the secret of a session or a one-time token, and its hash.
func NewToken() (token string, hash []byte) {
	token = tokenEncoding.EncodeToString(randomBytes(tokenBytes))
	return token, hashSecret(token)
}

// TokenHash returns the hash under which a token is stored. It returns false for a malformed token,
// so that the store is not queried.
func TokenHash(token string) ([]byte, bool) {
	if !validToken(token) {
		return nil, false
	}
	return hashSecret(token), true
}

func validToken(token string) bool {
	if len(token) != tokenEncoding.EncodedLen(tokenBytes) {
		return false
	}
	var random [tokenBytes]byte
	n, err := tokenEncoding.Decode(random[:], []byte(token))
	return err == nil && n == tokenBytes
}

// randomBytes returns n random bytes.
func randomBytes(n int) []byte {
	random := make([]byte, n)
	rand.Read(random) // never fails: it crashes the program instead
	return random
}

// sign signs data for a purpose with the hash of a password, so that the signature becomes invalid when the password
// changes.
func sign(purpose string, data []byte, passwordHash string) []byte {
	mac := hmac.New(sha256.New, []byte(passwordHash))
	mac.Write([]byte("waymark " + purpose + " "))
	mac.Write(data)
	return mac.Sum(nil)
}

func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
