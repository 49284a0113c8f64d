package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// Two users create, edit and delete links of all sizes in turn, so that the pages of the
// database have texts of both. When everything of one user was deleted, the files have
// none of its texts.
func TestDeletedTextsAreNotInTheFiles(t *testing.T) {
	for name, remove := range map[string]func(t *testing.T, s *store.Store, user waymark.User){
		"user remove": func(t *testing.T, s *store.Store, user waymark.User) {
			check(t, storetest.RemoveUser(t.Context(), s, user.ID))
		},
		"trash clear": func(t *testing.T, s *store.Store, user waymark.User) {
			var ids []waymark.LinkID
			var tagIDs []waymark.TagID
			for _, link := range allLinks(t, s, user) {
				ids = append(ids, link.ID)
			}
			for _, tag := range readPage(t, s.Tags(user.ID, byID, unlimited)).Entities {
				tagIDs = append(tagIDs, tag.ID)
			}
			moveToTrash(t, s, user, waymark.Links, ids...)
			moveToTrash(t, s, user, waymark.Tags, tagIDs...)
			check(t, s.ClearTrash(t.Context(), user.ID, waymark.Links))
			check(t, s.ClearTrash(t.Context(), user.ID, waymark.Tags))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := storetest.OpenWith(t, store.Options{Dir: dir})
			ann, ben := storetest.User(t, s, "ann"), storetest.User(t, s, "ben")
			rounds := 60
			if testing.Short() {
				rounds = 12
			}
			for i := range rounds {
				for _, user := range []waymark.User{ann, ben} {
					text := "secret of " + user.Name + ", "
					drafts := make([]waymark.LinkDraft, 10)
					for j := range drafts {
						n := 10*i + j
						drafts[j] = waymark.LinkDraft{Tags: []waymark.Ref{{Name: fmt.Sprint(text, n%40)}}, Link: waymark.Link{
							Owner: user.ID, Visibility: waymark.Private, Status: 1,
							URL:         fmt.Sprintf("https://example.org/secret-of-%s/%d?%s", user.Name, n, strings.Repeat("x", n*7%300)),
							Title:       text + strings.Repeat("title ", n%30),
							Description: strings.Repeat(text, n*n%700), // some have overflow pages
						}}
					}
					created := storetest.CreateLinks(t, s, user, drafts...)
					if user.ID == ben.ID {
						continue
					}
					_, err := s.ChangeLink(t.Context(), ann, created[i%10].ID, nil, nil, func(l *waymark.Link, _ waymark.Target) error {
						l.Description = strings.Repeat("secret of ann edited ", i*7)
						return nil
					})
					check(t, err)
				}
			}
			check(t, s.EmptyWAL(t.Context()))
			remove(t, s, ann)

			for _, file := range []string{"waymark.db", "waymark.db-wal", "waymark.db-shm"} {
				content, err := os.ReadFile(filepath.Join(dir, file))
				check(t, err)
				for _, text := range []string{"secret of ann", "secret-of-ann"} {
					if n := bytes.Count(content, []byte(text)); n > 0 {
						t.Errorf("%q is in %s %d times", text, file, n)
					}
				}
				if file == "waymark.db" && !bytes.Contains(content, []byte("secret of ben")) {
					t.Error("the texts of the other user are not in the database: the test proves nothing")
				}
			}
		})
	}
}
