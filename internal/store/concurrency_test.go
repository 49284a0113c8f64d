package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// A request of an administrator may run while their role ends.
func TestNoOneTimeTokenOutlivesTheRightsOfItsCreator(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := createAdmin(t, s, "ada"), storetest.User(t, s, "bob")
		setAdmin := func(admin bool) {
			if _, err := s.Accounts.ChangeUser(ctx, "ada", func(u *waymark.User) error { u.Admin = admin; return nil }, anyUser); err != nil {
				t.Error(err)
			}
		}
		for i := range 20 {
			setAdmin(true)
			hash := []byte(fmt.Sprint(i))
			var requests sync.WaitGroup
			requests.Go(func() { setAdmin(false) })
			for _, create := range []func() error{
				func() error {
					_, err := s.Accounts.CreateInvitation(ctx, waymark.Invitation{CreatedBy: ada.ID, ExpiresAt: 1 << 60}, hash)
					return err
				},
				func() error {
					return s.Accounts.CreatePasswordReset(ctx, bob.ID, waymark.PasswordReset{CreatedBy: ada.ID, ExpiresAt: 1 << 60}, hash)
				},
			} {
				requests.Go(func() {
					if err := create(); err != nil && !errors.Is(err, waymark.ErrForbidden) {
						t.Error(err)
					}
				})
			}
			requests.Wait()
			rows, err := s.Rows(ctx, "SELECT (SELECT count(*) FROM invitations), (SELECT count(*) FROM password_resets)")
			wantError(t, "count", err, nil)
			wantEqual(t, "invitations and resets", rows, [][]any{{int64(0), int64(0)}})
		}
	})
}
