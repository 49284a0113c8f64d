package cli

import "errors"

// keyOwner is the user of a key: --user as in other commands, or the first argument.
type keyOwner struct {
	User string `placeholder:"NAME" help:"User of the key; can also be the first argument."`
}

// take returns the user, and the n arguments that are not the user.
func (o keyOwner) take(arguments []string, n int) (user string, rest []string, err error) {
	if o.User != "" {
		arguments = append([]string{o.User}, arguments...)
	}
	if len(arguments) == n {
		return "", nil, usageError{errors.New("missing flag: --user NAME")}
	}
	if len(arguments) != n+1 {
		return "", nil, usageError{errors.New("give one name of a key, and its user with --user NAME")}
	}
	return arguments[0], arguments[1:], nil
}
