package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker: -ldflags "-X waymark/internal/cli.version=v1.2.3".
var version string

type versionCommand struct{}

func (*versionCommand) Run(t *terminal) error {
	_, err := fmt.Fprintf(t.out, "waymark %s (%s, %s/%s)\n", versionString(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// versionString returns the version that the linker has set, otherwise the one that
// the go command has recorded.
func versionString() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
