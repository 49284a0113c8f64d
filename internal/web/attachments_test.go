package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// attach stores a file as an attachment of a link.
func attach(t testing.TB, s *testSite, link waymark.Link, name, file string) waymark.Attachment {
	t.Helper()
	a, err := s.store.Snapshots.Attach(t.Context(), waymark.User{ID: link.Owner}, waymark.NewAttachment(link.ID, name, "text/plain"), storetest.Packed(t, file), 1<<30)
	check(t, err)
	return a
}

// sendFile sends a form with fields and then a file.
func (b *browser) sendFile(path, name, file string, fields ...string) response {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		check(b.t, form.WriteField(fields[i], fields[i+1]))
	}
	part, err := form.CreateFormFile("file", name)
	check(b.t, err)
	_, err = part.Write([]byte(file))
	check(b.t, err)
	check(b.t, form.Close())
	return b.do(http.MethodPost, path, body.String(), "Content-Type", form.FormDataContentType())
}

func TestAttachmentsAreAddedDownloadedAndRemoved(t *testing.T) {
	s := newSite(t)
	ada, ben := s.user(t, "ada"), s.user(t, "ben")
	link := ada.addLink(waymark.LinkInput{URL: "https://a.example/"})
	path := attachmentsPath(link.ID)
	ada.get(linkPath(link.ID)).wantCount(`.facts [href="`+path+`"]`, 1)
	ada.sendFile(path, "", "").wantStatus(http.StatusUnprocessableEntity)
	ada.follow(ada.sendFile(path, "r\u00e9sum\u00e9.html", "<script>x()</script>"))
	for _, at := range []string{linkPath(link.ID), path} {
		if got := ada.get(at).Find(`[href="` + path + `/1"]`).Text(); strings.TrimSpace(got) != "r\u00e9sum\u00e9.html" {
			t.Errorf("%s: got %q", at, got)
		}
	}
	file := ada.get(path + "/1")
	if file.status != http.StatusOK || file.header.Get("Content-Disposition") != `attachment; filename="r_sum_.html"; filename*=UTF-8''r%C3%A9sum%C3%A9.html` ||
		file.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(file.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("got %d %v", file.status, file.header)
	}
	for _, p := range []response{ben.get(path), ben.get(path + "/1"), ben.sendFile(path, "a", "a"), ben.post(path + "/1/remove")} {
		if p.status != http.StatusForbidden && p.status != http.StatusNotFound {
			t.Errorf("another user: got %d", p.status)
		}
	}
	if !testing.Short() { // it takes a second
		ada.sendFile(path, "large", strings.Repeat("a", waymark.MaxUpload+1)).wantStatus(http.StatusUnprocessableEntity)
	}
	ada.follow(ada.post(path + "/1/remove"))
	ada.get(path + "/1").wantStatus(http.StatusNotFound)
}

func TestTheSnapshotOfABrowserSaysSo(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://a.example/"})
	storetest.AttachPage(t, s.store, link, "<p>What I see", "<p>What I see</p>")
	for _, path := range []string{linkPath(link.ID), linkPath(link.ID) + "/full-snapshot"} {
		if p := ada.get(path); !strings.Contains(p.Text(), "saved from your browser") {
			t.Errorf("%s does not say that the page is from the browser", path)
		}
	}
	ada.get(attachmentsPath(link.ID)).wantCount("table", 0) // otherwise the page is among the attachments
}
