package cli

import (
	_ "embed"
	"io"
)

// licenses contains the licenses of the third-party software in the binary.
// TestLicensesAreThoseOfTheLinkedModules compares it with the linked modules, and writes it
// with -update.
//
//go:embed licenses.txt
var licenses string

type licensesCommand struct{}

func (*licensesCommand) Help() string {
	return `Of Go, its modules, htmx, Inter, Lucide and Swagger UI. Waymark's own license is MIT.`
}

func (*licensesCommand) Run(t *terminal) error {
	_, err := io.WriteString(t.out, licenses)
	return err
}
