package accounts

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// AddUser creates a user. Their new entities are private by default. A user with an empty
// password can only use API keys. The first user is an administrator.
func (a *Accounts) AddUser(ctx context.Context, name, password string) (waymark.User, error) {
	return a.addUser(ctx, newUser(name), password)
}

// AddAdmin creates an administrator, as AddUser creates a user.
func (a *Accounts) AddAdmin(ctx context.Context, name, password string) (waymark.User, error) {
	admin := newUser(name)
	admin.Admin = true
	return a.addUser(ctx, admin, password)
}

func (a *Accounts) addUser(ctx context.Context, user waymark.User, password string) (waymark.User, error) {
	if err := waymark.ValidateUserName(user.Name); err != nil {
		return waymark.User{}, err
	}
	var hash string
	if password != "" {
		var err error
		if hash, err = auth.HashPassword(ctx, user.Name, password); err != nil {
			return waymark.User{}, err
		}
	}
	some, err := a.store.Accounts.HasUsers(ctx)
	if err != nil {
		return waymark.User{}, err
	}
	user.Admin = user.Admin || !some
	created, err := a.store.Accounts.CreateUser(ctx, user, hash)
	return created, wrapUser(user.Name, err)
}

// AddMigratedUser creates a user of another program. hash is the bcrypt hash of their password,
// which the first sign-in replaces, or "" for none.
func (a *Accounts) AddMigratedUser(ctx context.Context, name, hash string, admin, disabled bool) (waymark.User, error) {
	if err := waymark.ValidateUserName(name); err != nil {
		return waymark.User{}, err
	}
	if hash != "" {
		if err := auth.ValidateForeignHash(hash); err != nil {
			return waymark.User{}, err
		}
	}
	user := newUser(name)
	user.Admin, user.Disabled = admin, disabled
	user, err := a.store.Accounts.CreateUser(ctx, user, hash)
	return user, wrapUser(name, err)
}

// newUser returns a user whose new entities are private by default.
func newUser(name string) waymark.User {
	return waymark.User{Name: name, DefaultVisibility: waymark.DefaultsTo(waymark.Private)}
}

// SetPassword changes the password of a user and ends all their sessions. The one-time tokens that
// they created become invalid. With revoke it also revokes all their API keys and renews the URLs of
// their feeds.
func (a *Accounts) SetPassword(ctx context.Context, name, password string, revoke bool) error {
	user, err := a.store.Accounts.UserByName(ctx, name)
	if err != nil {
		return wrapUser(name, err)
	}
	hash, err := auth.HashPassword(ctx, user.Name, password)
	if err != nil {
		return err
	}
	return wrapUser(name, a.store.Accounts.SetPasswordHash(ctx, user.ID, hash, renewedFeedToken(revoke)))
}

// RemoveUser permanently deletes a user. Their links, lists, tags and notes, except the
// trash, get another owner, transferTo, or are deleted if that is "". Where the new owner has a
// link with the same URL, or a list or tag of the same name, the two are merged. The user's
// API keys and sessions stop working immediately. The last administrator can be removed only if there
// is no other user: waymark.ErrLastAdministrator.
func (a *Accounts) RemoveUser(ctx context.Context, name, transferTo string) error {
	user, err := a.store.Accounts.UserByName(ctx, name)
	if err != nil {
		return wrapUser(name, err)
	}
	receiver := waymark.Guest
	if transferTo != "" {
		to, err := a.store.Accounts.UserByName(ctx, transferTo)
		if err != nil {
			return wrapUser(transferTo, err)
		}
		if to.ID == user.ID {
			return fmt.Errorf("%q cannot get the links of the user who is removed", transferTo)
		}
		receiver = to.ID
	}
	users, err := a.store.Accounts.UserSummaries(ctx)
	if err != nil {
		return err
	}
	permit := keepAdministrator
	if len(users) == 1 { // the next user is the first one again
		permit = func(waymark.User, int) error { return nil }
	}
	return wrapUser(name, a.store.RemoveUser(ctx, user.ID, receiver, permit))
}

// UserEdit is a change to a user. A nil or zero field keeps the current value. A new
// default visibility does not change existing entities.
type UserEdit struct {
	Name              *string
	Admin, Disabled   *bool
	DefaultVisibility waymark.DefaultVisibility
}

// EditUser changes the user with this name and returns the result. The user keeps
// everything else: entities, API keys and password. It returns waymark.ErrConflict if
// another user has the new name, without regard to case. The last administrator keeps this role:
// waymark.ErrLastAdministrator.
func (a *Accounts) EditUser(ctx context.Context, name string, edit UserEdit) (waymark.User, error) {
	taken := name // the name in the error if there is a conflict
	if edit.Name != nil {
		if err := waymark.ValidateUserName(*edit.Name); err != nil {
			return waymark.User{}, err
		}
		taken = *edit.Name
	}
	wasAdministrator := false
	user, err := a.store.Accounts.ChangeUser(ctx, name, func(user *waymark.User) error {
		wasAdministrator = user.Admin && !user.Disabled
		setTo(&user.Name, edit.Name)
		setTo(&user.Admin, edit.Admin)
		setTo(&user.Disabled, edit.Disabled)
		user.DefaultVisibility = user.DefaultVisibility.Edit(edit.DefaultVisibility)
		return nil
	}, func(user waymark.User, others int) error {
		if wasAdministrator {
			return oneIsLeft(user, others)
		}
		return nil
	})
	if errors.Is(err, waymark.ErrConflict) {
		name = taken
	}
	return user, wrapUser(name, err)
}

// SetUserDisabled disables or enables a user. The password and the API keys of a disabled user
// stop working and their sessions end immediately; their data is kept. The last administrator cannot
// be disabled: waymark.ErrLastAdministrator.
func (a *Accounts) SetUserDisabled(ctx context.Context, name string, disabled bool) error {
	_, err := a.EditUser(ctx, name, UserEdit{Disabled: &disabled})
	return err
}

func setTo[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// wrapUser adds the name of the user to waymark.ErrNotFound and waymark.ErrConflict.
func wrapUser(name string, err error) error { return wrapNamed("user", name, err) }

func wrapNamed(what, name string, err error) error {
	for _, kind := range []error{waymark.ErrNotFound, waymark.ErrConflict} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%s %q %w", what, name, kind)
		}
	}
	return err
}
