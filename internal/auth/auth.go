// Package auth creates and verifies credentials: password hashes, API keys, and the tokens of
// sessions, one-time tokens and devices. It also limits attempts to sign in, which it counts in
// memory. It writes nothing to the database.
package auth

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"

	"waymark/internal/waymark"
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

// defaultParams are recommended by OWASP. A hash takes about 20 ms on one core.
var defaultParams = params{memory: 19 * 1024, passes: 2, threads: 1}

// maxParams limits the parameters of a stored hash, so that someone who can write to
// the database cannot exhaust the server's memory.
var maxParams = params{memory: 256 * 1024, passes: 16, threads: 16}

const (
	saltBytes = 16
	hashBytes = 32
)

// hashPermits is a semaphore: two hashes are computed at a time, so that a thousand
// concurrent logins need 38 MiB and not gigabytes.
var hashPermits = make(chan struct{}, 2)

var b64 = base64.RawStdEncoding.Strict()

// ValidatePassword returns an error, a waymark.ValidationError, if password is too short, too long or
// easy to guess for the user with this name.
func ValidatePassword(name, password string) error {
	switch {
	case utf8.RuneCountInString(password) < MinPassword:
		return waymark.InvalidInput(waymark.Problem{Field: waymark.FieldPassword, Rule: waymark.RuleMinLength, Limit: MinPassword}, "password too short: use at least %d characters", MinPassword)
	case len(password) > MaxPassword:
		return waymark.InvalidInput(waymark.Problem{Field: waymark.FieldPassword, Rule: waymark.RuleMaxBytes, Limit: MaxPassword}, "password too long: use at most %d bytes", MaxPassword)
	case isName(name, password):
		return waymark.InvalidInput(waymark.Problem{Field: waymark.FieldPassword, Rule: waymark.RuleNotName}, "password easy to guess: use one without the user name, or a longer one")
	case isCommon(password):
		return waymark.InvalidInput(waymark.Problem{Field: waymark.FieldPassword, Rule: waymark.RuleNotCommon}, "password easy to guess: many people use it or a similar one")
	}
	return nil
}

// HashPassword returns the argon2id hash of password with a new salt, in PHC string
// format: $argon2id$v=19$m=…,t=…,p=…$salt$hash. It returns the error of
// ValidatePassword for an invalid password of the user with this name. While two other hashes are being computed, it
// waits, until ctx ends.
func HashPassword(ctx context.Context, name, password string) (string, error) {
	if err := ValidatePassword(name, password); err != nil {
		return "", err
	}
	salt := randomBytes(saltBytes)
	hash, err := defaultParams.hash(ctx, password, salt, hashBytes)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		defaultParams.memory, defaultParams.passes, defaultParams.threads, b64.EncodeToString(salt), b64.EncodeToString(hash)), nil
}

// CheckPassword reports whether stored is a hash of password. Like HashPassword, it waits while two
// other hashes are being computed.
//
// If stored is empty, the user has no password. CheckPassword then takes as long as for a hash of
// HashPassword, so that the time does not reveal which users have a password. A bcrypt hash of
// another program takes longer: service.SignIn hides the difference.
func CheckPassword(ctx context.Context, stored, password string) (bool, error) {
	if len(password) > MaxPassword {
		return false, nil
	}
	if stored == "" {
		_, err := defaultParams.hash(ctx, password, make([]byte, saltBytes), hashBytes)
		return false, err
	}
	if isBcrypt(stored) {
		return checkBcrypt(ctx, stored, password)
	}
	p, salt, want, err := parseHash(stored)
	if err != nil {
		return false, err
	}
	got, err := p.hash(ctx, password, salt, uint32(len(want)))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// hash computes argon2id. It waits for a permit until ctx ends.
func (p params) hash(ctx context.Context, password string, salt []byte, length uint32) ([]byte, error) {
	release, err := acquireHashPermit(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return argon2.IDKey([]byte(password), salt, p.passes, p.memory, p.threads, length), nil
}

// acquireHashPermit waits for a permit until ctx ends.
func acquireHashPermit(ctx context.Context) (release func(), err error) {
	select {
	case hashPermits <- struct{}{}:
		return func() { <-hashPermits }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// errHash has no details, because part of the hash could end up in a log.
var errHash = errors.New("stored password hash is malformed: set the password again")

func parseHash(stored string) (p params, salt, hash []byte, err error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return params{}, nil, nil, errHash
	}
	_, err = fmt.Sscanf(parts[3]+"\n", "m=%d,t=%d,p=%d\n", &p.memory, &p.passes, &p.threads)
	if err != nil || !p.valid() {
		return params{}, nil, nil, errHash
	}
	salt, saltErr := b64.DecodeString(parts[4])
	hash, hashErr := b64.DecodeString(parts[5])
	if saltErr != nil || hashErr != nil || len(salt) < 8 || len(salt) > 64 || len(hash) < 16 || len(hash) > 64 {
		return params{}, nil, nil, errHash
	}
	return p, salt, hash, nil
}

func (p params) valid() bool {
	return p.memory >= 8*uint32(p.threads) && p.memory <= maxParams.memory &&
		p.passes >= 1 && p.passes <= maxParams.passes &&
		p.threads >= 1 && p.threads <= maxParams.threads
}

// maxBcryptCost is the highest cost of a hash from another program. It takes about a second;
// most programs use 10 or 12.
const maxBcryptCost = 14

// ValidateForeignHash returns an error unless CheckPassword accepts the bcrypt hash of another program.
func ValidateForeignHash(hash string) error {
	cost, err := bcrypt.Cost([]byte(hash))
	if !isBcrypt(hash) || err != nil {
		return errors.New("the password hash is not a bcrypt hash")
	}
	if cost > maxBcryptCost {
		return fmt.Errorf("the cost %d of the password hash is above %d", cost, maxBcryptCost)
	}
	return nil
}

// NeedsRehash reports whether stored is the hash of another program. HashPassword replaces it
// when the password is known.
func NeedsRehash(stored string) bool { return isBcrypt(stored) }

// isBcrypt reports whether stored looks like a bcrypt hash: PHP writes $2y$, others $2a$ or $2b$.
func isBcrypt(stored string) bool { return strings.HasPrefix(stored, "$2") }

// checkBcrypt reports whether stored is the hash of password. bcrypt uses only its first 72 bytes.
func checkBcrypt(ctx context.Context, stored, password string) (bool, error) {
	if ValidateForeignHash(stored) != nil {
		return false, errHash
	}
	release, err := acquireHashPermit(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	switch err := bcrypt.CompareHashAndPassword([]byte(stored), []byte(password)); {
	case errors.Is(err, bcrypt.ErrMismatchedHashAndPassword):
		return false, nil
	case err != nil:
		return false, errHash
	}
	return true, nil
}
