package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"waymark/internal/accounts"
	"waymark/internal/archive"
	"waymark/internal/auth"
	"waymark/internal/config"
	"waymark/internal/migrate"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

type migrateLinkAce struct {
	migrateAPI `embed:""`

	NoNotes     bool   `help:"Do not migrate notes, which need a request for each link."`
	LinkaceUser int64  `placeholder:"ID" help:"ID of the user in LinkAce, if the command cannot find out whose key it is."`
	From        string `name:"from-database" placeholder:"DATABASE" env:"WAYMARK_MIGRATE_DATABASE" help:"Read LinkAce's database: a SQLite file, mysql://user:password@host/name or postgres://user:password@host/name."`
}

func (*migrateLinkAce) Help() string {
	return `Adds the lists, tags, links and notes of a LinkAce, version 1 or 2, with their dates and visibility.
The server may be running, and LinkAce is not changed. After an interruption, run the command again.
"waymark import undo" undoes it.

Through the API, for one user and without the trash. LinkAce permits 60 requests a minute, and the notes
of each link need one:

    WAYMARK_MIGRATE_KEY=… waymark migrate linkace --url https://links.example.org --user ann

From the database, for all users, with their passwords and the trash, in seconds:

    waymark migrate linkace --from-database /srv/linkace/database.sqlite
    WAYMARK_MIGRATE_DATABASE=mysql://linkace:secret@127.0.0.1/linkace waymark migrate linkace`
}

func (c *migrateLinkAce) Run(t *terminal) error {
	switch {
	case c.From != "" && c.URL != "":
		return usageError{errors.New("--url and --from-database exclude each other")}
	case c.From != "" && c.User != "":
		return usageError{errors.New("--user is for --url: --from-database migrates all users")}
	case c.From != "":
		return c.runDatabase(t)
	}
	p := newProgress(t.err)
	defer p.end()
	client, err := c.client(t, "Bearer", p)
	if err != nil {
		return err
	}
	l := &migrate.LinkAce{Client: client, User: c.LinkaceUser, NoNotes: c.NoNotes, Progress: p.links}
	return migrateThroughAPI(c.migrateAPI, &migration{from: "LinkAce", file: client.URL, records: l.Records, totals: func() migrate.Totals { return l.Totals }, print: p.print})
}

