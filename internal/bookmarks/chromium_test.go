package bookmarks_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/bookmarks"
	"waymark/internal/waymark"
)

// Chromium imports a file when it starts for the first time, if its initial preferences name
// one. Debian's Chromium looks for them in /etc/chromium; a mount that only this Chromium sees
// puts a folder of the test there. What Chromium imported is in the file Bookmarks.
func TestChromiumImportsTheHTMLThatWaymarkWrites(t *testing.T) {
	chromium := needChromiumWithPreferences(t)
	dir := t.TempDir()
	file, want := chromiumFile(t)
	preferences := fmt.Sprintf(`{"distribution": {"import_bookmarks_from_file": %q}}`, filepath.Join(dir, "waymark.html"))
	for name, text := range map[string]string{"waymark.html": file, "initial_preferences": preferences} {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	profile := filepath.Join(dir, "profile")
	// --dump-dom ends Chromium when the page is loaded, and it saves what it imported.
	command := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
		`mount --bind "$1" /etc/chromium && shift && exec "$@"`, "sh", dir,
		chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-component-update", "--disable-background-networking",
		"--lang=en-US", "--force-first-run", "--user-data-dir="+profile, "--dump-dom", "about:blank")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, output)
	}
	imported, err := os.Open(filepath.Join(profile, "Default", "Bookmarks"))
	check(t, err)
	defer imported.Close()
	r, err := bookmarks.Open(imported, bookmarks.Limits{})
	check(t, err)
	var got []string
	for b, err := range r.All() {
		check(t, err)
		got = append(got, describeImported(b, b.Folders[0]))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what Chromium imported (-want +got):\n%.4000s", diff)
	}
}

// chromiumFile returns a file with a thousand bookmarks, and what Chromium is to have of each.
func chromiumFile(t *testing.T) (file string, want []string) {
	t.Helper()
	titles := []string{
		"Plain", `"Quoted" & 'quoted'`, "<b>not bold</b>", "&amp; stays", "Ä 日本 🏳️‍🌈", "a </A> b <DD> c", "&#34;", "",
	}
	var text strings.Builder
	w, err := bookmarks.NewWriter(&text, bookmarks.FormatHTML)
	check(t, err)
	for i := range 1000 {
		b := bookmarks.Bookmark{
			URL:         fmt.Sprintf("https://example.com/%d?a=1&b=%%20#c", i),
			Title:       titles[i%len(titles)],
			Description: "A text\nof \"two\" lines </DL>",
			Tags:        []string{"red", "green"},
			Visibility:  waymark.Private,
			CreatedAt:   waymark.Time(1_600_000_000_000_000 + int64(i)*86_400_000_000),
			Notes:       []bookmarks.Note{{Text: "A note"}},
		}
		switch i % 3 {
		case 1:
			b.Folders = [][]string{{`Folder "one" & <two>`}}
		case 2:
			b.Folders = [][]string{{`Folder "one" & <two>`, "Inside"}}
		}
		check(t, w.Write(b))
		var path []string
		if len(b.Folders) > 0 {
			path = b.Folders[0]
		}
		want = append(want, describeImported(b, append([]string{"Bookmarks bar"}, path...)))
	}
	check(t, w.Close())
	return text.String(), want
}

// describeImported returns what browsers keep of a bookmark.
func describeImported(b bookmarks.Bookmark, path []string) string {
	return fmt.Sprintf("%q %s %s %d", path, b.URL, b.Title, b.CreatedAt/1_000_000)
}

// needChromiumWithPreferences returns Debian's Chromium, or skips the test.
func needChromiumWithPreferences(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	skip := t.Skip
	if os.Getenv("CI") == "true" {
		skip = t.Fatal
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		skip("chromium is not installed")
	}
	if _, err := os.Stat("/etc/chromium"); err != nil {
		skip("chromium is not that of Debian: ", err)
	}
	if output, err := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "true").CombinedOutput(); err != nil {
		skip("a process cannot have mounts of its own: ", err, string(output))
	}
	return chromium
}
