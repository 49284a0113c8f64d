package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// userCommands are the commands of "waymark user".
type userCommands struct {
	Add          userAdd          `cmd:"" help:"Create a user."`
	List         userList         `cmd:"" help:"List users."`
	Edit         userEdit         `cmd:"" help:"Change a user's name, role or default visibility."`
	Password     userPassword     `cmd:"" help:"Change a user's password."`
	SecondFactor userSecondFactor `cmd:"" help:"Show or remove a user's second factors."`
	Disable      userDisable      `cmd:"" help:"Disable a user without deleting their data."`
	Enable       userEnable       `cmd:"" help:"Re-enable a user."`
	Identity     userIdentity     `cmd:"" help:"Show or remove a user's accounts at sign-in providers."`
	Remove       userRemove       `cmd:"" help:"Delete a user and all their data."`
}

type userAdd struct {
	Name string `arg:"" help:"User name, without spaces."`

	Admin         bool `help:"Make the user an administrator."`
	PasswordStdin bool `help:"Read the password from the first line of standard input." xor:"password"`
	NoPassword    bool `help:"Create a user who can only use API keys." xor:"password"`

	config.Store `embed:""`
}

func (*userAdd) Help() string {
	return `Prompts for a password of at least 8 characters. The first user is an administrator.

    waymark user add ann --admin
    waymark user add ben --password-stdin < password.txt
    waymark user add robot --no-password`
}

func (c *userAdd) Run(t *terminal) error {
	if err := waymark.ValidateUserName(c.Name); err != nil {
		return usageError{err}
	}
	var password string
	if !c.NoPassword {
		var err error
		if password, err = t.newPassword(c.Name, c.PasswordStdin, "--password-stdin to read it from standard input, or --no-password for a user with API keys only"); err != nil {
			return err
		}
	}
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		users := accounts.New(s, accounts.Options{})
		add := users.AddUser
		if c.Admin {
			add = users.AddAdmin
		}
		user, err := add(ctx, c.Name, password)
		if err != nil {
			return err
		}
		role := ""
		if user.Admin {
			role = ", an administrator"
		}
		fmt.Fprintf(t.err, "User %s created%s. Create an API key with: %s\n",
			user.Name, role, keyCommand(c.Store, user.Name))
		if c.NoPassword {
			fmt.Fprintf(t.err, "To sign in to the pages, %s needs a password: %s\n", user.Name, commandLine("user password", c.Store, user.Name))
		}
		return nil
	})
}

type userList struct {
	JSON bool `name:"json" help:"Print a JSON array."`

	config.Store `embed:""`
}

func (*userList) Help() string {
	return `VISIBILITY is the default for the user's new links, lists, tags and notes.

    waymark user list
    waymark user list --json | jq -r '.[] | select(.disabled) | .name'`
}

func (c *userList) Run(t *terminal) error {
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		users, err := s.Accounts.Users(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return printUsers(t.out, users)
		}
		table := newTable(t.out, "NAME", "STATE", "ROLE", "VISIBILITY", "ADDED")
		for _, user := range users {
			table.row(user.Name, choose(user.Disabled, "disabled", "active"),
				choose(user.Admin, "admin", "user"), user.DefaultVisibility.String(), formatTime(user.CreatedAt))
		}
		return table.Flush()
	})
}

func printUsers(w io.Writer, users []waymark.User) error {
	type user struct {
		Name              string            `json:"name"`
		Admin             bool              `json:"admin"`
		Disabled          bool              `json:"disabled"`
		DefaultVisibility map[string]string `json:"default_visibility"` // by kind of entity
		CreatedAt         string            `json:"created_at"`
	}
	var list []user
	for _, u := range users {
		v := u.DefaultVisibility
		list = append(list, user{u.Name, u.Admin, u.Disabled, map[string]string{
			"links": v.Links.String(), "lists": v.Lists.String(), "tags": v.Tags.String(), "notes": v.Notes.String(),
		}, formatTime(u.CreatedAt)})
	}
	return printJSONList(w, list)
}

