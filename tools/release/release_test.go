package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aead.dev/minisign"
	"go.yaml.in/yaml/v3"
)

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// built has what the tests of packages and images need: an older and a newer version.
var built struct {
	once     sync.Once
	dir      string
	old, new *release
	err      error
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built.dir)
	os.Exit(code)
}

// versions builds the archive, the packages and the image of two versions for this machine.
func versions(t *testing.T) (older, newer *release) {
	t.Helper()
	if host.os != "linux" {
		t.Skip("packages and images are for Linux")
	}
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "waymark-release-test-"); built.err != nil {
			return
		}
		make := func(number string) (*release, error) {
			r, err := newRelease(t.Context(), number, "../..", filepath.Join(built.dir, number), true)
			if err == nil {
				err = r.make(t.Context(), host.String(), "")
			}
			return r, err
		}
		if built.old, built.err = make("0.9.0"); built.err == nil {
			built.new, built.err = make("1.0.0")
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.old, built.new
}

// only returns the one result that matches a pattern.
func only(t *testing.T, r *release, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(r.dist, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("got %q for %s, %v, want one file", found, pattern, err)
	}
	return found[0]
}

// inNamespace runs a script of testdata as root with its own mounts.
func inNamespace(t *testing.T, script string, args ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: it mounts a copy of this machine")
	}
	probe := exec.Command("unshare", "--mount", "true")
	if output, err := probe.CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount: %s", output)
	}
	c := exec.Command("bash", append([]string{"testdata/" + script}, args...)...)
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	output, err := c.CombinedOutput()
	t.Logf("%s", output)
	if err != nil || !strings.HasSuffix(string(output), "passed\n") {
		t.Errorf("%s: %v", script, err)
	}
}

func TestPackagesAreInstalledUpgradedAndRemoved(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not installed")
	}
	older, newer := versions(t)
	inNamespace(t, "install.sh", t.TempDir(), only(t, older, "*.deb"), only(t, newer, "*.deb"), only(t, older, "*.rpm"), only(t, newer, "*.rpm"))
}

func TestLintianFindsNoErrors(t *testing.T) {
	if _, err := exec.LookPath("lintian"); err != nil {
		t.Skip("lintian is not installed")
	}
	_, newer := versions(t)
	output, err := exec.Command("lintian", "--allow-root", "--fail-on=error", only(t, newer, "*.deb")).CombinedOutput()
	t.Logf("%s", output)
	if err != nil {
		t.Error(err)
	}
}

func TestImageRunsWithoutRoot(t *testing.T) {
	_, newer := versions(t)
	blobs := untar(t, bytes.NewReader(read(t, only(t, newer, "*_image_*.tar"))))
	var list []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(blobs["manifest.json"], &list); err != nil || len(list) != 1 || len(list[0].Layers) != 1 {
		t.Fatalf("got %s, %v, want one image with one layer", blobs["manifest.json"], err)
	}
	var image struct {
		Architecture string
		Config       struct {
			User                 string
			Env, Entrypoint, Cmd []string
			Healthcheck          struct{ Test []string }
		}
	}
	if err := json.Unmarshal(blobs[list[0].Config], &image); err != nil {
		t.Fatal(err)
	}
	if c := image.Config; image.Architecture != host.arch || c.User != "1000:1000" || strings.Join(c.Healthcheck.Test, " ") != "CMD waymark healthcheck" || len(c.Entrypoint) != 1 {
		t.Errorf("got %+v, want the program without root, and its health check", image)
	}
	layer, err := gzip.NewReader(bytes.NewReader(blobs[list[0].Layers[0]]))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range untar(t, layer) {
		file := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(file, 0o755)
		} else {
			err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o755))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	inNamespace(t, "image.sh", root)
}

// untar returns the files of an archive.
func untar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for tape := tar.NewReader(r); ; {
		header, err := tape.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(tape); err != nil {
			t.Fatal(err)
		}
	}
}

