package bench

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"sync/atomic"

	_ "github.com/jackc/pgx/v5/stdlib" // PostgreSQL
	_ "modernc.org/sqlite"             // SQLite

	"waymark/internal/auth"
	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Baseline has HTTP handlers to compare Waymark with. For a request they run the same
// SQL as Waymark, discard the rows, and send a prepared response. They show the cost of
// the SQL and of net/http alone.
type Baseline struct {
	kind    database.Kind
	read    *sql.DB
	write   *sql.DB
	user    waymark.UserID
	keyHash string // as it is stored
	created atomic.Int64
}

// OpenBaseline opens the database of a server, with the same settings as that server,
// which may be running. Requests will have the API key; user is its owner.
func OpenBaseline(ctx context.Context, options store.Options, key string, user waymark.UserID) (*Baseline, error) {
	hash, _ := auth.KeyHash(key)
	b := &Baseline{user: user, keyHash: base64.RawURLEncoding.EncodeToString(hash)}
	if err := b.open(options); err != nil {
		return nil, err
	}
	found, err := b.ids(ctx, b.keyOwner())
	if err == nil && len(found) != 1 {
		err = errors.New("the database does not have the API key")
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Baseline) open(options store.Options) (err error) {
	if options.Database != "" {
		b.kind = database.PostgreSQL
		u, err := url.Parse(options.Database)
		if err != nil {
			return err
		}
		settings := u.Query()
		settings.Set("plan_cache_mode", "force_custom_plan")
		u.RawQuery = settings.Encode()
		b.read, err = sql.Open("pgx", u.String())
		b.write = b.read
		if err == nil {
			b.read.SetMaxOpenConns(20)
			b.read.SetMaxIdleConns(20)
		}
		return err
	}
	b.kind = database.SQLite
	file := "file:" + (&url.URL{Path: filepath.Join(options.Dir, "waymark.db")}).EscapedPath() +
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)" +
		"&_pragma=cache_size(-8000)&_pragma=temp_store(MEMORY)"
	if b.read, err = sql.Open("sqlite", file+"&_pragma=query_only(1)"); err != nil {
		return err
	}
	b.read.SetMaxOpenConns(8)
	b.read.SetMaxIdleConns(8)
	if b.write, err = sql.Open("sqlite", file+"&_txlock=immediate"); err != nil {
		return errors.Join(err, b.read.Close())
	}
	b.write.SetMaxOpenConns(1)
	return nil
}

// Close closes the database.
func (b *Baseline) Close() error {
	if b.write == b.read {
		return b.read.Close()
	}
	return errors.Join(b.read.Close(), b.write.Close())
}

// LinkHandler runs the queries for one link and sends response.
func (b *Baseline) LinkHandler(ctx context.Context, id int64, response []byte) (http.Handler, error) {
	labels, err := b.labels(ctx, []int64{id})
	if err != nil {
		return nil, err
	}
	return b.readHandler(ctx, response, append([]statement{b.link(id)}, labels...))
}

// PageHandler runs the queries for the first page of links and sends response. The
// page must have the links with those ids; otherwise the SQL differs from Waymark's.
func (b *Baseline) PageHandler(ctx context.Context, ids []int64, response []byte) (http.Handler, error) {
	scopes, err := b.ids(ctx, b.totals())
	if err != nil {
		return nil, err
	}
	newest := b.newest(scopes, len(ids))
	found, err := b.ids(ctx, newest)
	if err != nil {
		return nil, err
	}
	if got, want := fmt.Sprint(found), fmt.Sprint(ids); got != want {
		return nil, fmt.Errorf("the baseline's page has links %s, Waymark's has %s: update the baseline's SQL", got, want)
	}
	labels, err := b.labels(ctx, ids)
	if err != nil {
		return nil, err
	}
	return b.readHandler(ctx, response, append([]statement{b.totals(), newest}, labels...))
}