type userEdit struct {
	User string `arg:"" name:"name" help:"User name."`

	Name  *string `placeholder:"NAME" help:"New user name, without spaces."`
	Admin *bool   `negatable:"" help:"Make the user an administrator, or remove that role."`

	DefaultVisibility []string `placeholder:"KIND=VISIBILITY" help:"Visibility of new links, lists, tags or notes: public, internal or private. Without KIND, of all four."`

	config.Store `embed:""`
}

func (*userEdit) Help() string {
	return `Changes only what a flag names. With --no-admin, one-time URLs of the user stop working.

    waymark user edit ann --name anna
    waymark user edit ann --admin
    waymark user edit ann --default-visibility links=public,lists=internal`
}

func (c *userEdit) Run(t *terminal) error {
	visibility, err := waymark.ParseDefaultVisibility(c.DefaultVisibility)
	if err != nil {
		return usageError{fmt.Errorf("--default-visibility: %w", err)}
	}
	edit := accounts.UserEdit{Name: c.Name, Admin: c.Admin, DefaultVisibility: visibility}
	if edit == (accounts.UserEdit{}) {
		return usageError{errors.New("nothing to change: use --name, --admin, --no-admin or --default-visibility")}
	}
	if edit.Name != nil {
		if err := waymark.ValidateUserName(*edit.Name); err != nil {
			return usageError{err}
		}
	}
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		users := accounts.New(s, accounts.Options{})
		user, err := users.EditUser(ctx, c.User, edit)
		if err != nil {
			return onlyAdministrator(err, c.User, c.Store)
		}
		fmt.Fprintf(t.err, "User %s changed.\n", user.Name)
		return nil
	})
}

type userPassword struct {
	Name string `arg:"" help:"User name."`

	PasswordStdin bool `help:"Read the password from the first line of standard input."`

	KeepKeys bool `help:"Keep the user's API keys and the URLs of their feeds."`

	config.Store `embed:""`
}

func (*userPassword) Help() string {
	return `Prompts for a password of at least 8 characters. The user is signed out everywhere. API keys are revoked,
and feeds get new URLs, because another person who knew the old password could have them: --keep-keys
keeps both.

    waymark user password ann
    waymark user password ann --keep-keys
    waymark user password ann --password-stdin < password.txt`
}

func (c *userPassword) Run(t *terminal) error {
	return withUser(c.Store, c.Name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		password, err := t.newPassword(c.Name, c.PasswordStdin, "--password-stdin to read it from standard input")
		if err != nil {
			return err
		}
		if err := accounts.New(s, accounts.Options{}).SetPassword(ctx, c.Name, password, !c.KeepKeys); err != nil {
			return err
		}
		fmt.Fprintf(t.err, "Password of %s changed.\n", user.Name)
		return nil
	})
}

type userSecondFactor struct {
	Name string `arg:"" help:"User name."`

	Remove bool `help:"Remove the app, the recovery codes, the passkeys and the trust in browsers."`

	config.Store `embed:""`
}

func (*userSecondFactor) Help() string {
	return `Prints what a user signs in with besides the password. With --remove, for a user who has lost their phone,
the password alone is enough again: be sure that it is they who ask.

    waymark user second-factor ann
    waymark user second-factor ann --remove`
}

func (c *userSecondFactor) Run(t *terminal) error {
	return withUser(c.Store, c.Name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		factors, err := s.Accounts.Factors(ctx, user.ID)
		if err != nil {
			return err
		}
		if c.Remove {
			if err := s.Accounts.RemoveFactors(ctx, user.ID); err != nil {
				return err
			}
			fmt.Fprintf(t.err, "Second factors of %s removed.\n", user.Name)
			if !factors.Password {
				fmt.Fprintf(t.err, "To sign in to the pages, %s needs a password: %s\n", user.Name, commandLine("user password", c.Store, user.Name))
			}
			return nil
		}
		_, err = fmt.Fprintf(t.out, "authenticator app: %s\nrecovery codes: %d\npasskeys: %d\ntrusted browsers: %d\nrequired: %s\n",
			choose(factors.App(), "on", "off"), factors.RecoveryCodes, factors.Passkeys, factors.Trusted, choose(factors.Required, "yes", "no"))
		return err
	})
}

