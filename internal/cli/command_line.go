package cli

import (
	"os"
	"path/filepath"
	"regexp"
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

// keyCommand returns the command that creates an API key for a user.
func keyCommand(settings config.Store, user string) string {
	flag := "--user "
	if strings.HasPrefix(user, "-") {
		flag = "--user=" // otherwise the name would be a flag
	}
	return commandLine("key add "+flag+shellQuote(user), settings, "CLIENT")
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
	if err := kong.ApplyDefaults(&defaults, config.Options()...); err != nil { // a variable that this command does not use is invalid
		defaults = config.Store{}
	}
	switch {
	case settings.Database != "" && settings.Database != defaults.Database:
		return " --database URL" // it may contain a password
	case settings.Database == "" && settings.Data != defaults.Data:
		return " --data " + shellQuote(settings.Data)
	}
	return ""
}

// plainWord is a word that a shell does not change.
var plainWord = regexp.MustCompile(`^[\w./:@%+-]+$`)

// shellQuote quotes a word unless it is the same to a shell without quotes.
func shellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
