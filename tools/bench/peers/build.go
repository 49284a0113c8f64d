package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"waymark/tools/bench"
)

// build returns the file of the program. A peer is built once, in a module of its own, so that its
// dependencies do not mix with those of the benchmarks. Waymark of the working tree is always built.
func (a *about) build(ctx context.Context, cache string) (file string, err error) {
	dir := filepath.Join(cache, strings.ToLower(a.name))
	if a.version != "" {
		dir += "-" + a.version
	}
	file = filepath.Join(dir, strings.ToLower(a.name))
	if _, err := os.Stat(file); a.version != "" && !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "build %s %s\n", a.name, a.version)
	if a.module == "" {
		return file, bench.BuildWaymark(ctx, a.version, file)
	}
	module := fmt.Sprintf("module peer\n\ngo 1.25\n\nrequire %s v%s\n", a.module, a.version)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o644); err != nil {
		return "", err
	}
	unfinished := file + ".part"
	if err := bench.GoBuild(ctx, dir, unfinished, a.target, "-mod=mod"); err != nil {
		return "", errors.New(lastLines([]byte(err.Error())))
	}
	return file, os.Rename(unfinished, file)
}

// lastLines returns the end of the output of a command.
func lastLines(out []byte) string {
	const limit = 400
	text := strings.TrimSpace(string(out))
	return text[max(0, len(text)-limit):]
}
