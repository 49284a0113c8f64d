package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// BuildWaymark builds Waymark into a file, with the flags of a release: from the working tree, or from a commit if it
// is not empty. The program that calls it must run in a folder of this module.
func BuildWaymark(ctx context.Context, commit, file string) error {
	source, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "waymark")
	if err != nil {
		return err
	}
	if commit == "" {
		return GoBuild(ctx, source, file, ".")
	}
	files, err := os.MkdirTemp("", "waymark-commit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(files) //nolint:errcheck // it is a temporary folder
	tar := filepath.Join(files, "source.tar")
	if _, err := output(ctx, "git", "-C", source, "archive", "-o", tar, commit); err != nil {
		return err
	}
	if _, err := output(ctx, "tar", "-xf", tar, "-C", files); err != nil {
		return err
	}
	return GoBuild(ctx, files, file, ".")
}

// output returns what a command prints, without the spaces around it.
func output(ctx context.Context, name string, arguments ...string) (string, error) {
	text, err := exec.CommandContext(ctx, name, arguments...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, arguments[0], err)
	}
	return strings.TrimSpace(string(text)), nil
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
