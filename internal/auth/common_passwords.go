package auth

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// commonPasswordList has one password a line, in lower case: the 4,000 most common ones of zxcvbn with at least
// MinPassword characters; words of several languages to which people add digits; words of operators; parts of the alphabet
// and of keyboard rows, in both directions.
//
//go:embed common_passwords.txt
var commonPasswordList string

var commonPasswords = sync.OnceValue(func() map[string]bool {
	common := map[string]bool{}
	for line := range strings.Lines(commonPasswordList) {
		common[waymark.Plain(strings.TrimSuffix(line, "\n"))] = true
	}
	return common
})

// minDifferent is the minimum number of different characters of a password.
const minDifferent = 4

// unmask replaces digits and signs with the letters for which people write them.
var unmask = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s")

// isCommon reports whether many people use the password, also in upper case, twice, or with other digits
// and signs around it or in it. So are passwords with only a few different characters, sequences such as
// 87654321, and short texts twice, such as 12341234.
func isCommon(password string) bool {
	password = waymark.Plain(password)
	different, steps := map[rune]bool{}, map[rune]bool{}
	last := rune(0)
	for _, r := range password {
		different[r] = true
		if last != 0 {
			steps[r-last] = true
		}
		last = r
	}
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	isSign := func(r rune) bool { return notLetter(r) && !unicode.IsDigit(r) }
	word := strings.TrimFunc(password, notLetter)
	if half := len(word) / 2; half > 0 && word == word[:half]+word[:half] {
		word = word[:half]
	}
	common := commonPasswords()
	half := len(password) / 2
	isRepeated := half < MinPassword && password[:half] == password[half:]
	return isRepeated || len(different) < minDifferent || len(steps) == 1 || common[strings.TrimFunc(password, isSign)] || common[word] ||
		common[unmask.Replace(strings.TrimRightFunc(password, notLetter))]
}

// isName reports whether the password is little more than the user's name, a part of it, or the name of
// this program.
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
