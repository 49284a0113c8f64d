package bench

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite

	"waymark/internal/auth"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Baseline has HTTP handlers to compare Waymark with. They do what a request needs at
// least, and nothing else: in SQLite one prepared statement for the API key and one for
// the links, with their lists and tags as JSON; in PostgreSQL one statement for all, with
// pgx itself. They begin no transaction, write no log, and have no middleware. What
// LinkHandler and PageHandler send is byte for byte what Waymark sends.
type Baseline struct {
	read    *sql.DB       // nil for PostgreSQL
	write   *sql.DB       // nil for PostgreSQL
	pool    *pgxpool.Pool // nil for SQLite
	sql     baselineSQL
	prefix  string // of the URLs in responses
	user    waymark.UserID
	keyHash string // as it is stored
	created atomic.Int64
}

// OpenBaseline opens the database of a server, which may be running. The handlers respond
// to requests with that API key, whose owner is user, and send the same URLs as the
// server at that address.
func OpenBaseline(ctx context.Context, options store.Options, address, key string, user waymark.UserID) (*Baseline, error) {
	hash, _ := auth.KeyHash(key)
	b := &Baseline{
		sql:     newBaselineSQL(options.Database != ""),
		prefix:  "http://" + address + "/api/v2",
		user:    user,
		keyHash: base64.RawURLEncoding.EncodeToString(hash),
	}
	if err := b.open(ctx, options); err != nil {
		return nil, err
	}
	var owner int64
	err := b.queryRow(ctx, b.sql.key, []any{b.keyHash, waymark.FromTime(time.Now())}, &owner)
	if err == nil && owner != int64(user) {
		err = fmt.Errorf("the API key belongs to user %d, not %d", owner, user)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("baseline: find the API key: %w", err), b.Close())
	}
	return b, nil
}

func (b *Baseline) open(ctx context.Context, options store.Options) (err error) {
	if options.Database != "" {
		config, err := pgxpool.ParseConfig(options.Database)
		if err != nil {
			return err
		}
		config.MaxConns = 20
		// The statements are planned once. Each row is found by an index, also in tables
		// that are so small that the planner would read all of them.
		for _, setting := range [][2]string{{"plan_cache_mode", "force_generic_plan"}, {"enable_seqscan", "off"}, {"enable_hashjoin", "off"}, {"enable_mergejoin", "off"}, {"jit", "off"}} {
			config.ConnConfig.RuntimeParams[setting[0]] = setting[1]
		}
		b.pool, err = pgxpool.NewWithConfig(ctx, config)
		return err
	}
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
	if b.pool != nil {
		b.pool.Close()
		return nil
	}
	return errors.Join(b.read.Close(), b.write.Close())
}

// queryRow runs a query that returns one row.
func (b *Baseline) queryRow(ctx context.Context, query string, args []any, into ...any) error {
	if b.pool != nil {
		return b.pool.QueryRow(ctx, query, args...).Scan(into...)
	}
	return b.read.QueryRowContext(ctx, query, args...).Scan(into...)
}

// rows are the rows of database/sql or of pgx.
type rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
}

// reader returns a function that finds the API key and runs a query for its owner, which
// has one more parameter. The function calls each for the rows.
func (b *Baseline) reader(ctx context.Context, query string) (func(ctx context.Context, parameter int64, each func(rows) error) error, error) {
	if b.pool != nil {
		return func(ctx context.Context, parameter int64, each func(rows) error) error {
			found, err := b.pool.Query(ctx, query, b.keyHash, waymark.FromTime(time.Now()), parameter)
			if err != nil {
				return err
			}
			defer found.Close()
			return eachRow(found, each)
		}, nil
	}
	key, err := b.read.PrepareContext(ctx, b.sql.key)
	if err != nil {
		return nil, err
	}
	links, err := b.read.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, parameter int64, each func(rows) error) error {
		var user int64
		if err := key.QueryRowContext(ctx, b.keyHash, waymark.FromTime(time.Now())).Scan(&user); err != nil {
			return err
		}
		found, err := links.QueryContext(ctx, user, parameter) //nolint:rowserrcheck // eachRow checks it
		if err != nil {
			return err
		}
		defer found.Close()
		return eachRow(found, each)
	}, nil
}

