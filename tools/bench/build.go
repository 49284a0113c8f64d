package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// BuildWaymark builds Waymark from the working tree into a file, with the flags of a
// release. The program that calls it must run in a folder of this module.
func BuildWaymark(ctx context.Context, file string) error {
	source, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "waymark").Output()
	if err != nil {
		return fmt.Errorf("go list waymark: %w", err)
	}
	return GoBuild(ctx, strings.TrimSpace(string(source)), file, ".")
}

// GoBuild builds a package into a file, with the flags of a release. It runs in a folder,
// whose module decides the versions of dependencies.
func GoBuild(ctx context.Context, dir, file, target string, flags ...string) error {
	arguments := append([]string{"build", "-trimpath", "-ldflags", "-s -w"}, flags...)
	command := exec.CommandContext(ctx, "go", append(arguments, "-o", file, target)...)
	command.Dir = dir
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w: %s", target, err, out)
	}
	return nil
}
