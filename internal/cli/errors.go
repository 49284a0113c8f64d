package cli

import "errors"

// usageError is an error in the arguments of a command. The program exits with 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errReported makes the exit code 1 after a command has said why.
var errReported = errors.New("")
