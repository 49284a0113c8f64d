package auth

import "strings"

// KeyPrefix is the prefix of every API key, by which people and secret scanners
// recognize one.
const KeyPrefix = "wm_"

// NewKey generates an API key. The secret is shown to its owner once; only the hash is
// stored.
func NewKey() (secret string, hash []byte) {
	token, _ := NewToken()
	secret = KeyPrefix + token
	return secret, hashSecret(secret)
}

// KeyHash returns the hash under which a key is stored. It returns false for a malformed key, so
// that the store is not queried.
func KeyHash(secret string) ([]byte, bool) {
	token, ok := strings.CutPrefix(secret, KeyPrefix)
	if !ok || !validToken(token) {
		return nil, false
	}
	return hashSecret(secret), true
}