func (c *migrateLinkAce) runDatabase(t *terminal) error {
	return withStoreForImports(c.Store, waymark.FetchPolicy{}, func(ctx context.Context, s *store.Store) (err error) {
		imports := transfer.New(s, 0)
		d, err := migrate.OpenLinkAce(ctx, c.From)
		if err != nil {
			return interrupted(ctx, err)
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		users, err := d.Users(ctx)
		if err != nil {
			return interrupted(ctx, err)
		}
		if err := checkNames(users); err != nil {
			return err
		}
		created := make([]waymark.User, len(users))
		for i, user := range users {
			if created[i], err = migrateLinkAceUser(ctx, t, c.Store, s, imports, d, user); err != nil {
				return fmt.Errorf("user %s: %w", user.Name, err)
			}
		}
		// The links of all users must be there first.
		for i, user := range users {
			if err := migrateNotesOnOthers(ctx, t, imports, d, user, created[i]); err != nil {
				return fmt.Errorf("user %s: %w", user.Name, err)
			}
		}
		return adviseAdministrator(ctx, t, c.Store, s)
	})
}

// adviseAdministrator says how to make an administrator if there is none.
func adviseAdministrator(ctx context.Context, t *terminal, settings config.Store, s *store.Store) error {
	users, err := s.Accounts.Users(ctx)
	if err == nil && !slices.ContainsFunc(users, func(user waymark.User) bool { return user.Admin && !user.Disabled }) {
		fmt.Fprintf(t.err, "No user is an administrator, who can manage users in the web interface. To make one: %s\n", commandLine("user edit --admin", settings, "NAME"))
	}
	return err
}

// migrateNotesOnOthers imports the notes of a user on links of other users.
func migrateNotesOnOthers(ctx context.Context, t *terminal, imports *transfer.Transfer, d *migrate.LinkAceDatabase, from migrate.LinkAceUser, user waymark.User) error {
	notes, err := d.NotesOnOthers(ctx, from.ID)
	if err != nil || len(notes) == 0 {
		return err
	}
	m := databaseMigration(t, &migrate.Totals{Notes: len(notes)}, func(context.Context) recordSeq {
		return func(yield func(archive.Record, error) bool) {
			for i, note := range notes {
				if !yield(archive.Record{Line: i + 1, Entity: note}, nil) {
					return
				}
			}
		}
	})
	return m.run(ctx, imports, user)
}

// databaseMigration returns the migration of entities from LinkAce's database.
func databaseMigration(t *terminal, totals *migrate.Totals, records func(context.Context) recordSeq) *migration {
	return &migration{
		from: "LinkAce", file: "LinkAce's database", records: records,
		totals: func() migrate.Totals { return *totals },
		print:  func(format string, args ...any) { fmt.Fprintf(t.err, format+"\n", args...) },
	}
}

// migratedName returns the name of a user of LinkAce in Waymark, where names have no spaces.
func migratedName(from migrate.LinkAceUser) string {
	return strings.Join(strings.Fields(from.Name), "-")
}

// checkNames returns an error that lists the users whose names Waymark refuses or who would be one.
func checkNames(users []migrate.LinkAceUser) error {
	var problems []string
	names := map[string]string{}
	for _, user := range users {
		name := migratedName(user)
		if err := waymark.ValidateUserName(name); err != nil {
			problems = append(problems, fmt.Sprintf("user %d (%.100q): %v", user.ID, user.Name, err))
			continue
		}
		folded := waymark.Fold(name)
		if other, ok := names[folded]; ok {
			problems = append(problems, fmt.Sprintf("the users %q and %q would have the same name in Waymark, where case does not count and spaces become hyphens", other, user.Name))
			continue
		}
		names[folded] = user.Name
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("nothing was migrated: rename these users in LinkAce first: %s", strings.Join(problems, "; "))
}

// migrateLinkAceUser imports everything of a user, whom it creates unless the name exists.
func migrateLinkAceUser(ctx context.Context, t *terminal, settings config.Store, s *store.Store, imports *transfer.Transfer, d *migrate.LinkAceDatabase, from migrate.LinkAceUser) (waymark.User, error) {
	name := migratedName(from)
	user, err := s.Accounts.UserByName(ctx, name)
	if errors.Is(err, waymark.ErrNotFound) {
		user, err = addLinkAceUser(ctx, t, settings, s, name, from)
	}
	if err != nil {
		return user, err
	}
	if from.APIKeys > 0 {
		fmt.Fprintf(t.err, "%s: %s of LinkAce cannot be used with Waymark: create new ones with %s\n", user.Name, countOf(from.APIKeys, "API key"), keyCommand(settings, user.Name))
	}
	totals := &migrate.Totals{}
	m := databaseMigration(t, totals, func(ctx context.Context) recordSeq { return d.Records(ctx, from.ID, totals) })
	return user, m.run(ctx, imports, user)
}

// addLinkAceUser creates a user, who signs in with a name instead of an e-mail address.
func addLinkAceUser(ctx context.Context, t *terminal, settings config.Store, s *store.Store, name string, from migrate.LinkAceUser) (waymark.User, error) {
	hash, password := from.PasswordHash, "with the password that they have in LinkAce"
	if hash == "" || auth.ValidateForeignHash(hash) != nil {
		hash, password = "", fmt.Sprintf("without a password: set one with %s", commandLine("user password", settings, name))
	}
	user, err := accounts.New(s, accounts.Options{}).AddMigratedUser(ctx, name, hash, from.Administrator, from.Blocked)
	if err != nil {
		return user, err
	}
	fmt.Fprintf(t.err, "%s: user added, %s\n", user.Name, password)
	if from.Blocked {
		fmt.Fprintf(t.err, "%s: disabled, as in LinkAce\n", user.Name)
	}
	return user, nil
}
