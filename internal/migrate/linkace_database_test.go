package migrate_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/database/dbtest"
	"waymark/internal/migrate"
)

// The tables of LinkAce 1 and 2, as their published migrations leave them, with the columns that
// a migration to Waymark reads.
const (
	ace1Schema = `
CREATE TABLE users (id integer PRIMARY KEY, name varchar(255) NOT NULL, email varchar(255) NOT NULL, password varchar(255) NOT NULL, api_token varchar(255), two_factor_secret text, created_at timestamp, updated_at timestamp);
CREATE TABLE lists (id integer PRIMARY KEY, user_id integer NOT NULL, name text NOT NULL, description text, is_private BOOL NOT NULL DEFAULT false, created_at timestamp, updated_at timestamp, deleted_at timestamp);
CREATE TABLE tags (id integer PRIMARY KEY, user_id integer NOT NULL, name text NOT NULL, is_private BOOL NOT NULL DEFAULT false, created_at timestamp, updated_at timestamp, deleted_at timestamp);
CREATE TABLE links (id integer PRIMARY KEY, user_id integer NOT NULL, url text NOT NULL, title text NOT NULL, description text, icon varchar(255), is_private BOOL NOT NULL DEFAULT false, status integer NOT NULL DEFAULT 1, check_disabled BOOL NOT NULL DEFAULT false, created_at timestamp, updated_at timestamp, deleted_at timestamp);
CREATE TABLE notes (id integer PRIMARY KEY, user_id integer NOT NULL, link_id integer NOT NULL, note text NOT NULL, is_private BOOL NOT NULL DEFAULT false, created_at timestamp, updated_at timestamp, deleted_at timestamp);
CREATE TABLE link_lists (link_id integer NOT NULL, list_id integer NOT NULL, PRIMARY KEY (link_id, list_id));
CREATE TABLE link_tags (link_id integer NOT NULL, tag_id integer NOT NULL, PRIMARY KEY (link_id, tag_id));
INSERT INTO users VALUES (1, 'ann', 'ann@example.org', '$2y$10$hash', 'token', NULL, NULL, NULL);
INSERT INTO lists VALUES (1, 1, 'Tools', 'What I use', false, '2020-03-09 19:33:23', '2020-03-09 19:33:23', NULL);
INSERT INTO links VALUES (1, 1, 'https://go.dev/', 'Go', NULL, NULL, true, 2, true, '2020-03-09 19:33:23', '2020-03-09 19:33:23', NULL);
INSERT INTO links VALUES (2, 1, 'https://sqlite.org/', 'SQLite', 'A database', NULL, false, 1, false, '2020-03-09 19:33:23', '2020-03-09 19:33:23', '2021-03-09 19:33:23');
INSERT INTO notes VALUES (1, 1, 1, 'Read this', true, '2020-03-09 19:33:23', '2020-03-09 19:33:23', NULL);
INSERT INTO link_lists VALUES (1, 1);
`
	ace2Schema = `
CREATE TABLE users (id integer PRIMARY KEY, name varchar(255) NOT NULL, email varchar(255) NOT NULL, password varchar(255), blocked_at timestamp, deleted_at timestamp, sso_id varchar(255), sso_provider varchar(255), created_at timestamp, updated_at timestamp);
CREATE TABLE roles (id integer PRIMARY KEY, name varchar(255) NOT NULL, guard_name varchar(255) NOT NULL);
CREATE TABLE model_has_roles (role_id integer NOT NULL, model_type varchar(255) NOT NULL, model_id integer NOT NULL);
CREATE TABLE personal_access_tokens (id integer PRIMARY KEY, tokenable_type varchar(255), tokenable_id integer NOT NULL, name varchar(255), token varchar(64), abilities text);
CREATE TABLE lists (id integer PRIMARY KEY, user_id integer NOT NULL, name text NOT NULL, description text, visibility integer NOT NULL DEFAULT 3, created_at timestamp, updated_at timestamp, deleted_at timestamp);
CREATE TABLE tags (id integer PRIMARY KEY, user_id integer NOT NULL, name text NOT NULL, visibility integer NOT NULL DEFAULT 3, created_at timestamp, updated_at timestamp, deleted_at timestamp);
CREATE TABLE links (id integer PRIMARY KEY, user_id integer NOT NULL, url text NOT NULL, title text NOT NULL, description text, icon varchar(255), thumbnail text, visibility integer NOT NULL DEFAULT 3, status integer NOT NULL DEFAULT 1, check_disabled BOOL NOT NULL DEFAULT false, created_at timestamp, updated_at timestamp, deleted_at timestamp);
CREATE TABLE notes (id integer PRIMARY KEY, user_id integer NOT NULL, link_id integer NOT NULL, note text NOT NULL, visibility integer NOT NULL DEFAULT 3, created_at timestamp, updated_at timestamp, deleted_at timestamp);
CREATE TABLE link_lists (link_id integer NOT NULL, list_id integer NOT NULL, PRIMARY KEY (link_id, list_id));
CREATE TABLE link_tags (link_id integer NOT NULL, tag_id integer NOT NULL, PRIMARY KEY (link_id, tag_id));
INSERT INTO users VALUES (0, 'System', 'system@localhost', '$2y$10$system', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO users VALUES (1, 'ann', 'ann@example.org', '$2y$10$hash', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO users VALUES (2, 'Ben Ten', 'ben@example.org', '$2y$10$other', '2020-03-09 19:33:23', NULL, NULL, NULL, NULL, NULL);
INSERT INTO users VALUES (3, 'cat', 'cat@example.org', '$2y$10$random', NULL, NULL, '12', 'github', NULL, NULL);
INSERT INTO roles VALUES (1, 'admin', 'web'), (2, 'user', 'web');
INSERT INTO model_has_roles VALUES (1, 'App\Models\User', 1), (2, 'App\Models\User', 2);
INSERT INTO personal_access_tokens VALUES (1, 'App\Models\User', 1, 'phone', 'hash', '[]'), (2, 'App\Models\User', 1, 'laptop', 'hash', '[]');
INSERT INTO lists VALUES (5, 1, 'Tools', 'What I use', 1, '2020-03-09 19:33:23', '2021-01-02 03:04:05', NULL), (6, 2, 'Of others', NULL, 2, NULL, NULL, NULL);
INSERT INTO tags VALUES (8, 1, 'go', 3, '2020-03-09 19:33:23', '2021-01-02 03:04:05', NULL), (3, 1, 'empty', 2, '2020-03-09 19:33:23', '2021-01-02 03:04:05', NULL), (4, 1, 'gone', 3, '2020-03-09 19:33:23', '2021-01-02 03:04:05', '2022-01-01 00:00:00');
INSERT INTO links VALUES (10, 1, 'https://go.dev/', 'Go', NULL, 'fab fa-golang', 'https://go.dev/x.png', 2, 2, true, '2020-03-09 19:33:23', '2021-01-02 03:04:05', NULL);
INSERT INTO links VALUES (11, 2, 'https://other.example.org/', 'Other', NULL, NULL, NULL, 1, 1, false, NULL, NULL, NULL), (14, 2, 'https://secret.example.org/', 'Secret', NULL, NULL, NULL, 3, 1, false, NULL, NULL, NULL);
INSERT INTO links VALUES (12, 1, 'https://old.example.org/', 'Old', NULL, NULL, NULL, 3, 3, false, '2020-03-09 19:33:23', '2021-01-02 03:04:05', '2022-01-01 00:00:00');
INSERT INTO links VALUES (13, 1, 'https://sqlite.org/', 'SQLite', 'A *database*', NULL, NULL, 3, 1, false, '2020-03-09 19:33:23', '2021-01-02 03:04:05', NULL);
INSERT INTO notes VALUES (20, 1, 10, 'Read *this*', 3, '2020-03-09 19:33:23', '2021-01-02 03:04:05', NULL), (21, 2, 10, 'of another user', 1, NULL, NULL, NULL);
INSERT INTO notes VALUES (22, 1, 12, 'old note', 3, '2020-03-09 19:33:23', '2021-01-02 03:04:05', '2022-01-01 00:00:00');
INSERT INTO notes VALUES (23, 1, 11, 'on a link of ben ✓', 3, '2020-03-09 19:33:23', NULL, NULL), (24, 1, 14, 'on a secret link of ben', 3, '2020-03-09 19:33:23', NULL, NULL);
INSERT INTO link_lists VALUES (10, 5), (13, 5), (13, 6);
INSERT INTO link_tags VALUES (10, 8);
`
)

