package auth

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// commonPasswordList has the 4,000 most common passwords of at least MinPassword characters, one a line,
// in lower case, from the list of zxcvbn.
//
//go:embed common_passwords.txt
var commonPasswordList string

var commonPasswords = sync.OnceValue(func() map[string]bool {
	common := map[string]bool{}
	for line := range strings.Lines(commonPasswordList) {
		common[strings.TrimSuffix(line, "\n")] = true
	}
	return common
})

// minDifferent is the minimum number of different characters of a password.
const minDifferent = 4

// isCommon reports whether many people use the password, also with other digits and signs at its end,
// whether it has only a few different characters, or is a sequence such as 87654321.
func isCommon(password string) bool {
	password = strings.ToLower(password)
	different, steps := map[rune]bool{}, map[rune]bool{}
	last := rune(0)
	for _, r := range password {
		different[r] = true
		if last != 0 {
			steps[r-last] = true
		}
		last = r
	}
	word := strings.TrimRightFunc(password, func(r rune) bool { return !unicode.IsLetter(r) })
	return len(different) < minDifferent || len(steps) == 1 || commonPasswords()[password] || commonPasswords()[word]
}

// isName reports whether the password is little more than the name of the user or of this program, or a
// part of the name of the user.
func isName(name, password string) bool {
	name, password = waymark.Fold(name), waymark.Fold(password)
	if strings.Contains(name, password) {
		return true
	}
	for _, known := range []string{name, "waymark"} {
		rest := strings.ReplaceAll(password, known, "")
		if known != "" && rest != password && utf8.RuneCountInString(rest) < MinPassword {
			return true
		}
	}
	return false
}
