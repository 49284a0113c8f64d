package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/bcrypt"
)

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
