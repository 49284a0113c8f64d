package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
)

// commandLine returns a command of this program on the same database, with its arguments, in the
// syntax of a POSIX shell, for messages.
func commandLine(command string, settings config.Store, args ...string) string {
	flags := storeFlags(settings)
	line := programName() + " " + command
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
		line, flags = line+flags+" --", ""
	}
	for _, arg := range args {
		line += " " + shellQuote(arg)
	}
	return line + flags
}

// programName returns the command that runs this program.
func programName() string {
	program, err := os.Executable()
	if err == nil && strings.Contains(filepath.ToSlash(program), "/go-build") {
		return "go run ."
	}
	return "waymark"
}

// storeFlags returns the flags with which another command opens the same database.
func storeFlags(settings config.Store) string {
	var defaults config.Store
	err := kong.ApplyDefaults(&defaults)
	if settings.Database != "" {
		if err == nil && settings.Database == defaults.Database {
			return ""
		}
		return " --database URL" // it may contain a password
	}
	defaultDir, absErr := filepath.Abs(defaults.Data)
	if err == nil && absErr == nil && settings.Data == defaultDir {
		return ""
	}
	return " --data " + shellQuote(settings.Data)
}

// shellQuote quotes a word unless it is the same to a shell without quotes.
func shellQuote(word string) string {
	special := func(r rune) bool {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_./:@%+", r):
			return false
		}
		return true
	}
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
