package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is stamped by the linker: -ldflags "-X waymark/internal/cli.version=v1.2.3".
var version string

type versionCommand struct{}

func (*versionCommand) Run(t *terminal) error {
	_, err := fmt.Fprintf(t.out, "waymark %s (%s, %s/%s)\n", stamp(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// stamp returns the version, from what Go knows of the build where the linker was
// told nothing.
func stamp() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