// The results are made again in another folder. What is compiled is in the key of Go's cache, folders are not: this
// links the program again, and compiles again what depends on the folder.
func TestResultsAreReproducible(t *testing.T) {
	_, newer := versions(t)
	files, err := newer.git(t.Context(), "ls-files", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Fatal(err)
	}
	again := *newer
	again.source, again.dist = t.TempDir(), t.TempDir()
	for name := range strings.SplitSeq(files, "\n") {
		content, err := os.ReadFile(filepath.Join(newer.source, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted in the working tree
		}
		target := filepath.Join(again.source, name)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := again.make(t.Context(), host.String(), ""); err != nil {
		t.Fatal(err)
	}
	// The checksums are those of all other files.
	if got, want := read(t, filepath.Join(again.dist, "SHA256SUMS")), read(t, filepath.Join(newer.dist, "SHA256SUMS")); !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestChecksumsAreSigned(t *testing.T) {
	r := &release{version: "1.0.0", dist: t.TempDir()}
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := secret.MarshalText() // a password would take seconds
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "minisign.key")
	for name, content := range map[string][]byte{file: key, filepath.Join(r.dist, "waymark.tar.gz"): []byte("program")} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := readKey(file)
	if err == nil {
		err = r.checksums(loaded)
	}
	if err != nil {
		t.Fatal(err)
	}
	sums, signature := read(t, filepath.Join(r.dist, "SHA256SUMS")), read(t, filepath.Join(r.dist, "SHA256SUMS.minisig"))
	if !strings.HasSuffix(string(sums), "  waymark.tar.gz\n") || !minisign.Verify(public, sums, signature) {
		t.Errorf("got %s and a signature that does not fit:\n%s", sums, signature)
	}
}

func TestNotesAreTheSectionOfTheVersion(t *testing.T) {
	const changes = "# Changelog\n\n## [Unreleased]\n\nNew.\n\n## [1.1.0] - 2027-02-01\n\n- Second.\n\n## [1.0.0] - 2027-01-01\n\nFirst.\n"
	for name, want := range map[string]string{"Unreleased": "New.", "1.1.0": "- Second.", "1.0.0": "First."} {
		if got, found := section(changes, name); !found || got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got, found := section(changes, "1.2.0"); found {
		t.Errorf("got %q for a version that is not there", got)
	}
}

func TestVersionsAreNumbers(t *testing.T) {
	for _, wrong := range []string{"", "v1.0.0", "1.0.0 -X", "latest"} {
		if _, err := newRelease(t.Context(), wrong, "../..", t.TempDir(), true); err == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
}

// Docker Compose is not needed: the files are YAML, and these are the lines that protect the host.
func TestComposeFilesConfineWaymark(t *testing.T) {
	files, err := filepath.Glob("../../deploy/compose*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("got %q, %v, want three files", files, err)
	}
	for _, file := range files {
		var compose struct {
			Services map[string]struct {
				Image       string
				ReadOnly    bool     `yaml:"read_only"`
				CapDrop     []string `yaml:"cap_drop"`
				SecurityOpt []string `yaml:"security_opt"`
				StopGrace   string   `yaml:"stop_grace_period"`
				Volumes     []string
			}
			Volumes map[string]any
		}
		if err := yaml.Unmarshal(read(t, file), &compose); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		servers := 0
		for name, s := range compose.Services {
			for _, volume := range s.Volumes {
				source, _, _ := strings.Cut(volume, ":")
				if _, found := compose.Volumes[source]; !found && !strings.HasPrefix(source, "./") {
					t.Errorf("%s: %s uses the volume %s, which does not exist", file, name, source)
				}
			}
			if !strings.HasPrefix(s.Image, "waymark:") {
				continue
			}
			servers++
			if grace, err := time.ParseDuration(s.StopGrace); err != nil || grace <= 20*time.Second || !s.ReadOnly || len(s.CapDrop) != 1 || len(s.SecurityOpt) != 1 || len(s.Volumes) != 1 {
				t.Errorf("%s: %s is not confined: %+v", file, name, s)
			}
		}
		if servers == 0 {
			t.Errorf("%s has no server", file)
		}
	}
}
