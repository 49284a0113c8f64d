// Waymark is a self-hosted bookmark server with a REST API compatible with LinkAce.
package main

import (
	"os"

	"waymark/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
