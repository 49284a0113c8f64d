package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"waymark/internal/waymark"
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

// SecondStep is a sign-in with the right password, or with a passkey whose device has not verified the person,
// which waits for a second factor.
type SecondStep struct {
	User      waymark.UserID
	Passkey   waymark.PasskeyID // of the first step, 0 for the password
	Keep      bool              // the user asked to stay signed in
	ExpiresAt waymark.Time
}

// secondStepBytes is the length of a SecondStep in a token, without the signature.
const secondStepBytes = 8 + 8 + 8 + 1

// Sign returns a token for a second step. The token is not stored. It is signed with the hash of the user's
// password, so it becomes invalid when the password changes.
func (s SecondStep) Sign(passwordHash string) (token string) {
	var data []byte
	data = binary.BigEndian.AppendUint64(data, uint64(s.User))
	data = binary.BigEndian.AppendUint64(data, uint64(s.Passkey))
	data = binary.BigEndian.AppendUint64(data, uint64(s.ExpiresAt))
	keep := byte(0)
	if s.Keep {
		keep = 1
	}
	data = append(data, keep)
	return tokenEncoding.EncodeToString(append(data, sign("second step", data, passwordHash)...))
}

// ReadSecondStep returns the second step of a token, whose signature it does not check.
func ReadSecondStep(token string) (SecondStep, bool) {
	if len(token) != tokenEncoding.EncodedLen(secondStepBytes+sha256.Size) {
		return SecondStep{}, false
	}
	data, err := tokenEncoding.DecodeString(token)
	if err != nil {
		return SecondStep{}, false
	}
	return SecondStep{
		User:      waymark.UserID(binary.BigEndian.Uint64(data)),
		Passkey:   waymark.PasskeyID(binary.BigEndian.Uint64(data[8:])),
		ExpiresAt: waymark.Time(binary.BigEndian.Uint64(data[16:])),
		Keep:      data[24] == 1,
	}, true
}

// Signed reports whether Sign made the token with this password hash. A user without a password has none.
func (s SecondStep) Signed(token, passwordHash string) bool {
	return passwordHash != "" && hmac.Equal([]byte(token), []byte(s.Sign(passwordHash)))
}

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
	plain := strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1").Replace(waymark.Fold(code)) // also dashes and spaces of phones
	return hashSecret(plain)
}