func eachRow(found rows, each func(rows) error) error {
	for found.Next() {
		if err := each(found); err != nil {
			return err
		}
	}
	return found.Err()
}

// LinkHandler responds with the link whose id is at the end of the path. It takes the
// icon, which is not in the database, from Waymark's response for a link.
func (b *Baseline) LinkHandler(ctx context.Context, response []byte) (http.Handler, error) {
	var example exampleLink
	if err := json.Unmarshal(response, &example); err != nil {
		return nil, err
	}
	icons := map[string]string{example.URL: example.Icon}
	read, err := b.reader(ctx, b.sql.link)
	if err != nil {
		return nil, err
	}
	return respond(func(r *http.Request) (body []byte, err error) {
		id, err := strconv.ParseInt(path.Base(r.URL.Path), 10, 64)
		if err != nil {
			return nil, err
		}
		err = read(r.Context(), id, func(found rows) error {
			var link baselineLink
			if err := found.Scan(link.targets()...); err != nil {
				return err
			}
			body = link.append(make([]byte, 0, 2048), b.prefix, icons)
			return nil
		})
		if err == nil && body == nil {
			err = fmt.Errorf("the baseline does not find link %d", id)
		}
		return body, err
	}), nil
}

// PageHandler responds with the first page of links. It takes the icons, and the text
// around the links, from Waymark's response; the total in it must be the one that it
// finds.
func (b *Baseline) PageHandler(ctx context.Context, response []byte) (http.Handler, error) {
	var example struct {
		Total int64
		Data  []exampleLink
	}
	if err := json.Unmarshal(response, &example); err != nil {
		return nil, err
	}
	head, tail, err := around(response, "data")
	if err != nil {
		return nil, err
	}
	icons := map[string]string{}
	for _, link := range example.Data {
		icons[link.URL] = link.Icon
	}
	read, err := b.reader(ctx, b.sql.page)
	if err != nil {
		return nil, err
	}
	return respond(func(r *http.Request) ([]byte, error) {
		body := append(make([]byte, 0, 32<<10), head...)
		total, n := int64(0), 0
		err := read(r.Context(), int64(len(example.Data)), func(found rows) error {
			var link baselineLink
			if err := found.Scan(append(link.targets(), &total)...); err != nil {
				return err
			}
			if n > 0 {
				body = append(body, ',')
			}
			n++
			body = link.append(body, b.prefix, icons)
			return nil
		})
		if err == nil && total != example.Total {
			err = fmt.Errorf("the baseline finds %d links, Waymark has %d", total, example.Total)
		}
		return append(body, tail...), err
	}), nil
}

// CreateHandler inserts a link in a transaction of its own and sends response.
func (b *Baseline) CreateHandler(ctx context.Context, response []byte) (http.Handler, error) {
	insert := func(ctx context.Context, args []any) error {
		_, err := b.pool.Exec(ctx, b.sql.insert, args...)
		return err
	}
	if b.pool == nil {
		statement, err := b.write.PrepareContext(ctx, b.sql.insert)
		if err != nil {
			return nil, err
		}
		insert = func(ctx context.Context, args []any) error {
			_, err := statement.ExecContext(ctx, args...)
			return err
		}
	}
	return respond(func(r *http.Request) ([]byte, error) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
		var user int64
		if err := b.queryRow(r.Context(), b.sql.key, []any{b.keyHash, waymark.FromTime(time.Now())}, &user); err != nil {
			return nil, err
		}
		n := b.created.Add(1)
		link := "https://baseline.example/" + strconv.FormatInt(n, 10)
		return response, insert(r.Context(), []any{user, link, fmt.Sprintf(`\x%032x`, n)})
	}), nil
}

// respond returns a handler that sends what work returns.
func respond(work func(r *http.Request) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := work(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h["Content-Type"] = []string{"application/json"}
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
		w.Write(body) //nolint:errcheck // the client has gone
	})
}
