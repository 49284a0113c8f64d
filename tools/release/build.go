package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// target is an operating system and a processor.
type target struct{ os, arch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "armv7"}, {"linux", "riscv64"},
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"freebsd", "amd64"},
}

// host is the target of this machine.
var host = target{runtime.GOOS, runtime.GOARCH}

// String returns the part of file names that names the target.
func (t target) String() string { return t.os + "_" + t.arch }

func (t target) suffix() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

// build compiles Waymark. It needs no C compiler, and the result no library.
func (r *release) build(ctx context.Context, t target, program string) error {
	arch, arm := t.arch, ""
	if arch == "armv7" {
		arch, arm = "arm", "7"
	}
	const cli = "-X waymark/internal/cli."
	flags := fmt.Sprintf("-s -w %sversion=%s %scommit=%s %sdate=%s", cli, r.version, cli, r.commit, cli, r.date.Format(time.RFC3339))
	c := exec.CommandContext(ctx, "go", "build", "-C", r.source, "-buildvcs=false", "-trimpath", "-ldflags", flags, "-o", program, ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "GOOS="+t.os, "GOARCH="+arch, "GOARM="+arm)
	_, err := output(c)
	return err
}

// document is a file that belongs to the program.
type document struct {
	file string // its path on this machine
	path string // in archives
}

// documents returns the licenses, the manual page, the completions and the files for the service. The program prints
// some of them, so it is built for this machine first.
func (r *release) documents(ctx context.Context, dir string) ([]document, error) {
	program := filepath.Join(dir, "host")
	if err := r.build(ctx, host, program); err != nil {
		return nil, err
	}
	all := []document{
		{filepath.Join(r.source, "LICENSE"), "LICENSE"},
		{filepath.Join(r.source, "README.md"), "README.md"},
		{filepath.Join(r.source, "CHANGELOG.md"), "CHANGELOG.md"},
		{filepath.Join(r.source, "deploy/waymark.service"), "deploy/waymark.service"},
		{filepath.Join(r.source, "deploy/waymark.env"), "deploy/waymark.env"},
	}
	for _, printed := range []struct {
		path string
		args []string
	}{
		{"THIRD-PARTY-NOTICES", []string{"licenses"}},
		{"waymark.1", []string{"man"}},
		{"completions/waymark.bash", []string{"completion", "bash"}},
		{"completions/_waymark", []string{"completion", "zsh"}},
		{"completions/waymark.fish", []string{"completion", "fish"}},
	} {
		text, err := output(exec.CommandContext(ctx, program, printed.args...))
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, "documents", filepath.Base(printed.path))
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			return nil, err
		}
		all = append(all, document{file, printed.path})
	}
	return all, nil
}
