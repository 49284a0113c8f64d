package cli_test

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"waymark/internal/store"
	domain "waymark/internal/waymark"
)

// An import that is killed can run again without duplicates, and both imports can be undone.
// bookmarksInTwoFolders returns a bookmark file that has each URL in two folders.
func bookmarksInTwoFolders(urls int) string {
	var text strings.Builder
	text.WriteString("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n")
	for folder := range 2 {
		fmt.Fprintf(&text, "<DT><H3>Folder %d</H3>\n<DL><p>\n", folder)
		for n := range urls {
			fmt.Fprintf(&text, "<DT><A HREF=\"https://a.example/%d\">Link %d</A>\n", n, n)
		}
		text.WriteString("</DL><p>\n")
	}
	text.WriteString("</DL><p>\n")
	return text.String()
}

func TestKilledImportCanRunAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	createStore(t, store.Options{Dir: dir})
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("waymark", append(args, "--data", dir)...).CombinedOutput()
		if err != nil {
			t.Fatalf("waymark %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("user", "add", "ada", "--no-password")
	s, err := store.Open(t.Context(), store.Options{Dir: dir, MustExist: true})
	check(t, err)
	defer s.Close()
	ada, err := s.Accounts.UserByName(t.Context(), "ada")
	check(t, err)

	text := bookmarksInTwoFolders(3000)
	// The first process gets a part of the file, and waits for the rest when it is killed.
	command := exec.Command("waymark", "import", "--user", "ada", "--data", dir, "-")
	in, err := command.StdinPipe()
	check(t, err)
	check(t, command.Start())
	if _, err := io.WriteString(in, text[:len(text)/3]); err != nil {
		t.Fatal(err)
	}
	var killed domain.Import
	for deadline := time.Now().Add(time.Minute); killed.Counts.Read == 0; {
		all, err := s.Imports(t.Context(), ada.ID)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("no step after a minute (error %v)", err)
		}
		if len(all) > 0 {
			killed = all[0]
		}
	}
	check(t, command.Process.Kill())
	command.Wait() //nolint:errcheck // it was killed

	rest := exec.Command("waymark", "import", "--user", "ada", "--data", dir, "-")
	rest.Stdin = strings.NewReader(text)
	if out, err := rest.CombinedOutput(); err != nil {
		t.Fatalf("import again: %v\n%s", err, out)
	}
	links, err := s.Links(ada.ID, domain.Order{By: domain.SortByID}, domain.Pagination{}).Page(t.Context())
	if err != nil || links.Total != 3000 {
		t.Fatalf("got %d links (error %v), want 3000", links.Total, err)
	}
	for _, link := range links.Entities {
		if len(link.Lists) != 2 {
			t.Fatalf("%s is in %d lists, want 2", link.URL, len(link.Lists))
		}
	}
	all, err := s.Imports(t.Context(), ada.ID)
	if err != nil || len(all) != 2 {
		t.Fatalf("got %d imports (error %v), want 2", len(all), err)
	}
	for _, i := range all {
		run("import", "undo", fmt.Sprint(i.ID))
	}
	if sidebar, err := s.Sidebar(t.Context(), ada.ID); err != nil || sidebar.Counts.Links+sidebar.Counts.Lists != 0 || sidebar.Counts.Trash != 3002 {
		t.Errorf("after undo: got %+v (error %v), want 3000 links and 2 lists in the trash", sidebar.Counts, err)
	}
}
