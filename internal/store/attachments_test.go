package store_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// attach stores a file as an attachment of a link.
func attach(t *testing.T, s *store.Store, link waymark.Link, name, file string) waymark.Attachment {
	t.Helper()
	a, err := s.Snapshots.Attach(t.Context(), waymark.User{ID: link.Owner}, waymark.NewAttachment(link.ID, name, "text/plain; charset=utf-8"), storetest.Packed(t, file), noQuota)
	check(t, err)
	return a
}

// contentOf returns the file of an attachment.
func contentOf(t *testing.T, s *store.Store, a waymark.Attachment) string {
	t.Helper()
	var file bytes.Buffer
	check(t, s.Snapshots.CopyAttachment(t.Context(), a, &file))
	return file.String()
}

func TestAttachmentIsReadAsItWasSavedByUsersWhoSeeTheLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		public, private := storetest.Link(t, s, ada, "https://a.example/", waymark.Public), storetest.Link(t, s, ada, "https://b.example/", waymark.Private)
		random := make([]byte, 600_000) // several chunks
		for i := range random {
			random[i] = byte(rand.Uint32())
		}
		for _, file := range []string{"", "a", string(random)} {
			for _, link := range []waymark.Link{public, private} {
				a := attach(t, s, link, `C:\docs\Ta"x.txt`, file)
				if a.Name != "Ta_x.txt" || a.ContentType != "text/plain" || a.Size != int64(len(file)) || a.Owner != ada.ID || a.CreatedAt == 0 {
					t.Errorf("got %+v", a)
				}
				read, err := s.Snapshots.Attachment(t.Context(), ada.ID, link.ID, a.ID)
				check(t, err)
				wantEqual(t, "attachment", read, a)
				if contentOf(t, s, a) != file {
					t.Errorf("got another file than the one of %d bytes", len(file))
				}
				_, err = s.Snapshots.Attachment(t.Context(), ada.ID, link.ID+1000, a.ID)
				wantError(t, "of another link", err, waymark.ErrNotFound)
			}
		}
		for _, test := range []struct {
			name   string
			viewer waymark.UserID
			link   waymark.Link
			want   error
		}{
			{"own", ada.ID, private, nil},
			{"public", bob.ID, public, nil},
			{"private", bob.ID, private, waymark.ErrForbidden},
			{"guest", waymark.Guest, public, waymark.ErrNotFound},
		} {
			all, err := s.Snapshots.Attachments(t.Context(), test.viewer, test.link.ID)
			wantError(t, test.name, err, test.want)
			if err == nil && len(all) != 3 {
				t.Errorf("%s: got %d attachments, want 3", test.name, len(all))
			}
		}
	})
}

func TestAttachmentsCountAgainstTheQuotaAndGoWithTheirLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		first := attach(t, s, link, "a", "aaaa")
		second := attach(t, s, link, "b", strings.Repeat("b", 300_000))
		wantBytes := func(user waymark.User, want int64) {
			t.Helper()
			if got, err := snapshotBytes(t, s, user.ID); err != nil || got != want {
				t.Errorf("got %d bytes (error %v), want %d", got, err, want)
			}
		}
		used := first.Bytes + second.Bytes
		wantBytes(ada, used)
		for want, quota := range map[error]int64{nil: used + first.Bytes, waymark.ErrSnapshotQuota: used + first.Bytes - 1} {
			a, err := s.Snapshots.Attach(t.Context(), ada, waymark.NewAttachment(link.ID, "c", ""), storetest.Packed(t, "aaaa"), quota)
			wantError(t, "another file", err, want)
			if err == nil {
				check(t, s.Snapshots.Detach(t.Context(), ada, link.ID, a.ID))
			}
		}
		wantError(t, "by another user", s.Snapshots.Detach(t.Context(), bob, link.ID, first.ID), waymark.ErrForbidden)
		_, err := s.Snapshots.Attach(t.Context(), bob, waymark.NewAttachment(link.ID, "c", ""), storetest.Packed(t, ""), noQuota)
		wantError(t, "by another user", err, waymark.ErrForbidden)
		check(t, s.RemoveUser(t.Context(), ada.ID, bob.ID, anyUser))
		wantBytes(bob, used)
		check(t, s.Delete(t.Context(), bob, waymark.Links, int64(link.ID)))
		wantBytes(bob, used)
		check(t, s.ClearTrash(t.Context(), bob.ID, waymark.Links))
		wantBytes(bob, 0)
		if n, err := database.QueryOne(t.Context(), s.Database().Querier(), database.ScanValue[int], "SELECT count(*) FROM attachment_chunks"); n != 0 || err != nil {
			t.Errorf("got %d chunks (error %v) without an attachment", n, err)
		}
	})
}

func TestALinkHasALimitedNumberOfAttachments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		link := storetest.Link(t, s, storetest.User(t, s, "ada"), "https://a.example/", waymark.Public)
		for range waymark.MaxAttachments {
			attach(t, s, link, "a", "")
		}
		_, err := s.Snapshots.Attach(t.Context(), waymark.User{ID: link.Owner}, waymark.NewAttachment(link.ID, "c", ""), storetest.Packed(t, ""), noQuota)
		if _, ok := errors.AsType[*waymark.ValidationError](err); !ok {
			t.Errorf("got error %v, want one of validation", err)
		}
	})
}

func TestAPageOfABrowserReplacesSnapshotsAndIsNotReplaced(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		saveWholePage(t, s, link, "<p>please sign in")
		saveTextSnapshot(t, s, link, "please sign in")
		storetest.AttachPage(t, s, link, "<p>an older page", "<p>an older sourdough</p>")
		a := storetest.AttachPage(t, s, link, "<p>what I see", "<p>sourdough</p>")
		saveWholePage(t, s, link, "<p>please sign in")
		saveTextSnapshot(t, s, link, "please sign in")
		file, err := storetest.FullHTML(t, s, ada.ID, link.ID)
		check(t, err)
		wantEqual(t, "file", file, "<p>what I see")
		found, err := s.Snapshots.Full(t.Context(), ada.ID, link.ID)
		check(t, err)
		wantEqual(t, "attachment", found.Attachment, a)
		_, text, err := s.Snapshots.TextHTML(t.Context(), ada.ID, link.ID)
		check(t, err)
		wantEqual(t, "text", text, "<p>sourdough</p>")
		for words, want := range map[string]int{"sourdough": 1, "older": 0, "sign": 0} {
			if got, err := snapshotsWith(t.Context(), s, words); len(got) != want || err != nil {
				t.Errorf("%s: got links %d (error %v), want %d", words, got, err, want)
			}
		}
		saved, err := s.Link(t.Context(), ada.ID, link.ID)
		check(t, err)
		if saved.UpdatedAt <= link.UpdatedAt {
			t.Error("the time of the last change has not changed")
		}
		err = s.Snapshots.CopyAttachment(t.Context(), waymark.Attachment{ID: a.ID, Size: a.Size + 1}, io.Discard)
		wantError(t, "a file with a missing chunk", err, waymark.ErrNotFound)
		check(t, s.Snapshots.Remove(t.Context(), ada, link.ID))
		_, err = s.Snapshots.Full(t.Context(), ada.ID, link.ID)
		wantError(t, "after it was removed", err, waymark.ErrNotFound)
	})
}
