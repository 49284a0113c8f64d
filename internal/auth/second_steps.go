package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"waymark/internal/waymark"
)

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
