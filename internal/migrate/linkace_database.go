package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"           // the driver sqlite

	"waymark/internal/archive"
	"waymark/internal/config"
	"waymark/internal/waymark"
)

// LinkAceDatabase reads the database of LinkAce 1 or 2. It does not change the database.
type LinkAceDatabase struct {
	db      *sql.DB
	columns map[string]map[string]bool // the names of columns, by table
}

// OpenLinkAce opens the database at a mysql://, mariadb:// or postgres:// URL or in a SQLite file.
// It returns an error if the database is not one of LinkAce. The caller must call Close.
func OpenLinkAce(ctx context.Context, location string) (*LinkAceDatabase, error) {
	driver, source, err := driverOf(location)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return nil, errors.New("invalid --from-database: use a SQLite file, mysql://user:password@host/name or postgres://user:password@host/name") // err may contain a password
	}
	db.SetMaxOpenConns(2)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot open the database of LinkAce: %w", err), db.Close())
	}
	d := &LinkAceDatabase{db: db, columns: map[string]map[string]bool{}}
	for _, table := range []string{"users", "lists", "tags", "links", "notes", "link_lists", "link_tags"} {
		if err := d.readColumns(ctx, table); err != nil {
			return nil, errors.Join(fmt.Errorf("this is not a database of LinkAce, or it cannot be read: %w", err), db.Close())
		}
	}
	if !d.columns["users"]["email"] {
		return nil, errors.Join(errors.New("this is not a database of LinkAce: its users have no e-mail addresses"), db.Close())
	}
	return d, nil
}

// driverOf returns the name of the driver for a database, and its data source name.
func driverOf(location string) (driver, source string, err error) {
	switch {
	case config.IsPostgresURL(location):
		// Not url.Parse, which rejects URLs with several hosts.
		c, err := pgx.ParseConfig(location)
		if err != nil {
			return "", "", errors.New("invalid --from-database: use a URL such as postgres://user:password@host:5432/name")
		}
		// The default is the encoding of the database, which need not be UTF-8.
		c.RuntimeParams["client_encoding"] = "UTF8"
		return "pgx", stdlib.RegisterConnConfig(c), nil
	case strings.HasPrefix(location, "mysql://"), strings.HasPrefix(location, "mariadb://"):
		u, err := url.Parse(location)
		if err != nil || u.Host == "" || len(u.Path) < 2 {
			return "", "", errors.New("invalid --from-database: use a URL such as mysql://user:password@host:3306/name")
		}
		c := mysql.NewConfig()
		c.Net, c.Addr, c.DBName = "tcp", u.Host, u.Path[1:]
		c.User = u.User.Username()
		c.Passwd, _ = u.User.Password()
		c.ParseTime, c.Loc = true, time.UTC
		if tls := u.Query().Get("tls"); tls != "" {
			c.TLSConfig = tls
		}
		if u.Port() == "" {
			c.Addr = u.Host + ":3306"
		}
		return "mysql", c.FormatDSN(), nil
	case strings.Contains(location, "://"):
		return "", "", errors.New("invalid --from-database: use a SQLite file, mysql://user:password@host/name or postgres://user:password@host/name")
	}
	if _, err := os.Stat(location); errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("there is no file %s", location)
	}
	return "sqlite", "file:" + (&url.URL{Path: location}).EscapedPath() + "?mode=ro&_pragma=busy_timeout(10000)", nil
}

// Close closes the database.
func (d *LinkAceDatabase) Close() error { return d.db.Close() }

// readColumns reads the names of the columns of a table, which differ between versions 1 and 2.
func (d *LinkAceDatabase) readColumns(ctx context.Context, table string) error {
	rows, err := d.db.QueryContext(ctx, "SELECT * FROM "+table+" WHERE 1 = 0")
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	d.columns[table] = map[string]bool{}
	for _, name := range names {
		d.columns[table][name] = true
	}
	return rows.Err()
}

