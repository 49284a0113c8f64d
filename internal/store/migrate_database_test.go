package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/store"
	"waymark/internal/store/doctor"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestMigrationHasEveryColumnOfEveryTable(t *testing.T) {
	storetest.Each(t, func(t *testing.T, there *store.Store) {
		from, back := storetest.Open(t), storetest.Open(t)
		ada := createRowsOfEveryTable(t, from)
		want := allRows(t, from)
		wantValueInEveryColumn(t, want)

		progress, finish := checkedProgress(t)
		check(t, doctor.MigrateDatabase(t.Context(), from.Database(), there.Database(), progress))
		finish()
		progress, finish = checkedProgress(t)
		check(t, doctor.MigrateDatabase(t.Context(), there.Database(), back.Database(), progress))
		finish()
		for name, s := range map[string]*store.Store{"copy": there, "copy of the copy": back} {
			if diff := cmp.Diff(want, allRows(t, s)); diff != "" {
				t.Errorf("rows of the source (-) and of the %s (+):\n%s", name, diff)
			}
			filter := where(inTitle("ard"))
			wantEqual(t, "search in the "+name, searchIDs(t, s, ada, filter), searchIDs(t, from, ada, filter))
		}
	})
}

func TestIDsOfNewLinksFollowThoseOfTheMigration(t *testing.T) {
	storetest.Each(t, func(t *testing.T, to *store.Store) {
		from := storetest.Open(t)
		ada := storetest.User(t, from, "ada")
		links := storetest.Fill(t, from, ada, 3)
		last := links[len(links)-1].ID // it is deleted, but its id may be known to clients
		check(t, from.Delete(t.Context(), ada, waymark.Links, int64(last)))
		check(t, from.ClearTrash(t.Context(), ada.ID, waymark.Links))
		check(t, doctor.MigrateDatabase(t.Context(), from.Database(), to.Database(), func(int, int) {}))
		if link := storetest.Link(t, to, ada, "https://new.example/", waymark.Private); link.ID <= last {
			t.Errorf("a new link has id %d, want more than %d", link.ID, last)
		}
	})
}

func TestMigrationRejectsATargetThatIsNotEmpty(t *testing.T) {
	storetest.Each(t, func(t *testing.T, to *store.Store) {
		from := storetest.Open(t)
		storetest.User(t, from, "ada")
		storetest.User(t, to, "bob")
		err := doctor.MigrateDatabase(t.Context(), from.Database(), to.Database(), func(int, int) {})
		wantError(t, "migrate", err, doctor.ErrNotEmpty)
	})
}

