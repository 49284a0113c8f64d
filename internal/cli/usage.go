package cli

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
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

// withoutValue is the advice for a flag that is on or off.
const withoutValue = "use the flag without a value"

// sentences replace the messages of kong, which contain names of its types and tokens. The
// placeholders are as in regexp.Regexp.Expand.
var sentences = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`^(--[\w-]+): expected .* but got "EOL" .*$`), "${1} needs a value"},
	{regexp.MustCompile(`^(--[\w-]+): expected .* but got "(-.*)" \((?:long|short) flag\).*$`), `${1} needs a value; for one that begins with "-" write ${1}=VALUE`},
	{regexp.MustCompile(`(?s)^(--[\w-]+): expected duration but got "(.*)": time: .*$`), `invalid ${1} "${2}": use a duration such as 30s or 2m`},
	{regexp.MustCompile(`(?s)^(--[\w-]+|<[\w-]+>): expected a valid .* but got "(.*)"$`), `invalid ${1} "${2}": use a whole number`},
	{regexp.MustCompile(`(?s)^(--[\w-]+): bool value must be .* but got "(.*)"$`), `invalid value "${2}" of ${1}: ` + withoutValue},
	{regexp.MustCompile(`(?s)^bool value must be .* but got "(.*)"$`), `invalid value "${1}" of a flag: ` + withoutValue},
	{regexp.MustCompile(`(?s)^[a-z ]+: ((?:invalid )?(?:--|WAYMARK_).*)$`), `${1}`}, // of a method Validate
	{regexp.MustCompile(`(?s)^<[\w-]+>: stat (.*): no such file or directory$`), "there is no file ${1}"},
	{regexp.MustCompile(`^unexpected flag argument (.*)$`), "unexpected value ${1} of a flag"},
	{regexp.MustCompile(`^(--[\w-]+) and (--[\w-]+) can't be used together$`), "use either ${1} or ${2}"},
}

var (
	refusedFlag     = regexp.MustCompile(`(?m)^((?:[a-z ]+: )?invalid )--([\w-]+)( "(?:[^"\\]|\\.)*")?`)
	fromEnvironment = regexp.MustCompile(`(?s)^(--[\w-]+)(.*) \(from envar (\w+)=".*"\)$`)
	wrongChoice     = regexp.MustCompile(`(?s)^(\S+) must be one of (.*) but got "(.*)"$`)
	quotedValue     = regexp.MustCompile(`(?s) ".*"`)
	unknownArgument = regexp.MustCompile(`(?s)^unexpected argument (.*?)(, did you mean .*\?)?$`)
	missingFlags    = regexp.MustCompile(`^missing flags: (.*)$`)
	missingArgument = regexp.MustCompile(`^(?:expected "|missing positional arguments )(<.*?>)(?: \.\.\.)?"?$`)
)

// describeParseError returns an error of kong in this program's own words.
func describeParseError(err *kong.ParseError) error {
	text := err.Error()
	if m := fromEnvironment.FindStringSubmatch(text); m != nil {
		// Name the variable instead of the flag, without its value.
		text = strings.ReplaceAll(quotedValue.ReplaceAllString(describe(m[1]+m[2], err), ""), m[1], m[3])
		text = strings.ReplaceAll(text, withoutValue, "use on or off")
	} else {
		text = describe(nameVariables(text, err.Context), err)
	}
	return errors.New(text)
}

// nameVariables replaces the flags in an error about their values with the environment variables from
// which the values came. It removes these values, because a secret can be in the wrong variable.
func nameVariables(text string, command *kong.Context) string {
	return refusedFlag.ReplaceAllStringFunc(text, func(found string) string {
		m := refusedFlag.FindStringSubmatch(found)
		before, name := m[1], m[2]
		for _, flag := range command.Flags() {
			given := slices.ContainsFunc(command.Path, func(p *kong.Path) bool { return p.Flag == flag })
			if flag.Name != name || given {
				continue
			}
			for _, variable := range flag.Envs {
				if _, set := os.LookupEnv(variable); set {
					return before + variable
				}
			}
		}
		return found
	})
}

func describe(text string, err *kong.ParseError) string {
	if m := missingFlags.FindStringSubmatch(text); m != nil {
		return "missing " + plural("flag", m[1], ", ") + ": " + strings.ReplaceAll(m[1], "=", " ")
	}
	for _, s := range sentences {
		if m := s.pattern.FindStringSubmatchIndex(text); m != nil {
			return string(s.pattern.ExpandString(nil, s.text, text, m))
		}
	}
	switch {
	case wrongChoice.MatchString(text):
		m := wrongChoice.FindStringSubmatch(text)
		choices := strings.Split(strings.ReplaceAll(m[2], `"`, ""), ",")
		last := len(choices) - 1
		text = fmt.Sprintf("invalid %s %q: use %s or %s", m[1], m[3], strings.Join(choices[:last], ", "), choices[last])
		return nameVariables(text, err.Context)
	case unknownArgument.MatchString(text):
		m := unknownArgument.FindStringSubmatch(text)
		what := "unexpected argument"
		if path := err.Context.Path; len(path) > 0 {
			if node := path[len(path)-1].Node(); node != nil && len(node.Children) > 0 {
				what = "unknown command"
				if node.Name == "migrate" && m[2] == "" {
					return fmt.Sprintf("there is no migration from %q: export a file there, and import it with waymark import", m[1])
				}
			}
		}
		return fmt.Sprintf("%s %q%s", what, m[1], m[2])
	case missingArgument.MatchString(text):
		arguments := missingArgument.FindStringSubmatch(text)[1]
		return "missing " + plural("argument", arguments, " ") + ": " + arguments
	}
	return text
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

// plural returns the word with an s if list has several elements.
func plural(word, list, separator string) string {
	if strings.Contains(list, separator) {
		return word + "s"
	}
	return word
}
