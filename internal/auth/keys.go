package auth

import "strings"

// keyPrefix is the prefix of API keys, by which people and secret scanners recognize one.
const keyPrefix = "wm_"

// NewKey generates an API key. Its owner sees the secret once; only the hash is stored.
func NewKey() (secret string, hash []byte) {
	token, _ := NewToken()
	secret = keyPrefix + token
	return secret, hashSecret(secret)
}

// KeyHash returns the hash under which a key is stored. It returns false for a malformed key, so
// that the store is not queried.
func KeyHash(secret string) ([]byte, bool) {
	token, ok := strings.CutPrefix(secret, keyPrefix)
	if !ok || !validToken(token) {
		return nil, false
	}
	return hashSecret(secret), true
}