func TestCanceledMigrationLeavesTheTargetEmpty(t *testing.T) {
	storetest.Each(t, func(t *testing.T, to *store.Store) {
		from := storetest.Open(t)
		ada := storetest.User(t, from, "ada")
		storetest.Fill(t, from, ada, 700)
		ctx, cancel := context.WithCancel(t.Context())
		err := doctor.MigrateDatabase(ctx, from.Database(), to.Database(), func(done, _ int) {
			if done > 600 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got error %v, want context.Canceled", err)
		}
		if users, err := to.Accounts.Users(t.Context()); err != nil || len(users) != 0 {
			t.Errorf("got %d users (error %v), want none", len(users), err)
		}
		if err := doctor.MigrateDatabase(t.Context(), from.Database(), to.Database(), func(int, int) {}); err != nil {
			t.Errorf("migrate again: %v", err)
		}
	})
}

// A server that was started before with the target has stored a setup token there.
func TestMigrationReplacesASetup(t *testing.T) {
	storetest.Each(t, func(t *testing.T, to *store.Store) {
		from := storetest.Open(t)
		storetest.User(t, from, "ada")
		if _, err := to.Accounts.CreateInvitation(t.Context(), waymark.Invitation{Admin: true, Setup: true}, []byte("setup hash")); err != nil {
			t.Fatal(err)
		}
		check(t, doctor.MigrateDatabase(t.Context(), from.Database(), to.Database(), func(int, int) {}))
		wantEqual(t, "invitations", selectRows(t, to, "SELECT count(*) FROM invitations"), [][]any{{int64(0)}})
	})
}

// createRowsOfEveryTable creates rows such that each column of each table has a value in
// some row, and links that are several batches. It returns the first user.
func createRowsOfEveryTable(t *testing.T, s *store.Store) waymark.User {
	t.Helper()
	ctx := t.Context()
	_, err := s.Accounts.CreateInvitation(ctx, waymark.Invitation{Setup: true}, []byte("setup hash"))
	check(t, err)
	ada, err := s.Accounts.CreateUser(ctx, waymark.User{Name: "ada", DefaultVisibility: waymark.DefaultsTo(waymark.Private)}, "password hash")
	check(t, err)
	bob := storetest.User(t, s, "bob")
	_, err = s.Accounts.ChangeUser(ctx, "bob", func(user *waymark.User) error {
		user.Admin, user.Disabled = true, true
		return nil
	}, anyUser)
	check(t, err)
	key, err := s.Accounts.CreateAPIKey(ctx, waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessRead, ExpiresAt: 12345}, []byte("key hash"))
	check(t, err)
	check(t, s.Accounts.SaveAPIKeyUse(ctx, map[waymark.APIKeyID]waymark.Time{key.ID: 54321}))
	createCredentials(t, s, ada, bob)
	createFullImport(t, s, ada)
	links := storetest.Fill(t, s, ada, 600)
	storetest.Fill(t, s, bob, 40)
	draft := storetest.Draft(2000)
	draft.Link.ImageURL, draft.Link.FromPage, draft.Link.Snapshots, draft.Link.SeenAt = "https://a.example/thumbnail.png", waymark.ImageText, waymark.TextSnapshots, 98765
	link := storetest.CreateLinks(t, s, ada, draft)[0]
	_, err = s.Queue.RequestPages(ctx, link.Owner, []int64{int64(link.ID)}, waymark.TextParts, true)
	check(t, err)
	_, err = s.Queue.ClaimPageOfLink(ctx, link.ID, 98765)
	check(t, err)
	claimed, err := s.Queue.ClaimLinkCheck(ctx, storetest.Link(t, s, ada, "https://checked.example/", waymark.Private).ID, 1)
	check(t, err)
	for day := range waymark.Time(3) {
		_, err = s.Queue.AddCheck(ctx, claimed, waymark.LastCheck{
			Check: waymark.Check{At: 1e12 + day*86_400e6, Result: waymark.CheckDead, Code: 404}, Reason: "status", NewURL: "https://new.example/",
		})
		check(t, err)
	}
	check(t, s.Queue.HoldHost(ctx, "checked.example", 1e12))
	saveTextSnapshot(t, s, links[5], "a snapshot of a page")
	check(t, s.Snapshots.SaveReadingPosition(ctx, ada.ID, links[5].ID, waymark.ReadingPosition{Paragraph: 3, PerMille: 420}))
	saveWholePage(t, s, links[5], "<p>a full snapshot")
	storetest.AttachPage(t, s, links[4], strings.Repeat("<p>a page of a browser", 20_000), "") // two chunks
	page := queue.ClaimedPage{Link: link.ID, Owner: ada.ID, URL: link.URL}
	for _, kind := range []waymark.PictureKind{waymark.Thumbnail, waymark.SiteIcon} {
		check(t, s.Snapshots.SetLinkPicture(ctx, page, kind, storetest.Picture(string(rune('a'+kind)))))
	}
	lists, err := s.CreateLists(ctx, ada.ID, []waymark.List{{Name: "list", Description: "description", Visibility: waymark.Public}, {Name: "its parent", Visibility: waymark.Private}})
	check(t, err)
	_, err = s.ChangeList(ctx, ada.ID, lists[0].ID, func(list *waymark.List) error {
		list.Parent, list.Position = lists[1].ID, 7
		return nil
	})
	check(t, err)
	shareList(t, s, ada, bob)
	tag := createTag(t, s, ada, "tag", waymark.Internal)
	note := createNote(t, s, ada, link.ID, "שלום", waymark.Private)
	createNote(t, s, ada, link.ID, "Active", waymark.Private)
	_, searchErr := s.Accounts.CreateSavedSearch(ctx, waymark.SavedSearch{InLists: true, Public: true, Owner: ada.ID, Name: "go", Query: "go", Order: "title"})
	_, bundleErr := s.Accounts.CreateBundle(ctx, waymark.Bundle{
		Owner: ada.ID, Name: "go", Search: "a", AnyTags: "b", AllTags: "c", ExcludedTags: "d", Unread: waymark.FilterYes, Shared: waymark.FilterNo, Position: 7,
	}, false)
	check(t, errors.Join(searchErr, bundleErr, s.PinList(ctx, bob.ID, lists[0].ID, true), s.PinTag(ctx, ada.ID, tag.ID, true)))
	moveToTrash(t, s, ada, waymark.Links, links[3].ID, links[550].ID)
	moveToTrash(t, s, ada, waymark.Lists, lists[0].ID)
	moveToTrash(t, s, ada, waymark.Tags, tag.ID)
	moveToTrash(t, s, ada, waymark.Notes, note.ID)
	return ada
}

// shareList creates a list of owner that editor edits, who changes a link in it.
func shareList(t *testing.T, s *store.Store, owner, editor waymark.User) {
	t.Helper()
	list, err := s.CreateList(t.Context(), owner.ID, waymark.List{Name: "shared", Visibility: waymark.Internal})
	check(t, err)
	check(t, s.SetListEditors(t.Context(), owner, list.ID, waymark.Editors{Who: waymark.EditedByNamed, Users: []string{editor.Name}}))
	link := storetest.Link(t, s, owner, "https://shared.example/", waymark.Public)
	check(t, s.AddToList(t.Context(), owner, list.ID, link.ID, waymark.MaxLinkLists))
	_, err = s.ChangeLink(t.Context(), editor, link.ID, nil, nil, func(l *waymark.Link, _ waymark.Target) error {
		l.Title = "by an editor"
		return nil
	})
	check(t, err)
}

