package cli

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"waymark/internal/store"
)

// version, commit and date are set by the linker: -ldflags "-X waymark/internal/cli.version=1.2.3". The date
// is that of the commit.
var version, commit, date string

type versionCommand struct {
	JSON bool `name:"json" help:"Print JSON, with the commit and the schema of the database."`
}

func (*versionCommand) Help() string {
	return `The schema is the number of the last migration that this version knows.`
}

// versionJSON is the version as JSON. Scripts of operators read it.
type versionJSON struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Date     string `json:"date"` // of the commit, as in RFC 3339
	Schema   int64  `json:"schema"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (c *versionCommand) Run(t *terminal) error {
	v := versionJSON{Version: versionString(), Commit: commit, Date: date, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if !c.JSON {
		_, err := fmt.Fprintf(t.out, "waymark %s (%s, %s)\n", v.Version, v.Go, v.Platform)
		return err
	}
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" { // built by the go command alone
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				v.Commit = setting.Value
			case "vcs.time":
				v.Date = setting.Value
			}
		}
	}
	var err error
	if _, v.Schema, err = store.Schemas(); err != nil {
		return err
	}
	encoder := json.NewEncoder(t.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// versionString returns the version of the linker, or else of the go command.
func versionString() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

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
