package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/config"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// upload sends the form of an import. Fields come before the file.
func (b *browser) upload(name, text string, fields ...string) response {
	b.t.Helper()
	return b.sendFile("/import", name, text, fields...)
}

// importEnded waits until an import has ended, and returns it.
func (b *browser) importEnded(id waymark.ImportID) waymark.Import {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		i, err := b.site.store.Import(b.t.Context(), b.user.ID, id)
		if err != nil || time.Now().After(deadline) {
			b.t.Fatalf("import %d has not ended: %+v, error %v", id, i, err)
		}
		if !i.State.Active() {
			return i
		}
	}
}

const bookmarkFile = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p><DT><H3>News</H3><DL><p>
<DT><A HREF="https://a.example/" TAGS="red" ADD_DATE="1400000000">A</A>
<DT><A HREF="javascript:alert(1)">script</A>
</DL><p></DL><p>`

func TestUploadedFileIsImportedAndTakenBack(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		p := ada.upload("my bookmarks.html", bookmarkFile, "folders", "both", "folder-names", "leaf", "on-duplicate", "update", "visibility", "public")
		if p.status != http.StatusSeeOther || p.location != "/imports/1" {
			t.Fatalf("got %d to %q, want 303 to the import: %s", p.status, p.location, p.body)
		}
		i := ada.importEnded(1)
		want := waymark.ImportOptions{Folders: waymark.FoldersToBoth, FolderNames: waymark.FolderLeaf, OnDuplicate: waymark.UpdateDuplicates, Visibility: waymark.Public}
		if i.Options != want || i.Counts.Added != 1 || i.Counts.Failed != 1 || i.State != waymark.ImportFinished {
			t.Errorf("got %+v, want one link added and one failed with %+v", i, want)
		}
		for _, text := range []string{"my bookmarks.html", "Finished", "This URL cannot be saved.", "javascript:alert(1)", `action="/imports/1/undo"`} {
			if p := ada.get("/imports/1"); !strings.Contains(p.body, text) {
				t.Errorf("the page of the import does not contain %q: %s", text, p.body)
			}
		}
		report := ada.get("/imports/1")
		if got := spaced(report, ".made div"); got != "Links added1 Lists1 Tags2 Not imported1" {
			t.Errorf("the report says %q", got)
		}
		report.wantAttr("main p .btn:not(.plain, .main-act)", "href", "/tidy")
		report.wantCount(".heap", 0) // nobody could look at the old link here
		if p := ada.get("/import"); !strings.Contains(p.body, `href="/imports/1"`) {
			t.Errorf("the page has no link to the import: %s", p.body)
		}
		if p := bob.get("/import"); strings.Contains(p.body, "my bookmarks") {
			t.Error("another user sees the import")
		}
		ada.do("POST", "/imports/1/undo", "").wantStatus(http.StatusSeeOther)
		if sidebar, err := s.store.Sidebar(t.Context(), ada.user.ID); err != nil || sidebar.Counts != (waymark.Counts{Trash: 4}) {
			t.Errorf("after undo: got %+v (error %v), want all in the trash", sidebar.Counts, err)
		}
		if p := ada.get("/imports/1"); strings.Contains(p.body, "/imports/1/undo") || !strings.Contains(p.body, "Undone") {
			t.Errorf("the page of the import offers to undo it again: %s", p.body)
		}
	})
}

func TestReportOfAnImportFoldsLinesOfOneKind(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.get("/import").wantText("[data-sum]", "Folders become lists in lists · Links that you have already get the lists and tags of the file · The links will be as visible as in the file, or else as new links")
	ada.upload("a.html", strings.Replace(bookmarkFile, "</DL><p></DL>", strings.Repeat("<DT><A HREF=\"javascript:x\">x</A>\n", 70)+"</DL><p></DL>", 1))
	ada.importEnded(1)
	p := ada.get("/imports/1")
	p.wantText(".recipes summary", "71 This URL cannot be saved.")
	p.wantCount(".recipes details li", maxShownProblems+1) // and a mark that there are more
}

func TestFileThatCannotBeImportedIsAProblemOfTheForm(t *testing.T) {
	settings := config.Default().API
	settings.MaxImport = 1 << 20
	s := newTestSite(t, storetest.Open(t), settings)
	ada := s.user(t, "ada")
	for name, test := range map[string]struct {
		file, text string
		want       string
	}{
		"no file":        {"", "", "Choose a file."},
		"empty":          {"a.html", "", "The file is empty."},
		"unknown format": {"a.html", "hello <b>", "This is not a file that Waymark can read."},
		"too large":      {"a.html", bookmarkFile + strings.Repeat(" ", 1<<20), "The file is larger than 1 MiB."},
	} {
		p := ada.upload(test.file, test.text, "folders", "tags")
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, test.want) || !strings.Contains(p.body, `value="tags" selected`) {
			t.Errorf("%s: got %d without %q: %s", name, p.status, test.want, p.body)
		}
	}
	for fields, want := range map[string]int{"folders": 422, "folder-names": 422, "on-duplicate": 422, "visibility": 422, "other": 303} {
		ada.upload("a.html", bookmarkFile, fields, "wrong").wantStatus(want)
	}
	ada.do("POST", "/import", "file=x", "Content-Type", formType).wantStatus(http.StatusBadRequest)
}

func TestReportOfAnImportIsInTheLanguageOfTheUser(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.post("/settings/appearance", "theme", "", "view", "comfortable", "links-per-page", "24", "language", "de", "time-zone", "UTC").wantStatus(http.StatusSeeOther)
	if p, want := ada.upload("a.zip", "PK\x03\x04"), "Das ist ein ZIP-Archiv."; !strings.Contains(p.body, want) {
		t.Errorf("the page does not contain %q: %s", want, p.body)
	}
	ada.upload("a.csv", "url,title,created\nhttps://a.example/,A,soon\n,B,\nhttps://c.example/,C,2020-01-01,too much\nhttps://f.example/,\"F\nhttps://g.example/,G,2020-01-01\n")
	ada.importEnded(1)
	p := ada.get("/imports/1")
	for _, want := range []string{"Ein Datum konnte nicht gelesen werden und wurde weggelassen.", "Es gibt keine Adresse.", "Die Zeile hat mehr Zellen als die Kopfzeile (3).", "Die Datei endet mitten in diesem Lesezeichen"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page does not contain %q: %s", want, p.body)
		}
	}
	ada.upload("b.html", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><DT><A HREF=\"place:sort=8\">Most Visited</A>\n"+
		"<!-- <DT><A HREF=\"https://b.example/\">B</A> -->\n<DT><A HREF=\"https://a.example/>A</A>\n<DT><A HREF=\"https://c.example/\"</A>\n</DL>\n")
	ada.importEnded(2)
	for _, want := range []string{
		"Zeile 2: Das ist eine gespeicherte Suche von Firefox", "Zeile 4: In diesem Lesezeichen fehlt ein Anführungszeichen",
		"2 Das HTML oder XML ist hier fehlerhaft. Was danach kommt, wurde gelesen. Zeile 3: Zeile 5:",
	} {
		if got := ada.get("/imports/2").text("main"); !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	ada.upload("a.archive", strings.Join([]string{
		`{"format":"waymark-archive","version":1}`,
		`{"type":"link","number":1,"url":"https://g.example/","tags":[3],"colour":"red"}`,
		`{"type":"link","number":2,"url":"javascript:alert(1)"}`,
		`{"type":"note","link":2,"text":"on what is not saved"}`,
		`{"type":"end","entities":7}`,
	}, "\n"))
	ada.importEnded(3)
	got := ada.get("/imports/3").Find(".recipes li").Map(func(_ int, row *goquery.Selection) string { return strings.Join(strings.Fields(row.Text()), " ") })
	if want := []string{
		`Zeile 2: Die Zeile hat ein Feld, das diese Version von Waymark nicht kennt. Es wurde weggelassen.`,
		`Zeile 2: Tags: konnte nicht gespeichert werden und wurde weggelassen. https://g.example/`,
		`Zeile 3: Diese Adresse kann nicht gespeichert werden. javascript:alert(1)`,
		`Zeile 4: Der Link, zu dem das gehört, wurde nicht gespeichert.`,
		`Zeile 5: Das Archiv müsste außer der ersten und letzten 7 Zeilen haben, hat aber eine andere Zahl.`,
	}; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	ada.upload("URLs", "https://d.example/\nhttps://e.example/\n")
	ada.importEnded(4)
	if got, want := ada.get("/imports/4").text("header p"), "Fertig · Liste von Adressen · "; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPageOfARunningImportIsReplacedUntilItEnds(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	i, err := s.store.CreateImport(t.Context(), waymark.Import{Owner: ada.user.ID, File: "a.html", Size: 100, Options: waymark.ImportOptions{}.WithDefaults()})
	check(t, err)
	path := fmt.Sprint("/imports/", i.ID)
	const poll = `hx-trigger="every 1s"`
	if p := ada.get(path); !strings.Contains(p.body, poll) || !strings.Contains(p.body, "<progress") || strings.Contains(p.body, "about 0") {
		t.Errorf("a running import has no progress, or a size that is not known yet: %s", p.body)
	}
	if _, err := s.store.EndImport(t.Context(), i.ID, waymark.ImportInterrupted, ""); err != nil {
		t.Fatal(err)
	}
	p := ada.do("GET", path, "", "HX-Request", "true", "HX-Target", "import")
	if strings.Contains(p.body, poll) || p.Find("#import").Length() != 1 || p.Find("nav").Length() > 0 || !strings.Contains(p.body, "The import was interrupted.") {
		t.Errorf("an interrupted import: got %s, want only its part of the page, without progress", p.body)
	}
}

func TestNameOfAnUploadedFileIsStoredAsValidText(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for name, want := range map[string]string{
		"latin-\xe4.html": "latin-\uFFFD.html",
		strings.Repeat("ä", waymark.MaxName+1) + ".html": strings.Repeat("ä", waymark.MaxName),
	} {
		p := ada.upload(name, bookmarkFile)
		var id waymark.ImportID
		if _, err := fmt.Sscanf(p.location, "/imports/%d", &id); err != nil {
			t.Fatalf("got %d to %q, want 303 to the import", p.status, p.location)
		}
		if got := ada.importEnded(id).File; got != want {
			t.Errorf("got the name %q, want %q", got, want)
		}
	}
}

func TestUploadThatIsCutOffIsAMistakeOfTheClient(t *testing.T) {
	s := newSite(t)
	body := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.html\"\r\n\r\n" + bookmarkFile
	s.user(t, "ada").do("POST", "/import", body, "Content-Type", "multipart/form-data; boundary=x").wantStatus(http.StatusBadRequest)
}
