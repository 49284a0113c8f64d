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
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Bare is what Waymark is compared with: HTTP handlers that run the same SQL as
// Waymark does for a request, throw away what they find, and send bytes that are
// ready. No program that asks these questions of this database can be much faster.
type Bare struct {
	postgres bool
	read     *sql.DB
	write    *sql.DB
	user     waymark.UserID
	hash     string // of the key, as it is kept
	added    atomic.Int64
}

// OpenBare opens the database of a server that may run, as that server does. The
// key is the one with which requests come, and user its owner.
func OpenBare(ctx context.Context, options store.Options, key string, user waymark.UserID) (*Bare, error) {
	hash, _ := auth.KeyHash(key)
	b := &Bare{postgres: options.Database != "", user: user, hash: base64.RawURLEncoding.EncodeToString(hash)}
	if err := b.open(options); err != nil {
		return nil, err
	}
	rows, err := b.read.QueryContext(ctx, b.who().text, b.who().args...)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	if found, err := drain(rows); err != nil || len(found) != 1 {
		return nil, errors.Join(err, errors.New("the key is not in this database, or not where Waymark would look for it"), b.Close())
	}
	return b, nil
}

func (b *Bare) open(options store.Options) (err error) {
	if b.postgres {
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
	file := "file:" + (&url.URL{Path: filepath.Join(options.Dir, "waymark.db")}).EscapedPath() +
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)" +
		"&_pragma=cache_size(-8000)&_pragma=temp_store(MEMORY)"
	if b.read, err = sql.Open("sqlite", file+"&_pragma=query_only(1)"); err != nil {
		return err
	}
	b.read.SetMaxOpenConns(8)
	b.read.SetMaxIdleConns(8)
	b.write, err = sql.Open("sqlite", file+"&_txlock=immediate")
	b.write.SetMaxOpenConns(1)
	return err
}

// Close closes the database.
func (b *Bare) Close() error {
	if err := b.read.Close(); err != nil || b.postgres {
		return err
	}
	return b.write.Close()
}

// LinkHandler sends answer after it has asked for a link.
func (b *Bare) LinkHandler(ctx context.Context, id int64, answer []byte) (http.Handler, error) {
	members, err := b.members(ctx, []int64{id})
	if err != nil {
		return nil, err
	}
	return b.asking(ctx, answer, append([]question{b.link(id)}, members...))
}

// PageHandler sends answer after it has asked for the newest links, which must be
// those ids.
func (b *Bare) PageHandler(ctx context.Context, ids []int64, answer []byte) (http.Handler, error) {
	newest := b.newest(len(ids))
	rows, err := b.read.QueryContext(ctx, newest.text, newest.args...)
	if err != nil {
		return nil, err
	}
	found, err := drain(rows)
	if err != nil {
		return nil, err
	}
	if got, want := fmt.Sprint(found), fmt.Sprint(ids); got != want {
		return nil, fmt.Errorf("the bare page has links %s, the page %s: its SQL is not what Waymark runs any more", got, want)
	}
	members, err := b.members(ctx, ids)
	if err != nil {
		return nil, err
	}
	return b.asking(ctx, answer, append([]question{b.total(), newest}, members...))
}

