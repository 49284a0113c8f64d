package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// KeyPrefix is the prefix of every API key, by which people and secret scanners
// recognize one.
const KeyPrefix = "wm_"

// keyBytes is the length of the random part of a key. It has 256 bits, so SHA-256
// without salt or work factor is enough to store it.
const keyBytes = 32

// keyEncoding encodes the random part as letters, digits, - and _, which need no
// quotes in a shell and no escapes in a URL.
var keyEncoding = base64.RawURLEncoding.Strict()

// NewKey generates an API key. The secret is shown to its owner once; only the hash is
// stored.
func NewKey() (secret string, hash []byte) {
	random := make([]byte, keyBytes)
	rand.Read(random) // never fails: it crashes the program instead
	secret = KeyPrefix + keyEncoding.EncodeToString(random)
	return secret, hashKey(secret)
}

// KeyHash returns the hash under which a key is stored. It returns false for a
// malformed key, so that the store is not asked for it.
func KeyHash(secret string) ([]byte, bool) {
	text, ok := strings.CutPrefix(secret, KeyPrefix)
	if !ok || len(text) != keyEncoding.EncodedLen(keyBytes) {
		return nil, false
	}
	var random [keyBytes]byte
	if n, err := keyEncoding.Decode(random[:], []byte(text)); err != nil || n != keyBytes {
		return nil, false
	}
	return hashKey(secret), true
}

func hashKey(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