// selected returns the expressions for columns of the table e, NULL for those that it lacks.
func (d *LinkAceDatabase) selected(table string, columns ...string) string {
	var expressions []string
	for _, column := range columns {
		if d.columns[table][column] {
			expressions = append(expressions, "e."+column)
		} else {
			expressions = append(expressions, "NULL")
		}
	}
	return strings.Join(expressions, ", ")
}

// pairs runs a query with two columns, and returns the values of the second column by the first.
func (d *LinkAceDatabase) pairs(ctx context.Context, query string) (map[int64][]int, error) {
	rows, err := d.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int64][]int{}
	for rows.Next() {
		var first int64
		var second int
		if err := rows.Scan(&first, &second); err != nil {
			return nil, err
		}
		all[first] = append(all[first], second)
	}
	return all, rows.Err()
}

// Records yields the lists, the tags, and the links with their notes of a user, but not the notes
// that NotesOnOthers returns. It stops after an error. It keeps the notes in memory. It adds the
// numbers of yielded entities to totals.
func (d *LinkAceDatabase) Records(ctx context.Context, user int64, totals *Totals) iter.Seq2[archive.Record, error] {
	return records(totals, func(emit func(archive.Entity) error) error { return d.read(ctx, user, emit) })
}

func (d *LinkAceDatabase) read(ctx context.Context, user int64, emit func(archive.Entity) error) error {
	for _, table := range []string{"lists", "tags"} {
		err := d.rows(ctx, table, ownedBy(user), []string{"name", "description"}, func(r row) error {
			if table == "tags" {
				return emit(archive.Tag{Number: int(r.id), Name: r.texts[0], Visibility: r.visibility(), Times: r.times})
			}
			return emit(archive.List{Number: int(r.id), Name: r.texts[0], Description: r.texts[1], Visibility: r.visibility(), Times: r.times})
		})
		if err != nil {
			return err
		}
	}
	labels := func(table, column, labels string) (map[int64][]int, error) {
		return d.pairs(ctx, fmt.Sprintf(`
			SELECT a.link_id, a.%[2]s
			FROM %[1]s AS a
			JOIN links AS l ON l.id = a.link_id
			JOIN %[3]s AS e ON e.id = a.%[2]s
			WHERE l.user_id = %[4]d AND e.user_id = %[4]d`, table, column, labels, user))
	}
	lists, err := labels("link_lists", "list_id", "lists")
	if err != nil {
		return err
	}
	tags, err := labels("link_tags", "tag_id", "tags")
	if err != nil {
		return err
	}
	notes, err := d.ownNotes(ctx, user)
	if err != nil {
		return err
	}
	return d.emitLinks(ctx, user, lists, tags, notes, emit)
}

// ownNotes returns the notes of a user on the user's own links, by link.
func (d *LinkAceDatabase) ownNotes(ctx context.Context, user int64) (map[int64][]archive.Note, error) {
	notes := map[int64][]archive.Note{}
	err := d.notes(ctx, user, "IN", func(note archive.Note) error {
		notes[int64(note.Link)] = append(notes[int64(note.Link)], note)
		return nil
	})
	return notes, err
}

// notes calls do for each note of a user on links that are the user's own, with in IN, or that are not, with NOT IN.
func (d *LinkAceDatabase) notes(ctx context.Context, user int64, in string, do func(archive.Note) error) error {
	where := fmt.Sprintf("e.user_id = %[1]d AND e.link_id %[2]s (SELECT id FROM links WHERE user_id = %[1]d)", user, in)
	return d.rows(ctx, "notes", where, []string{"note", "link_id"}, func(r row) error {
		var link int
		fmt.Sscan(r.texts[1], &link) //nolint:errcheck // an integer column
		return do(archive.Note{Link: link, Text: r.texts[0], Visibility: r.visibility(), Times: r.times})
	})
}

