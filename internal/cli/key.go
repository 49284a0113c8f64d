package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// keyCommands are the commands of "waymark key".
type keyCommands struct {
	Add    keyAdd    `cmd:"" help:"Create an API key."`
	List   keyList   `cmd:"" help:"List a user's API keys."`
	Revoke keyRevoke `cmd:"" help:"Revoke an API key."`
}

// keyOwner is the user of a key: --user as in other commands, or the first argument.
type keyOwner struct {
	User string `placeholder:"NAME" help:"User of the key; can also be the first argument."`
}

// take returns the user, and the n arguments that are not the user.
func (o keyOwner) take(arguments []string, n int) (user string, rest []string, err error) {
	if o.User != "" {
		arguments = append([]string{o.User}, arguments...)
	}
	if len(arguments) == n {
		return "", nil, usageError{errors.New("missing flag: --user NAME")}
	}
	if len(arguments) != n+1 {
		return "", nil, usageError{errors.New("give one name of a key, and its user with --user NAME")}
	}
	return arguments[0], arguments[1:], nil
}

type keyAdd struct {
	Arguments []string `arg:"" name:"keyname" help:"Name of the key, such as the client that uses it."`
	keyOwner  `embed:""`

	Access  waymark.Access `enum:"full,read,add" default:"full" help:"Access level: full, read (read-only) or add (create only)."`
	Expires expiry         `placeholder:"TIME" help:"When the key expires: after a time such as 90d, 2w or 12h, or at the end (UTC) of a date such as 2027-01-31."`

	config.Store `embed:""`
}

func (*keyAdd) Help() string {
	return `Prints the key, and nothing else, on standard output. It cannot be shown again. Create a key for each
client, so that you can revoke them separately.

    waymark key add --user ann miniflux
    waymark key add --user ann phone --access read --expires 90d
    KEY=$(waymark key add --user ann backup --access read)`
}

func (c *keyAdd) Run(t *terminal) error {
	owner, names, err := c.take(c.Arguments, 1)
	if err != nil {
		return err
	}
	if err := waymark.ValidateKeyName(names[0]); err != nil {
		return usageError{err}
	}
	expires, err := c.Expires.time(time.Now())
	if err != nil {
		return err
	}
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		users := accounts.New(s, accounts.Options{})
		secret, key, err := users.AddAPIKey(ctx, owner, names[0], c.Access, expires)
		if err != nil {
			return err
		}
		signal.Ignore(syscall.SIGPIPE) // so that a key that nobody reads is revoked
		if _, err := fmt.Fprintln(t.out, secret); err != nil {
			return errors.Join(fmt.Errorf("the API key was revoked, because it could not be printed: %w", err),
				users.RevokeAPIKey(ctx, owner, names[0]))
		}
		expiry := "never expires"
		if key.ExpiresAt != 0 {
			expiry = "expires " + formatTime(key.ExpiresAt)
		}
		fmt.Fprintf(t.err, "API key %q for %s created (%s access, %s). Store it now; it cannot be shown again.\n",
			key.Name, owner, key.Access, expiry)
		return nil
	})
}

type keyList struct {
	Arguments []string `arg:"" optional:"" name:"user" help:"User name."`
	keyOwner  `embed:""`

	JSON bool `name:"json" help:"Print a JSON array."`

	config.Store `embed:""`
}

func (*keyList) Help() string {
	return `Prints a line for each key, without the key itself. LAST USED is accurate to about a minute.

    waymark key list --user ann
    waymark key list --user ann --json | jq -r '.[] | select(.expired) | .name'`
}

func (c *keyList) Run(t *terminal) error {
	owner, _, err := c.take(c.Arguments, 0)
	if err != nil {
		return err
	}
	return withUser(c.Store, owner, func(ctx context.Context, s *store.Store, user waymark.User) error {
		keys, err := s.Accounts.APIKeys(ctx, user.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return printKeys(t.out, keys, s.Now())
		}
		table := newTable(t.out, "NAME", "ACCESS", "STATE", "ADDED", "LAST USED", "EXPIRES")
		for _, key := range keys {
			table.row(key.Name, string(key.Access), choose(key.Expired(s.Now()), "expired", "active"),
				formatTime(key.CreatedAt), formatTime(key.LastUsedAt), formatTime(key.ExpiresAt))
		}
		return table.Flush()
	})
}

func printKeys(w io.Writer, keys []waymark.APIKey, now waymark.Time) error {
	type key struct {
		Name       string         `json:"name"`
		Access     waymark.Access `json:"access"`
		Expired    bool           `json:"expired"`
		CreatedAt  string         `json:"created_at"`
		LastUsedAt *string        `json:"last_used_at"` // null for never
		ExpiresAt  *string        `json:"expires_at"`   // null for never
	}
	var list []key
	for _, k := range keys {
		list = append(list, key{k.Name, k.Access, k.Expired(now), formatTime(k.CreatedAt), jsonTime(k.LastUsedAt), jsonTime(k.ExpiresAt)})
	}
	return printJSONList(w, list)
}

type keyRevoke struct {
	Arguments []string `arg:"" name:"keyname" help:"Name of the key."`
	keyOwner  `embed:""`

	Yes bool `help:"Do not ask for confirmation."`

	config.Store `embed:""`
}

func (*keyRevoke) Help() string {
	return `Takes effect at once, also on a running server, and cannot be undone. Asks for confirmation.

    waymark key revoke --user ann phone
    waymark key revoke --user ann phone --yes`
}

func (c *keyRevoke) Run(t *terminal) error {
	owner, names, err := c.take(c.Arguments, 1)
	if err != nil {
		return err
	}
	name := names[0]
	return withUser(c.Store, owner, func(ctx context.Context, s *store.Store, user waymark.User) error {
		if !c.Yes {
			if err := t.confirm(fmt.Sprintf("This permanently revokes the API key %q of user %s.", name, user.Name), name); err != nil {
				return err
			}
		}
		if err := accounts.New(s, accounts.Options{}).RevokeAPIKey(ctx, owner, name); err != nil {
			return err
		}
		fmt.Fprintf(t.err, "API key %q of %s revoked.\n", name, user.Name)
		return nil
	})
}

// expiry is when a key expires: after a time span, at a point in time, or never (zero).
type expiry struct {
	after config.Duration
	at    time.Time
}

// UnmarshalText parses a time span such as 90d, a date, or a time in RFC 3339. A key with
// a date works until the end of that day, UTC. RFC 3339 cannot express later years than 9999.
func (e *expiry) UnmarshalText(text []byte) error {
	*e = expiry{}
	if day, err := time.Parse(time.DateOnly, string(text)); err == nil {
		e.at = day.AddDate(0, 0, 1).Add(-time.Microsecond)
		return nil
	}
	if at, err := time.Parse(time.RFC3339, string(text)); err == nil && at.UTC().Year() <= 9999 {
		e.at = at
		return nil
	}
	if err := e.after.UnmarshalText(text); err != nil {
		return fmt.Errorf("invalid expiry %q: use a time span such as 90d, 2w or 12h, or a date such as 2027-01-31", text)
	}
	return nil
}

// time returns when a key that is created now expires, zero for never, or an error for the past.
func (e expiry) time(now time.Time) (waymark.Time, error) {
	switch {
	case e.after != 0:
		return waymark.FromTime(now.Add(time.Duration(e.after))), nil
	case e.at.IsZero():
		return 0, nil
	case !e.at.After(now):
		return 0, usageError{errors.New("--expires: " + e.at.UTC().Format(time.RFC3339) + " is in the past")}
	}
	return waymark.FromTime(e.at), nil
}
