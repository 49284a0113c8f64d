package cli

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// isGroup reports whether args name a group of commands, such as "user", and nothing more.
func isGroup(node *kong.Node, args []string) bool {
	for _, arg := range args {
		if node = child(node, arg); node == nil {
			return false
		}
	}
	return len(node.Children) > 0
}

var (
	missingValue    = regexp.MustCompile(`^(--[\w-]+): expected .* but got "EOL" .*$`)
	fromEnvironment = regexp.MustCompile(`(?s)^(--[\w-]+)(.*) \(from envar (\w+)=".*"\)$`)
	quotedValue     = regexp.MustCompile(`(?s)(?: but got)? ".*"`)
)

// describeParseError returns an error of kong. It names the environment variable of a setting that comes from there
// instead of the flag, and leaves out the value, because a secret can be in the wrong variable.
func describeParseError(err *kong.ParseError) error {
	text := err.Error()
	if m := missingValue.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s needs a value", m[1])
	}
	if m := fromEnvironment.FindStringSubmatch(text); m != nil {
		return errors.New(m[3] + quotedValue.ReplaceAllString(m[2], ""))
	}
	for _, flag := range err.Context.Flags() {
		named := regexp.MustCompile("--" + flag.Name + `([^\w-]|$)`)
		given := slices.ContainsFunc(err.Context.Path, func(p *kong.Path) bool { return p.Flag == flag })
		if given || len(flag.Envs) == 0 || !named.MatchString(text) {
			continue
		}
		if value, set := os.LookupEnv(flag.Envs[0]); set {
			text = named.ReplaceAllString(text, flag.Envs[0]+"$1")
			if value != "" {
				text = strings.NewReplacer(strconv.Quote(value), "…", value, "…").Replace(text)
			}
		}
	}
	return errors.New(text)
}

// Passwords in URLs, such as postgres://user:password@host/name?sslpassword=secret.
var (
	passwordBeforeHost = regexp.MustCompile(`(:/{1,2}[^\s"@/:]*:)[^\s"]*@`)
	passwordInQuery    = regexp.MustCompile(`([?&](?:ssl)?password=)[^\s"&]*`)
)

// withoutPasswords returns a text without the passwords in its URLs, which must not be in a log.
func withoutPasswords(text string) string {
	return passwordInQuery.ReplaceAllString(passwordBeforeHost.ReplaceAllString(text, "${1}…@"), "${1}…")
}