// eachLinkAce runs a test on a database of LinkAce in SQLite and in PostgreSQL.
func eachLinkAce(t *testing.T, schema string, run func(t *testing.T, d *migrate.LinkAceDatabase)) {
	t.Run("SQLite", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "linkace's database.sqlite")
		createLinkAce(t, "sqlite", file, schema)
		run(t, openLinkAce(t, file))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		url := dbtest.PostgresURL(t)
		createLinkAce(t, "pgx", url, schema)
		run(t, openLinkAce(t, url+"&client_encoding=LATIN1")) // as if it was the default of the database
	})
}

func createLinkAce(t *testing.T, driver, source, schema string) {
	t.Helper()
	db, err := sql.Open(driver, source)
	check(t, err)
	defer db.Close()
	if _, err := db.Exec(schema); err != nil {
		t.Fatal(err)
	}
}

func openLinkAce(t *testing.T, location string) *migrate.LinkAceDatabase {
	t.Helper()
	d, err := migrate.OpenLinkAce(t.Context(), location)
	check(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func TestDatabaseOfLinkAce2IsRead(t *testing.T) {
	eachLinkAce(t, ace2Schema, func(t *testing.T, d *migrate.LinkAceDatabase) {
		users, err := d.Users(t.Context())
		check(t, err)
		if diff := cmp.Diff([]migrate.LinkAceUser{
			{ID: 1, Name: "ann", PasswordHash: "$2y$10$hash", Administrator: true, APIKeys: 2},
			{ID: 2, Name: "Ben Ten", PasswordHash: "$2y$10$other", Blocked: true},
			{ID: 3, Name: "cat"},
		}, users); diff != "" {
			t.Error(diff)
		}
		var totals migrate.Totals
		got, err := lines(t, d.Records(t.Context(), 1, &totals))
		check(t, err)
		if diff := cmp.Diff(ace2Records, got); diff != "" {
			t.Error(diff)
		}
		if want := (migrate.Totals{Lists: 1, Tags: 3, Links: 3, Notes: 2}); totals != want {
			t.Errorf("got %+v, want %+v", totals, want)
		}
		notes, err := d.NotesOnOthers(t.Context(), 1)
		if err != nil || len(notes) != 1 || notes[0].Text != "on a link of ben ✓" || notes[0].URL != "https://other.example.org/" || notes[0].Title != "Other" || notes[0].Link != 0 {
			t.Errorf("notes on links of others: got %+v, %v, want that on a link which ann sees", notes, err)
		}
	})
}

func TestDatabaseOfLinkAce1IsRead(t *testing.T) {
	eachLinkAce(t, ace1Schema, func(t *testing.T, d *migrate.LinkAceDatabase) {
		users, err := d.Users(t.Context())
		check(t, err)
		if diff := cmp.Diff([]migrate.LinkAceUser{{ID: 1, Name: "ann", PasswordHash: "$2y$10$hash", Administrator: true, APIKeys: 1}}, users); diff != "" {
			t.Error(diff)
		}
		got, err := lines(t, d.Records(t.Context(), 1, new(migrate.Totals)))
		check(t, err)
		want := `
{"number":1,"name":"Tools","description":"What I use","visibility":"internal","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2020-03-09T19:33:23.000000Z"}
{"number":1,"url":"https://go.dev/","title":"Go","visibility":"private","status":"moved","check_disabled":true,"lists":[1],"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2020-03-09T19:33:23.000000Z"}
{"link":1,"text":"Read this","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2020-03-09T19:33:23.000000Z"}
{"number":2,"url":"https://sqlite.org/","title":"SQLite","description":"A database","visibility":"internal","status":"ok","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2020-03-09T19:33:23.000000Z","deleted_at":"2021-03-09T19:33:23.000000Z"}
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOtherDatabasesAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, []byte(strings.Repeat("a text ", 100)), 0o600))
	empty := filepath.Join(t.TempDir(), "empty")
	createLinkAce(t, "sqlite", empty, "CREATE TABLE users (id integer)")
	for location, want := range map[string]string{
		file:                         "cannot open the database of LinkAce: file is not a database",
		empty:                        "this is not a database of LinkAce",
		file + "-missing":            "there is no file",
		"mysql://ann:secret@/links":  "invalid --from-database",
		"mongodb://ann:secret@db/x":  "invalid --from-database",
		"mysql://ann:se%cret@db/abc": "invalid --from-database",
		"postgres://ann:se%cret@db/": "invalid --from-database",
		"postgres://ann:secret@[::1]:1,[::1]:2/x": "cannot open the database of LinkAce: ", // several hosts are valid
		"mysql://ann:secret@[::1]:1/x":            "cannot open the database of LinkAce: ",
	} {
		_, err := migrate.OpenLinkAce(t.Context(), location)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %q without the password", location, err, want)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
