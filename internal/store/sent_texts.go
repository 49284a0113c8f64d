package store

import (
	"context"
	"database/sql"
	"strconv"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// SentTexts returns the texts of a user's links and lists as a program has sent them, where others are kept.
func (s *Store) SentTexts(ctx context.Context, user waymark.UserID) (map[waymark.SentField]waymark.SentText, error) {
	texts := map[waymark.SentField]waymark.SentText{}
	scan := func(rows *sql.Rows, t *waymark.SentText) error {
		var link, list sql.Null[int64]
		var sent string
		if err := rows.Scan(&link, &list, &t.Field, &sent, &t.Kept); err != nil {
			return err
		}
		t.Kind, t.ID = waymark.Links, link.V
		if list.Valid {
			t.Kind, t.ID = waymark.Lists, list.V
		}
		var err error
		t.Sent, err = strconv.Unquote(sent)
		return err
	}
	for t, err := range database.QueryEach(ctx, s.db.Querier(), scan, `
		SELECT link_id, list_id, field, sent, kept
		FROM sent_texts
		WHERE user_id = $1`, user) {
		if err != nil {
			return nil, err
		}
		texts[t.SentField] = t
	}
	return texts, nil
}

// KeepSent stores what a program has sent for fields of the user's links and lists, or forgets it where the same text
// is kept.
func (s *Store) KeepSent(ctx context.Context, user waymark.User, texts ...waymark.SentText) error {
	return s.userTx(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		for _, t := range texts {
			column, link, list := "link_id", any(t.ID), any(nil)
			if t.Kind == waymark.Lists {
				column, link, list = "list_id", nil, t.ID
			}
			if _, err := q.Exec(ctx, `
				DELETE FROM sent_texts
				WHERE `+column+` = $1 AND field = $2`, t.ID, t.Field); err != nil {
				return err
			}
			if t.Sent == t.Kept {
				continue
			}
			if _, err := q.Exec(ctx, `
				INSERT INTO sent_texts (user_id, link_id, list_id, field, sent, kept)
				VALUES ($1, $2, $3, $4, $5, $6)`, user.ID, link, list, t.Field, strconv.Quote(t.Sent), t.Kept); err != nil {
				return err
			}
		}
		return nil
	})
}
