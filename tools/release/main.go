// Command release builds what a version of Waymark consists of: programs in archives, packages, images,
// a list of its parts, notes and checksums.
//
//	go -C tools/release run . --version 1.0.0 --source ../.. --dist ../../dist
//
// The same commit gives the same bytes, on each machine with the same version of Go: times are those of the commit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	version := flag.String("version", "", "the version, such as 1.0.0")
	source := flag.String("source", ".", "the clone of the repository")
	dist := flag.String("dist", "dist", "the folder of the results, which is emptied")
	key := flag.String("key", "", "the file of a secret key of minisign, whose password is in MINISIGN_PASSWORD")
	only := flag.String("targets", "", "only these targets, such as linux_amd64,darwin_arm64")
	dirty := flag.Bool("dirty", false, "allow changes that are not committed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	r, err := newRelease(ctx, *version, *source, *dist, *dirty)
	if err == nil {
		err = r.make(ctx, *only, *key)
	}
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// release is a version that is built.
type release struct {
	version string // such as 1.0.0
	commit  string
	date    time.Time // of the commit, UTC
	source  string    // the clone
	dist    string    // the folder of the results
}

// newRelease returns the release of the commit that is checked out in source.
func newRelease(ctx context.Context, version, source, dist string, dirty bool) (*release, error) {
	if version == "" || strings.Trim(version, "0123456789abcdefghijklmnopqrstuvwxyz.-~+") != "" || version[0] < '0' || version[0] > '9' {
		return nil, fmt.Errorf("invalid version %q: use for example --version 1.0.0", version)
	}
	r := &release{version: version}
	var err error
	if r.source, err = filepath.Abs(source); err != nil {
		return nil, err
	}
	if r.dist, err = filepath.Abs(dist); err != nil {
		return nil, err
	}
	changes, err := r.git(ctx, "status", "--porcelain")
	switch {
	case err != nil:
		return nil, err
	case changes != "" && !dirty:
		return nil, fmt.Errorf("%s has changes that are not committed (--dirty builds them):\n%s", r.source, changes)
	}
	if r.commit, err = r.git(ctx, "rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	text, err := r.git(ctx, "log", "-1", "--format=%cI")
	if err != nil {
		return nil, err
	}
	r.date, err = time.Parse(time.RFC3339, text)
	r.date = r.date.UTC()
	return r, err
}

// git returns the output of a git command in the clone. Git refuses a clone of another user unless it is told that
// the folder is safe.
func (r *release) git(ctx context.Context, args ...string) (string, error) {
	return output(exec.CommandContext(ctx, "git", append([]string{"-C", r.source, "-c", "safe.directory=" + r.source}, args...)...))
}

// output returns the standard output of a command without the last line break.
func output(c *exec.Cmd) (string, error) {
	var stderr strings.Builder
	c.Stderr = &stderr
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, stderr.String())
	}
	return strings.TrimRight(string(text), "\n"), nil
}

// make builds everything, or what belongs to a list of targets.
func (r *release) make(ctx context.Context, only, key string) (err error) {
	secret, err := readKey(key) // a wrong key is found before minutes of building
	if err != nil {
		return err
	}
	if err := os.RemoveAll(r.dist); err != nil {
		return err
	}
	programs, err := os.MkdirTemp("", "waymark-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(programs)) }()
	for _, dir := range []string{r.dist, filepath.Join(programs, "documents")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	d, err := r.documents(ctx, programs)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if only != "" && !slices.Contains(strings.Split(only, ","), t.String()) {
			continue
		}
		log.Printf("%s", t)
		program := filepath.Join(programs, t.String()+t.suffix())
		if err := r.build(ctx, t, program); err != nil {
			return err
		}
		if err := r.archive(t, program, d); err != nil {
			return err
		}
		if t.os != "linux" {
			continue
		}
		if err := r.packages(t, program, d); err != nil {
			return err
		}
		if t.arch == "amd64" || t.arch == "arm64" {
			if err := r.image(t, program); err != nil {
				return err
			}
		}
	}
	log.Print("list of parts, notes and checksums")
	if err := r.partsList(ctx, filepath.Join(programs, "host")); err != nil {
		return err
	}
	if err := r.notes(); err != nil {
		return err
	}
	return r.checksums(secret)
}

// file returns the path of a result.
func (r *release) file(format string, args ...any) string {
	return filepath.Join(r.dist, "waymark_"+r.version+fmt.Sprintf(format, args...))
}