// asking sends answer after it has found out whose the key is, and has asked the
// questions in a snapshot.
func (b *Bare) asking(ctx context.Context, answer []byte, questions []question) (http.Handler, error) {
	prepared := make([]*sql.Stmt, 1+len(questions))
	questions = append([]question{b.who()}, questions...)
	if !b.postgres { // whose driver does it by itself
		for i, q := range questions {
			var err error
			if prepared[i], err = b.read.PrepareContext(ctx, q.text); err != nil {
				return nil, err
			}
		}
	}
	return handle(answer, func(r *http.Request) error {
		if err := ask(r.Context(), b.read, prepared[0], questions[0]); err != nil {
			return err
		}
		options := &sql.TxOptions{}
		if b.postgres {
			options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
		}
		tx, err := b.read.BeginTx(r.Context(), options)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // a snapshot has nothing to lose
		for i, q := range questions[1:] {
			stmt := prepared[1+i]
			if stmt != nil {
				stmt = tx.StmtContext(r.Context(), stmt)
			}
			if err := ask(r.Context(), tx, stmt, q); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// AddHandler sends answer after it has kept a link, in a transaction of its own.
func (b *Bare) AddHandler(ctx context.Context, answer []byte) (http.Handler, error) {
	texts := []string{b.who().text, `
		SELECT url_hash
		FROM links
		WHERE url_hash IN (SELECT CAST(value->>0 AS TEXT) FROM ` + b.rows("$2") + `) AND user_id = $1 AND shelf IS NOT NULL`, `
		INSERT INTO links (user_id, created_at, visibility, status, check_disabled, updated_at, url, url_hash, title, thumbnail, description, url_key, title_key, description_key)
		SELECT CAST(value->>0 AS BIGINT), CAST(value->>1 AS BIGINT), CAST(value->>2 AS INTEGER), CAST(value->>3 AS INTEGER), CAST(value->>4 AS BOOLEAN),
			CAST(value->>5 AS BIGINT), value->>6, value->>7, value->>8, value->>9, value->>10, value->>11, value->>12, value->>13
		FROM ` + b.rows("$1") + `
		ORDER BY key
		RETURNING id`, b.pairs(nil).text}
	prepared := make([]*sql.Stmt, len(texts))
	if !b.postgres {
		for i, text := range texts {
			db := b.write
			if i == 0 {
				db = b.read
			}
			var err error
			if prepared[i], err = db.PrepareContext(ctx, text); err != nil {
				return nil, err
			}
		}
	}
	return handle(answer, func(r *http.Request) error {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return err
		}
		if err := ask(r.Context(), b.read, prepared[0], b.who()); err != nil {
			return err
		}
		tx, err := b.write.BeginTx(r.Context(), nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
		in := func(i int, args ...any) (found []int64, err error) {
			var rows *sql.Rows
			if prepared[i] != nil {
				rows, err = tx.StmtContext(r.Context(), prepared[i]).QueryContext(r.Context(), args...)
			} else {
				rows, err = tx.QueryContext(r.Context(), texts[i], args...)
			}
			if err != nil {
				return nil, err
			}
			return drain(rows)
		}
		address := "https://bare.example/" + strconv.FormatInt(b.added.Add(1), 10)
		if _, err := in(1, b.user, `[["`+address+`"]]`); err != nil {
			return err
		}
		row := fmt.Sprintf(`[[%d,1,3,1,false,1,%q,%q,"A bare link","","",%q,"a bare link",""]]`, b.user, address, address, address)
		ids, err := in(2, row)
		if err != nil {
			return err
		}
		if _, err := in(3, b.pairs(ids).args...); err != nil {
			return err
		}
		return tx.Commit()
	}), nil
}

// handle sends answer once work is done.
func handle(answer []byte, work func(r *http.Request) error) http.Handler {
	length := []string{strconv.Itoa(len(answer))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := work(r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h["Content-Type"] = []string{"application/json"}
		h["Content-Length"] = length
		w.Write(answer) //nolint:errcheck // nobody is left to tell
	})
}

// asker is a pool, or a transaction.
type asker interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

func ask(ctx context.Context, on asker, prepared *sql.Stmt, q question) error {
	var rows *sql.Rows
	var err error
	if prepared != nil {
		rows, err = prepared.QueryContext(ctx, q.args...)
	} else {
		rows, err = on.QueryContext(ctx, q.text, q.args...)
	}
	if err != nil {
		return err
	}
	_, err = drain(rows)
	return err
}

// drain reads all rows, and returns what of the first column are ids.
func drain(rows *sql.Rows) ([]int64, error) {
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	var ids []int64
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		if id, ok := values[0].(int64); ok {
			ids = append(ids, id)
		}
	}
	return ids, rows.Err()
}
