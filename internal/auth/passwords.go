package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Limits of a password: its minimum length in characters and maximum length in bytes.
const (
	MinPassword = 8
	MaxPassword = 1000
)

// params are the cost parameters of argon2id. Each stored hash contains its own, so
// that the default can be raised later.
type params struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

// defaultParams are recommended by OWASP: about 20 ms on one core.
var defaultParams = params{memory: 19 * 1024, passes: 2, threads: 1}

const (
	saltBytes = 16
	hashBytes = 32
)

// hashSlots is a semaphore: two hashes are computed at a time, so that a thousand
// concurrent logins need 38 MiB and not gigabytes.
var hashSlots = make(chan struct{}, 2)

// ValidatePassword returns an error if password is too short or too long.
func ValidatePassword(password string) error {
	switch {
	case utf8.RuneCountInString(password) < MinPassword:
		return fmt.Errorf("password too short: use at least %d characters", MinPassword)
	case len(password) > MaxPassword:
		return fmt.Errorf("password too long: use at most %d bytes", MaxPassword)
	}
	return nil
}

// HashPassword returns the argon2id hash of password with a new salt, in PHC string
// format: $argon2id$v=19$m=…,t=…,p=…$salt$hash. It returns the error of
// ValidatePassword for an invalid password. If two other hashes are being computed it
// waits for one of them until ctx ends.
func HashPassword(ctx context.Context, password string) (string, error) {
	if err := ValidatePassword(password); err != nil {
		return "", err
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt) // never fails: it ends the program instead
	hash, err := defaultParams.hash(ctx, password, salt)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		defaultParams.memory, defaultParams.passes, defaultParams.threads, base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(hash)), nil
}

// hash computes argon2id. It waits for a slot until ctx ends.
func (p params) hash(ctx context.Context, password string, salt []byte) ([]byte, error) {
	select {
	case hashSlots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-hashSlots }()
	return argon2.IDKey([]byte(password), salt, p.passes, p.memory, p.threads, hashBytes), nil
}