// readHandler finds the API key, runs the queries in one snapshot, and sends response.
func (b *Baseline) readHandler(ctx context.Context, response []byte, queries []statement) (http.Handler, error) {
	key, err := b.prepare(ctx, b.read, b.keyOwner())
	if err != nil {
		return nil, err
	}
	prepared := make([]*prepared, len(queries))
	for i, query := range queries {
		if prepared[i], err = b.prepare(ctx, b.read, query); err != nil {
			return nil, err
		}
	}
	options := &sql.TxOptions{}
	if b.kind == database.PostgreSQL {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	return respond(response, func(r *http.Request) error {
		if _, err := key.run(r.Context(), nil); err != nil {
			return err
		}
		tx, err := b.read.BeginTx(r.Context(), options)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // it has only read
		for _, p := range prepared {
			if _, err := p.run(r.Context(), tx); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// CreateHandler inserts a link in a transaction of its own and sends response.
func (b *Baseline) CreateHandler(ctx context.Context, response []byte) (http.Handler, error) {
	key, err := b.prepare(ctx, b.read, b.keyOwner())
	if err != nil {
		return nil, err
	}
	var duplicates, insert, labels *prepared
	for _, p := range []struct {
		into      **prepared
		statement statement
	}{{&duplicates, b.duplicateURLs("")}, {&insert, b.insertLink("", "")}, {&labels, b.labelIDs(nil)}} {
		if *p.into, err = b.prepare(ctx, b.write, p.statement); err != nil {
			return nil, err
		}
	}
	return respond(response, func(r *http.Request) error {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return err
		}
		if _, err := key.run(r.Context(), nil); err != nil {
			return err
		}
		tx, err := b.write.BeginTx(r.Context(), nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // no effect after a commit
		url := "https://baseline.example/" + strconv.FormatInt(b.created.Add(1), 10)
		if _, err := duplicates.run(r.Context(), tx, b.duplicateURLs(url).args...); err != nil {
			return err
		}
		ids, err := insert.run(r.Context(), tx, b.insertLink(url, url).args...)
		if err != nil {
			return err
		}
		if _, err := labels.run(r.Context(), tx, b.labelIDs(ids).args...); err != nil {
			return err
		}
		return tx.Commit()
	}), nil
}

// respond returns a handler that calls work and sends response.
func respond(response []byte, work func(r *http.Request) error) http.Handler {
	length := []string{strconv.Itoa(len(response))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := work(r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h["Content-Type"] = []string{"application/json"}
		h["Content-Length"] = length
		w.Write(response) //nolint:errcheck // the client has gone
	})
}

// prepared is a statement that is prepared where the driver does not do that itself.
type prepared struct {
	statement
	db   *sql.DB
	stmt *sql.Stmt // nil for PostgreSQL
}

func (b *Baseline) prepare(ctx context.Context, db *sql.DB, s statement) (*prepared, error) {
	p := &prepared{statement: s, db: db}
	if b.kind == database.PostgreSQL {
		return p, nil
	}
	var err error
	p.stmt, err = db.PrepareContext(ctx, s.text)
	return p, err
}

// run runs the statement in a transaction, or outside of one if tx is nil, and
// returns the integers in its first column. args replace the statement's own.
func (p *prepared) run(ctx context.Context, tx *sql.Tx, args ...any) ([]int64, error) {
	if args == nil {
		args = p.args
	}
	var rows *sql.Rows
	var err error
	switch {
	case p.stmt != nil && tx != nil:
		rows, err = tx.StmtContext(ctx, p.stmt).QueryContext(ctx, args...)
	case p.stmt != nil:
		rows, err = p.stmt.QueryContext(ctx, args...)
	case tx != nil:
		rows, err = tx.QueryContext(ctx, p.text, args...)
	default:
		rows, err = p.db.QueryContext(ctx, p.text, args...)
	}
	if err != nil {
		return nil, err
	}
	return firstColumn(rows)
}

// ids runs a query and returns the integers in its first column.
func (b *Baseline) ids(ctx context.Context, query statement) ([]int64, error) {
	rows, err := b.read.QueryContext(ctx, query.text, query.args...)
	if err != nil {
		return nil, err
	}
	return firstColumn(rows)
}

// firstColumn reads all columns of all rows, and returns the integers in the first
// one.
func firstColumn(rows *sql.Rows) ([]int64, error) {
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values := make([]any, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	var integers []int64
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		if n, ok := values[0].(int64); ok {
			integers = append(integers, n)
		}
	}
	return integers, rows.Err()
}
