package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Lengths that a password may have: characters at least, bytes at most.
const (
	MinPassword = 8
	MaxPassword = 1000
)

// cost is how much work a hash takes. What is stored names its own, so that it
// may rise without locking anybody out.
type cost struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

// defaultParams is OWASP's first choice for argon2id: some 20 ms on an ordinary core.
var defaultParams = cost{memory: 19 * 1024, passes: 2, threads: 1}

// maxParams bounds what a stored hash may ask of the machine: somebody who can write
// to the database must not be able to stop the server with it.
var maxParams = cost{memory: 256 * 1024, passes: 16, threads: 16}

const (
	saltBytes = 16
	hashBytes = 32
)

// hashSlots lets two hashes at once be computed, so that many people who sign in
// together cost 38 MiB and not gigabytes.
var hashSlots = make(chan struct{}, 2)

var b64 = base64.RawStdEncoding.Strict()

// ValidPassword returns an error that says what is wrong with a password that
// somebody chose.
func ValidPassword(password string) error {
	switch {
	case utf8.RuneCountInString(password) < MinPassword:
		return fmt.Errorf("the password is too short: it needs %d characters or more", MinPassword)
	case len(password) > MaxPassword:
		return fmt.Errorf("the password is too long: %d bytes are the most", MaxPassword)
	}
	return nil
}

// HashPassword returns the text by which to remember a password: argon2id with a
// fresh salt, in the PHC form $argon2id$v=19$m=…,t=…,p=…$salt$hash. It refuses
// what ValidPassword does, and waits while two others are at work, until ctx ends.
func HashPassword(ctx context.Context, password string) (string, error) {
	if err := ValidPassword(password); err != nil {
		return "", err
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt) // never fails: it ends the program instead
	hash, err := defaultParams.hash(ctx, password, salt, hashBytes)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		defaultParams.memory, defaultParams.passes, defaultParams.threads, b64.EncodeToString(salt), b64.EncodeToString(hash)), nil
}

// CheckPassword tells whether password is the one that stored was made of. An
// empty stored is an account without a password: never, and it takes as long, so
// that nobody learns from the time which accounts have one. It waits as
// HashPassword does.
func CheckPassword(ctx context.Context, stored, password string) (bool, error) {
	if len(password) > MaxPassword {
		return false, nil
	}
	if stored == "" {
		_, err := defaultParams.hash(ctx, password, make([]byte, saltBytes), hashBytes)
		return false, err
	}
	c, salt, want, err := parseHash(stored)
	if err != nil {
		return false, err
	}
	got, err := c.hash(ctx, password, salt, uint32(len(want)))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// hash computes argon2id when it is its turn.
func (c cost) hash(ctx context.Context, password string, salt []byte, length uint32) ([]byte, error) {
	select {
	case hashSlots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-hashSlots }()
	return argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.threads, length), nil
}

// errHash does not say what is wrong, lest a hash end up in a log.
var errHash = errors.New("the stored password hash is damaged: set the password again")

// parseHash reads what HashPassword wrote, today or under another cost.
func parseHash(stored string) (c cost, salt, hash []byte, err error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return cost{}, nil, nil, errHash
	}
	_, err = fmt.Sscanf(parts[3]+"\n", "m=%d,t=%d,p=%d\n", &c.memory, &c.passes, &c.threads)
	if err != nil || !c.sane() {
		return cost{}, nil, nil, errHash
	}
	salt, saltErr := b64.DecodeString(parts[4])
	hash, hashErr := b64.DecodeString(parts[5])
	if saltErr != nil || hashErr != nil || len(salt) < 8 || len(salt) > 64 || len(hash) < 16 || len(hash) > 64 {
		return cost{}, nil, nil, errHash
	}
	return c, salt, hash, nil
}

func (c cost) sane() bool {
	return c.memory >= 8*uint32(c.threads) && c.memory <= maxParams.memory &&
		c.passes >= 1 && c.passes <= maxParams.passes &&
		c.threads >= 1 && c.threads <= maxParams.threads
}