// createCredentials sets every column of a user's settings, sessions, one-time tokens and
// feed token.
func createCredentials(t *testing.T, s *store.Store, ada, bob waymark.User) {
	t.Helper()
	ctx := t.Context()
	admin := createAdmin(t, s, "eve")
	_, sessionErr := s.Accounts.CreateSession(ctx, waymark.Session{UserID: ada.ID, Persistent: true, CreatedAt: 1, LastSeenAt: 2, ExpiresAt: 3, ConfirmedAt: 4, Method: waymark.ByPasskey, PasskeyID: 1, IDToken: "token", Browser: "Firefox", Address: "192.0.2.1"}, []byte("session hash"), "", []byte("trust"))
	ended, endedErr := s.Accounts.CreateSession(ctx, waymark.Session{UserID: ada.ID, CreatedAt: 1, LastSeenAt: 6, ExpiresAt: 7}, []byte("ended session"), "", nil)
	_, invitationErr := s.Accounts.CreateInvitation(ctx, waymark.Invitation{Name: "cleo", Admin: true, CreatedBy: admin.ID, ExpiresAt: 4}, []byte("invitation hash"))
	_, appErr := s.Accounts.SetAuthenticator(ctx, ada.ID, 0, waymark.Authenticator{Secret: "SECRET", UsedStep: 5}, [][]byte{[]byte("code")})
	passkey := waymark.Passkey{
		UserID: ada.ID, Credential: "credential", Handle: "handle", PublicKey: "key", SignCount: 1, BackupEligible: true, BackedUp: true,
		Transports: "usb", AAGUID: "kind", Host: "example.org", Name: "phone", LastUsedAt: 1,
	}
	passkeyErr := s.Accounts.AddPasskey(ctx, passkey, 0)
	for _, err := range []error{
		passkeyErr, sessionErr, endedErr, invitationErr, appErr,
		s.Accounts.DeleteSession(ctx, ada.ID, ended.ID),
		changeSettings(t, s, bob.ID, waymark.Settings{
			Language: "de", TimeZone: "Europe/Berlin", Theme: waymark.DarkTheme, View: waymark.CardsView,
			LinksPerPage: 48, NewTab: true, HideDescriptions: true, NoShortcuts: true, OnlyMine: true, OpeningReads: true, SaveUnread: true, UnreadOrder: "oldest", Reading: waymark.Reading{Size: "large", Width: "wide", Theme: "sepia"}, NoMetadata: true, NoChecks: true,
			NoPictures: true, Snapshots: waymark.NoSnapshots,
		}),
		s.Accounts.CreatePasswordReset(ctx, ada.ID, waymark.PasswordReset{CreatedBy: admin.ID, ExpiresAt: 5}, []byte("reset hash")),
		s.Accounts.SetFeedToken(ctx, ada.ID, "feed token"),
		s.Accounts.CreateIdentity(ctx, identityOf(ada, "subject")),
		s.Accounts.SetFactorRule(ctx, waymark.FactorForAdministrators, "ada"),
	} {
		check(t, err)
	}
}

// allRows returns the rows of every table, each as text with its columns sorted by name.
func allRows(t testing.TB, s *store.Store) map[string][]string {
	t.Helper()
	tables, err := s.TableColumns(t.Context())
	check(t, err)
	all := map[string][]string{}
	for table, columns := range tables {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.Name
		}
		rows, err := s.Rows(t.Context(), "SELECT "+strings.Join(names, ", ")+" FROM "+table)
		check(t, err)
		for _, row := range rows {
			fields := make([]string, len(row))
			for i, value := range row {
				switch value { // SQLite has no type for these
				case false:
					value = int64(0)
				case true:
					value = int64(1)
				}
				fields[i] = fmt.Sprintf("%s=%#v", names[i], value)
			}
			all[table] = append(all[table], strings.Join(fields, "; "))
		}
		slices.Sort(all[table])
	}
	return all
}

// wantValueInEveryColumn checks that each column has another value than zero, so that
// one which is not copied makes a difference.
func wantValueInEveryColumn(t *testing.T, tables map[string][]string) {
	t.Helper()
	for table, rows := range tables {
		if table == "revoked_api_keys" {
			continue
		}
		filled := map[string]bool{}
		for _, row := range rows {
			for field := range strings.SplitSeq(row, "; ") {
				name, value, _ := strings.Cut(field, "=")
				zero := value == "0" || value == `""` || value == "<nil>"
				filled[name] = filled[name] || !zero
			}
		}
		for name, ok := range filled {
			if !ok {
				t.Errorf("no row has a value in %s.%s: set it in createRowsOfEveryTable", table, name)
			}
		}
	}
}

// checkedProgress returns a progress function, which checks its arguments. finish checks that all
// rows were reported.
func checkedProgress(t *testing.T) (progress func(done, all int), finish func()) {
	t.Helper()
	last, total := 0, -1
	progress = func(done, all int) {
		if done < last || done > all {
			t.Errorf("progress went from %d to %d of %d", last, done, all)
		}
		last, total = done, all
	}
	return progress, func() {
		t.Helper()
		if last != total {
			t.Errorf("progress ended with %d of %d", last, total)
		}
	}
}