// NotesOnOthers returns the notes of a user on links of other users that are not private and not in
// the trash. They have the URL and the title of the link instead of its number.
func (d *LinkAceDatabase) NotesOnOthers(ctx context.Context, user int64) (found []archive.Note, err error) {
	err = d.notes(ctx, user, "NOT IN", func(note archive.Note) error {
		where := fmt.Sprintf("e.id = %d AND e.deleted_at IS NULL", note.Link)
		return d.rows(ctx, "links", where, []string{"url", "title"}, func(link row) error {
			if link.visibility() != archive.Visibility(waymark.Private) {
				note.Link, note.URL, note.Title = 0, link.texts[0], link.texts[1]
				found = append(found, note)
			}
			return nil
		})
	})
	return found, err
}

// emitLinks emits the links of a user with their notes.
func (d *LinkAceDatabase) emitLinks(ctx context.Context, user int64, lists, tags map[int64][]int, notes map[int64][]archive.Note, emit func(archive.Entity) error) error {
	return d.rows(ctx, "links", ownedBy(user), []string{"url", "title", "description", "thumbnail", "status", "check_disabled"}, func(r row) error {
		link := archive.Link{
			Number: int(r.id), URL: r.texts[0], Title: r.texts[1], Description: r.texts[2], ImageURL: r.texts[3], Visibility: r.visibility(),
			CheckDisabled: r.texts[5] == "1" || r.texts[5] == "true", Lists: sorted(lists[r.id]), Tags: sorted(tags[r.id]), Times: r.times,
		}
		var status waymark.Status
		if fmt.Sscan(r.texts[4], &status); status.Valid() { //nolint:errcheck // an integer column
			link.Status = archive.Status(status)
		}
		if err := emit(link); err != nil {
			return err
		}
		for _, note := range notes[r.id] {
			if err := emit(note); err != nil {
				return err
			}
		}
		return nil
	})
}

func sorted(numbers []int) []int {
	slices.Sort(numbers)
	return numbers
}

// row is a row of a table of entities.
type row struct {
	id      int64
	shown   sql.NullInt64 // the column visibility of version 2
	private any           // the column is_private of version 1
	times   archive.Times
	texts   []string // the other columns that the caller has named, "" for NULL
}

// visibility returns the visibility by the rules of aceEntity.
func (r row) visibility() archive.Visibility {
	e := aceEntity{Visibility: number(r.shown.Int64)}
	if r.private != nil {
		private := flag(columnText(r.private) == "1" || columnText(r.private) == "true")
		e.IsPrivate = &private
	}
	return e.visibility()
}

// ownedBy is the condition of the rows of a user.
func ownedBy(user int64) string { return fmt.Sprintf("e.user_id = %d", user) }

// rows calls do for each row of a table e for which a condition holds, in the order of their ids.
func (d *LinkAceDatabase) rows(ctx context.Context, table, where string, columns []string, do func(row) error) error {
	rows, err := d.db.QueryContext(ctx, fmt.Sprintf("SELECT %s, %s FROM %s AS e WHERE %s ORDER BY e.id",
		d.selected(table, "id", "visibility", "is_private", "created_at", "updated_at", "deleted_at"), d.selected(table, columns...), table, where))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r row
		var created, updated, deleted any
		values := make([]any, len(columns))
		targets := []any{&r.id, &r.shown, &r.private, &created, &updated, &deleted}
		for i := range values {
			targets = append(targets, &values[i])
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		r.times = archive.Times{CreatedAt: columnTime(created), UpdatedAt: columnTime(updated), DeletedAt: columnTime(deleted)}
		for _, value := range values {
			r.texts = append(r.texts, columnText(value))
		}
		if err := do(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

func columnText(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []byte:
		return string(value)
	}
	return fmt.Sprint(value)
}

// columnTime returns the value of a column as a time. A time without a zone is read as UTC, which is
// LinkAce's default. An invalid time becomes the zero time.
func columnTime(value any) archive.Time {
	if at, ok := value.(time.Time); ok {
		return fromTime(at)
	}
	at, _ := parseTimestamp(columnText(value))
	return at
}
