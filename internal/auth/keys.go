package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// KeyPrefix begins every API key, so that people and secret scanners know one
// when they see it.
const KeyPrefix = "wm_"

// keyBytes is the length of a key's random part: 256 bits, which nobody guesses,
// so that a plain hash is enough to keep it.
const keyBytes = 32

// keyText writes the random part in letters, digits, - and _, which need no
// quotes in a shell and no escapes in a URL.
var keyText = base64.RawURLEncoding.Strict()

// NewKey makes an API key. The secret is for its owner alone, to be shown once;
// the hash is what to remember.
func NewKey() (secret string, hash []byte) {
	random := make([]byte, keyBytes)
	rand.Read(random) // never fails: it ends the program instead
	secret = KeyPrefix + keyText.EncodeToString(random)
	return secret, hashKey(secret)
}

// KeyHash returns the hash under which a key is remembered. It returns false for
// what cannot be a key, whatever the store holds.
func KeyHash(secret string) ([]byte, bool) {
	text, ok := strings.CutPrefix(secret, KeyPrefix)
	if !ok || len(text) != keyText.EncodedLen(keyBytes) {
		return nil, false
	}
	var random [keyBytes]byte
	if n, err := keyText.Decode(random[:], []byte(text)); err != nil || n != keyBytes {
		return nil, false
	}
	return hashKey(secret), true
}

func hashKey(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
