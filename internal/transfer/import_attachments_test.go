package transfer_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// attach adds a file to a link.
func attach(t *testing.T, s *store.Store, link waymark.Link, name, contentType, file string) {
	t.Helper()
	if _, err := s.Snapshots.Attach(t.Context(), waymark.User{ID: link.Owner}, waymark.NewAttachment(link.ID, name, contentType), storetest.Packed(t, file), 1<<30); err != nil {
		t.Fatal(err)
	}
}

// attachmentsOf describes the attachments of a link with their files.
func attachmentsOf(t *testing.T, s *store.Store, link waymark.Link) (all []string) {
	t.Helper()
	found, err := s.Snapshots.Attachments(t.Context(), link.Owner, link.ID)
	check(t, err)
	for _, a := range found {
		var file strings.Builder
		check(t, s.Snapshots.CopyAttachment(t.Context(), a, &file))
		all = append(all, fmt.Sprintf("%s %s %v %s", a.Name, a.ContentType, a.FullSnapshot, file.String()))
	}
	return all
}

func TestArchivesHaveAttachmentsPagesOfBrowsersAndBundles(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		svc.setQuota(1 << 30)
		ada, eve, fay := storetest.User(t, s, "ada"), storetest.User(t, s, "eve"), storetest.User(t, s, "fay")
		link := addLink(t, svc, ada, waymark.LinkInput{URL: "https://bread.example/"})
		random := make([]byte, 1_200_000) // several lines
		for i := range random {
			random[i] = byte(rand.Uint32())
		}
		attach(t, s, link, "recipe.bin", "", string(random))
		attach(t, s, link, "empty.html", "text/html", "")
		storetest.AttachPage(t, s, link, `<html><head><meta charset="utf-8"/></head><body><p>Bread</p></body></html>`, "<p>Bread</p>")
		if _, err := svc.addNote(t.Context(), ada, link.ID, "a note"); err != nil {
			t.Fatal(err)
		}
		check(t, svc.trash(t.Context(), ada, waymark.Links, int64(link.ID)))
		bundle := waymark.Bundle{Owner: ada.ID, Name: "Bread", AnyTags: "a b", Unread: waymark.FilterYes, Shared: waymark.FilterOff, Position: 7}
		if _, err := s.Accounts.CreateBundle(t.Context(), bundle, false); err != nil {
			t.Fatal(err)
		}
		file := export(t, svc, ada, transfer.ExportArchive)
		if data, pages := strings.Count(file, `{"type":"attachment_data"`), strings.Count(file, `"full_snapshot":true`); data != 3 || pages != 1 {
			t.Fatalf("got %d lines with data and %d pages", data, pages)
		}
		for range 2 {
			if _, problems := importArchive(t, svc, s, eve, strings.NewReader(file)); len(problems) > 0 {
				t.Errorf("got problems %q", problems)
			}
			if got := export(t, svc, eve, transfer.ExportArchive); got != file {
				t.Errorf("got %.2000s\nwant %.2000s", got, file)
			}
		}
		svc.setQuota(1_000_000)
		if _, problems := importArchive(t, svc, s, fay, strings.NewReader(file)); len(problems) != 1 || !strings.Contains(problems[0], waymark.ErrSnapshotQuota.Error()) {
			t.Errorf("over the quota: got problems %q", problems)
		}
	})
}

func TestUndoTakesAttachmentsAndBundlesBack(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		svc.setQuota(1 << 20)
		ada := storetest.User(t, s, "ada")
		known := addLink(t, svc, ada, waymark.LinkInput{URL: "https://known.example/"})
		attach(t, s, known, "mine", "text/plain", "mine")
		i, problems := importArchive(t, svc, s, ada, strings.NewReader(archiveText(
			`{"type":"link","number":1,"url":"https://known.example/"}`,
			attachmentLine(1, "a", 3, ""), dataLine("abc"),
			`{"type":"attachment","link":1,"full_snapshot":true,"name":"page.html","content_type":"text/html","size":16}`, dataLine("<p>What I see</p"),
			`{"type":"link","number":2,"url":"https://new.example/"}`, attachmentLine(2, "b", 1, ""), dataLine("b"),
			`{"type":"bundle","name":"one"}`)))
		if len(problems) > 0 {
			t.Fatalf("got problems %q", problems)
		}
		added, err := s.LinkByURL(t.Context(), ada.ID, "https://new.example/")
		if err != nil || len(attachmentsOf(t, s, known)) != 3 || len(attachmentsOf(t, s, added)) != 1 {
			t.Fatalf("got %q, %q, error %v", attachmentsOf(t, s, known), attachmentsOf(t, s, added), err)
		}
		if _, err := svc.UndoImport(t.Context(), ada, i.ID); err != nil {
			t.Fatal(err)
		}
		if got := attachmentsOf(t, s, known); !slices.Equal(got, []string{"mine text/plain false mine"}) {
			t.Errorf("after the undo: got %q", got)
		}
		if bundles, err := s.Accounts.Bundles(t.Context(), ada.ID); err != nil || len(bundles) != 0 {
			t.Errorf("after the undo: got %v, error %v", bundles, err)
		}
		if err := s.Restore(t.Context(), waymark.User{ID: added.Owner}, waymark.Links, int64(added.ID)); err != nil || len(attachmentsOf(t, s, added)) != 1 {
			t.Errorf("a link that was restored lost its attachment, error %v", err)
		}
	})
}