type userDisable struct {
	Name string `arg:"" help:"User name."`

	config.Store `embed:""`
}

func (*userDisable) Help() string {
	return `The user's password and API keys stop working at once, until "waymark user enable", one-time URLs
for good. Other users still see what the user shares.`
}

func (c *userDisable) Run(t *terminal) error { return disable(t, c.Store, c.Name, true) }

type userEnable struct {
	Name string `arg:"" help:"User name."`

	config.Store `embed:""`
}

func (*userEnable) Help() string { return `The user's password and API keys work again.` }

func (c *userEnable) Run(t *terminal) error { return disable(t, c.Store, c.Name, false) }

func disable(t *terminal, settings config.Store, name string, disabled bool) error {
	return withUser(settings, name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		if err := accounts.New(s, accounts.Options{}).SetUserDisabled(ctx, name, disabled); err != nil {
			return onlyAdministrator(err, user.Name, settings)
		}
		fmt.Fprintf(t.err, "User %s %s.\n", user.Name, choose(disabled, "disabled", "enabled"))
		return nil
	})
}

type userIdentity struct {
	Name string `arg:"" help:"User name."`

	Remove string `placeholder:"ISSUER" help:"Remove the user's account at this provider."`

	config.Store `embed:""`
}

func (*userIdentity) Help() string {
	return `Prints a line for each account at a sign-in provider. With --remove, the user can no longer sign in with it,
even if it is their only way; sessions go on.

    waymark user identity ann
    waymark user identity ann --remove https://sso.example.org`
}

func (c *userIdentity) Run(t *terminal) error {
	return withUser(c.Store, c.Name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		if c.Remove == "" {
			identities, err := s.Accounts.Identities(ctx, user.ID)
			if err != nil {
				return err
			}
			table := newTable(t.out, "ISSUER", "SUBJECT", "ACCOUNT", "CONNECTED", "LAST USED")
			for _, i := range identities {
				table.row(i.Issuer, i.Subject, i.Name, formatTime(i.CreatedAt), formatTime(i.LastSeenAt))
			}
			return table.Flush()
		}
		err := s.Accounts.DeleteIdentity(ctx, user.ID, c.Remove, func(waymark.SignInWays) error { return nil })
		if errors.Is(err, waymark.ErrNotFound) {
			return fmt.Errorf("%s has no account at %s", user.Name, c.Remove)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(t.err, "Account of %s at %s removed.\n", user.Name, c.Remove)
		return nil
	})
}

type userRemove struct {
	Name string `arg:"" help:"User name."`

	TransferTo string `help:"Transfer everything but the trash to this user instead, and merge what has the same URL or name." placeholder:"NAME"`
	Yes        bool   `help:"Do not ask for confirmation."`

	config.Store `embed:""`
}

func (*userRemove) Help() string {
	return `Deletes the user's links, lists, tags, notes and API keys for good, and notes of others on these links.
"waymark user disable" keeps them. Asks for confirmation.

    waymark user remove ann
    waymark user remove ann --transfer-to ben
    waymark user remove ann --yes`
}

func (c *userRemove) Run(t *terminal) error {
	return withUser(c.Store, c.Name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		if !c.Yes {
			question := "This permanently deletes user " + user.Name + " and all their data."
			if c.TransferTo != "" {
				question = "This permanently deletes user " + user.Name + " and transfers their links to " + c.TransferTo + "."
			}
			if err := t.confirm(question, user.Name); err != nil {
				return err
			}
		}
		if err := accounts.New(s, accounts.Options{}).RemoveUser(ctx, c.Name, c.TransferTo); err != nil {
			return onlyAdministrator(err, user.Name, c.Store)
		}
		fmt.Fprintf(t.err, "User %s removed.\n", user.Name)
		return nil
	})
}
