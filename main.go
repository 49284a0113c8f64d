// Waymark is a server that keeps bookmarks.
package main

import (
	"os"

	"waymark/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
