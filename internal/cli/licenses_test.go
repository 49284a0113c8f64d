package cli

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write licenses.txt and the reference of the commands")

// licenseFile matches the names of files with licenses and notices.
var licenseFile = regexp.MustCompile(`(?i)licen[cs]e|copying|notice|patents`)

// TestLicensesAreThoseOfTheLinkedModules fails if a module was added, removed or updated
// since licenses.txt was written.
func TestLicensesAreThoseOfTheLinkedModules(t *testing.T) {
	t.Parallel() // most of its time is that of go list
	want := linkedLicenses(t)
	if *update {
		check(t, os.WriteFile("licenses.txt", []byte(want), 0o644))
		return
	}
	if licenses == want {
		return
	}
	got, wanted := strings.Split(licenses, "\n"), strings.Split(want, "\n")
	for i := range min(len(got), len(wanted)) {
		if got[i] != wanted[i] {
			t.Errorf("licenses.txt, line %d: got %q, want %q", i+1, got[i], wanted[i])
			break
		}
	}
	t.Fatal("licenses.txt is not up to date. Write it with: go test ./internal/cli -run Licenses -update")
}

// linkedLicenses returns the contents of licenses.txt for the current modules.
func linkedLicenses(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "Waymark contains the following third-party software.\n")
	section := func(title string, files []string) {
		fmt.Fprintf(&text, "\n%s\n%s\n", strings.Repeat("=", 80), title)
		for _, file := range files {
			content, err := os.ReadFile(file)
			check(t, err)
			fmt.Fprintf(&text, "\n--- %s\n\n%s\n", filepath.Base(file), strings.TrimRight(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n"))
		}
	}
	section("Go, https://go.dev/", licenseFiles(t, strings.TrimSpace(goCommand(t, "linux", "env", "GOROOT"))))
	modules := map[string][]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for title, files := range linkedModules(t, system) {
			modules[title] = slices.Compact(slices.Sorted(slices.Values(append(modules[title], files...))))
		}
	}
	for _, title := range slices.Sorted(maps.Keys(modules)) {
		if len(modules[title]) == 0 {
			t.Errorf("%s has no file with a license", title)
		}
		section(title, modules[title])
	}
	section("htmx, https://htmx.org/, for the pages", []string{"../web/page/licenses/htmx.LICENSE.txt"})
	section("Inter, https://rsms.me/inter/, the font of the pages", []string{"../web/page/licenses/inter.LICENSE.txt"})
	section("Lucide, https://lucide.dev/, the icons of the pages", []string{"../web/page/licenses/lucide.LICENSE.txt"})
	section("zxcvbn, https://github.com/zxcvbn-ts/zxcvbn, the list of common passwords", []string{"../auth/licenses/zxcvbn.LICENSE.txt"})
	section("Swagger UI, https://github.com/swagger-api/swagger-ui, displays the API documentation", licenseFiles(t, "../api/docs"))
	return text.String()
}

// linkedModules returns the modules that the program contains on a system, and their files
// with licenses: those of the folders of linked packages, up to the folder of the module.
func linkedModules(t *testing.T, system string) map[string][]string {
	t.Helper()
	modules := map[string][]string{}
	packages := json.NewDecoder(strings.NewReader(goCommand(t, system, "list", "-deps", "-json=Dir,Module", "waymark")))
	for {
		var p struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		err := packages.Decode(&p)
		if errors.Is(err, io.EOF) {
			return modules
		}
		check(t, err)
		if p.Module == nil || p.Module.Main {
			continue
		}
		title := p.Module.Path + " " + p.Module.Version
		for dir := p.Dir; ; dir = filepath.Dir(dir) {
			modules[title] = append(modules[title], licenseFiles(t, dir)...)
			if dir == p.Module.Dir || len(dir) <= len(p.Module.Dir) {
				break
			}
		}
	}
}

// licenseFiles returns the files with licenses in a folder.
func licenseFiles(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	var files []string
	for _, entry := range entries {
		if licenseFile.MatchString(entry.Name()) && entry.Type().IsRegular() && !strings.HasSuffix(entry.Name(), ".go") {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files
}

// goCommand returns the output of the go command for an operating system.
func goCommand(t *testing.T, system string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off")
	var stderr strings.Builder
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(output)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