func TestHostileAttachmentsOfArchives(t *testing.T) {
	const link = `{"type":"link","number":1,"url":"https://a.example/"}`
	page := func(file string) []string {
		return []string{link, fmt.Sprintf(`{"type":"attachment","link":1,"full_snapshot":true,"name":"page.html","content_type":"text/html","size":%d}`, len(file)), dataLine(file)}
	}
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		svc.setQuota(1 << 20)
		for name, test := range map[string]struct {
			lines    []string
			want     []string // the attachments
			problems []string
		}{
			"data alone":      {[]string{link, dataLine("abc")}, nil, []string{"line 3: the line has 3 bytes of an attachment: between 1 and 0 can follow here"}},
			"no data":         {[]string{link, attachmentLine(1, "a", 3, "")}, nil, []string{"line 3: the attachment has 0 bytes instead of 3"}},
			"too little data": {[]string{link, attachmentLine(1, "a", 3, ""), dataLine("ab"), attachmentLine(1, "b", 1, ""), dataLine("b")}, []string{"b application/octet-stream false b"}, []string{"line 3: the attachment has 2 bytes instead of 3"}},
			"too much data": {[]string{link, attachmentLine(1, "a", 3, ""), dataLine("abcd")}, nil,
				[]string{"line 3: the attachment has 0 bytes instead of 3", "line 4: the line has 4 bytes of an attachment: between 1 and 3 can follow here"}},
			"a huge size": {[]string{link, attachmentLine(1, "a", 1<<40, ""), dataLine("a")}, nil,
				[]string{"line 3: the attachment has 1099511627776 bytes: it must have between 0 and 104857600", "line 4: the line has 1 bytes of an attachment: between 1 and 0 can follow here"}},
			"a negative size":                 {[]string{link, attachmentLine(1, "a", -1, "")}, nil, []string{"line 3: the attachment has -1 bytes: it must have between 0 and 104857600"}},
			"another link":                    {[]string{link, attachmentLine(2, "a", 1, ""), dataLine("a")}, nil, []string{"line 3: the attachment belongs to link 2, which is not the link before it", "line 4: the line has 1 bytes of an attachment: between 1 and 0 can follow here"}},
			"no link":                         {[]string{`{"type":"link","number":1,"url":""}`, attachmentLine(1, "a", 1, ""), dataLine("a"), `{"type":"link","number":2,"url":"https://a.example/"}`}, nil, []string{"line 2: the url field is required", "line 3: the link of the attachment could not be saved"}},
			"a name that is a path, and HTML": {[]string{link, attachmentLine(1, `../../a\".html`, 22, "text/html"), dataLine("<script>x()</script>ab")}, []string{"a_.html text/html false <script>x()</script>ab"}, nil},
			"a page with a script": {page(`<html><head></head><body onload="x()"><script>x()</script><img src="https://spy.example/"><p>Text</p></body></html>`),
				[]string{`page.html text/html true <html><head></head><body onload="x()"><script>x()</script><img src="https://spy.example/"><p>Text</p></body></html>`}, nil},
			"no page": {page("\x00\x01\x02"), nil, []string{"line 3: the file is not an HTML page"}},
		} {
			user := storetest.User(t, s, "user of "+strings.ReplaceAll(name, " ", "-"))
			_, problems := importArchive(t, svc, s, user, strings.NewReader(archiveText(test.lines...)))
			if name != "no link" && !slices.Equal(problems, test.problems) || len(problems) != len(test.problems) {
				t.Errorf("%s: got problems %q, want %q", name, problems, test.problems)
			}
			found, err := s.LinkByURL(t.Context(), user.ID, "https://a.example/")
			check(t, err)
			if got := attachmentsOf(t, s, found); !slices.Equal(got, test.want) {
				t.Errorf("%s: got %q, want %q", name, got, test.want)
			}
		}
	})
}

// archiveText returns an archive with these lines.
func archiveText(lines ...string) string {
	return `{"format":"waymark-archive","version":1}` + "\n" + strings.Join(lines, "\n") + fmt.Sprintf("\n"+`{"type":"end","entities":%d}`+"\n", len(lines))
}

func attachmentLine(link int, name string, size int64, contentType string) string {
	return fmt.Sprintf(`{"type":"attachment","link":%d,"name":"%s","content_type":"%s","size":%d}`, link, name, contentType, size)
}

func dataLine(data string) string {
	return `{"type":"attachment_data","data":"` + base64.StdEncoding.EncodeToString([]byte(data)) + `"}`
}
