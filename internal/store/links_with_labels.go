package store

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// maxLinksByID is the number of links above which a reader with a cache is faster than one
// statement, which reads each list and tag once for each of its links.
const maxLinksByID = 100

// linkReader returns the reader of n links.
func (s *Store) linkReader(n int) reader[waymark.Link] {
	if n <= maxLinksByID {
		return links.byID(linkWithLabels())
	}
	return newLinkReader(s.labelCacheBytes)
}

// linkWithLabels describes how a link is read together with its lists and tags.
func linkWithLabels() wholeEntity[waymark.Link] {
	return wholeEntity[waymark.Link]{
		selected: func(a *database.Args, viewer waymark.UserID) string {
			visible := func() string { return query.VisibleTo(a, "l.visible_to", viewer) }
			return links.selected + ", " + labelsSQL(visible(), &query.LinkLists, &lists) + ", " + labelsSQL(visible(), &query.LinkTags, &tags)
		},
		scan: scanLinkWithLabels,
	}
}

func scanLinkWithLabels(rows *sql.Rows, link *waymark.Link, more ...any) error {
	var inLists, withTags sql.NullString // NULL for none
	targets := append(links.targets(link, 2+len(more)), &inLists, &withTags)
	if err := rows.Scan(append(targets, more...)...); err != nil {
		return err
	}
	var err error
	if link.Lists, err = decodeLabels(&lists, inLists.String); err != nil {
		return err
	}
	link.Tags, err = decodeLabels(&tags, withTags.String)
	return err
}

func scanOneLink(rows *sql.Rows, link *waymark.Link) error { return scanLinkWithLabels(rows, link) }

// The statements that read one link with its lists and tags. Their texts are made once,
// because that takes longer than finding the link. The parameters are the viewer, unless that
// is a guest, once for the lists and once for the tags, and the id.
var userLinkSQL, guestLinkSQL = oneLinkSQL(1), oneLinkSQL(waymark.Guest)

func oneLinkSQL(viewer waymark.UserID) string {
	a := database.NewArgs(database.SQLite) // PostgreSQL has the same text for a single id
	return links.byIDSQL(a, linkWithLabels().selected(a, viewer), []int64{1})
}

// labelsSQL returns the expression for the lists l, or the tags l, of the link e that satisfy the
// condition visible, encoded as one text. It is not a join, because PostgreSQL reads whole
// tables for a join until it has statistics.
func labelsSQL[T any](visible string, assoc *query.Association, t *entityTable[T]) string {
	return `(
			SELECT string_agg((
				SELECT ` + t.encodedAs("l") + `
				FROM ` + t.name + ` AS l
				WHERE l.id = m.` + assoc.Column + ` AND ` + visible + `), '')
			FROM ` + assoc.Table + ` AS m
			WHERE m.link_id = e.id)`
}

// encodedAs returns the expression that encodes the columns of selected, with another
// alias, as one text: an integer and a colon, or a text after its length in bytes and a
// colon, so that it may contain any character.
func (t *table[T]) encodedAs(alias string) string {
	values := make([]string, len(t.read))
	for i, c := range t.read {
		name := alias + "." + c.name
		switch c.sqlType {
		case "TEXT":
			values[i] = "octet_length(" + name + "), ':', " + name
		case "BIGINT":
			values[i] = name + ", ':'"
		default:
			panic("store: cannot encode the column " + c.name + " " + c.sqlType)
		}
	}
	return "concat(" + strings.Join(values, ", ") + ")"
}

// decode returns the rows that encodedAs has encoded, one after the other.
func (t *table[T]) decode(text string) ([]T, error) {
	var rows []T
	for text != "" {
		var row T
		for _, c := range t.read {
			n, rest, err := database.DecodeInteger(text)
			if err != nil {
				return nil, err
			}
			switch target := reflect.ValueOf(c.target(&row)).Elem(); {
			case target.Kind() != reflect.String:
				target.SetInt(n)
			case n < 0 || n > int64(len(rest)):
				return nil, fmt.Errorf("decode %.20q: %d bytes are missing", text, n)
			default:
				target.SetString(rest[:n])
				rest = rest[n:]
			}
			text = rest
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// decodeLabels decodes lists or tags and sorts them by name.
func decodeLabels[T any](t *entityTable[T], text string) ([]T, error) {
	labels, err := t.decode(text)
	if len(labels) < 2 || err != nil {
		return labels, err
	}
	sorted := make([]*sortedLabel[T], len(labels))
	for i := range labels {
		sorted[i] = newSortedLabel(t, labels[i])
	}
	return sortLabels(sorted), nil
}

// newLinkReader returns a reader of links with their lists and tags, batch by batch, for one
// viewer. Lists and tags are as they were when they were read first.
func newLinkReader(cacheBytes int) reader[waymark.Link] {
	read := newLabelledLinkReader(cacheBytes)
	return func(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) ([]waymark.Link, error) {
		rows, err := read(ctx, q, viewer, ids)
		if err != nil {
			return nil, err
		}
		found := make([]waymark.Link, len(rows))
		for i := range rows {
			found[i] = rows[i].Link
		}
		return found, nil
	}
}

// labelledLink is a link with the lists and tags that the viewer sees, and the ids of all that
// it has, also of those in the trash.
type labelledLink struct {
	waymark.Link
	listIDs, tagIDs []int64
}

// newLabelledLinkReader returns a reader as newLinkReader does. It reads the ids of lists and
// tags with the links, and caches lists and tags, because most of them occur in every batch.
func newLabelledLinkReader(cacheBytes int) reader[labelledLink] {
	listCache := labelCache[waymark.List]{table: &lists, limit: cacheBytes}
	tagCache := labelCache[waymark.Tag]{table: &tags, limit: cacheBytes}
	scan := func(rows *sql.Rows, l *labelledLink) error {
		var inLists, withTags sql.NullString // NULL for none
		if err := rows.Scan(append(links.targets(&l.Link, 2), &inLists, &withTags)...); err != nil {
			return err
		}
		var err error
		if l.listIDs, err = database.DecodeIDs(inLists.String); err != nil {
			return err
		}
		l.tagIDs, err = database.DecodeIDs(withTags.String)
		return err
	}
	idOf := func(l *labelledLink) int64 { return int64(l.ID) }
	return func(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) ([]labelledLink, error) {
		a := q.Args()
		piece := pieceSize{single: len(ids) == 1}
		scanRow := func(rows *sql.Rows, l *labelledLink) error {
			if err := scan(rows, l); err != nil {
				return err
			}
			return piece.add(sizeOfLink(&l.Link) + len(l.listIDs)*listBytes + len(l.tagIDs)*tagBytes)
		}
		rows, err := inOrder(ids, idOf, database.QueryEach(ctx, q, scanRow, `
			SELECT `+links.selected+`, `+labelIDsSQL(&query.LinkLists)+`, `+labelIDsSQL(&query.LinkTags)+`
			FROM links AS e
			WHERE e.id `+database.In(a, ids), a.Values...))
		if err != nil {
			return nil, err
		}
		var inLists, withTags []int64
		for i := range rows {
			inLists, withTags = append(inLists, rows[i].listIDs...), append(withTags, rows[i].tagIDs...)
		}
		if err := listCache.add(ctx, q, viewer, inLists, &piece); err != nil {
			return nil, err
		}
		if err := tagCache.add(ctx, q, viewer, withTags, &piece); err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i].Lists, rows[i].Tags = listCache.labels(rows[i].listIDs), tagCache.labels(rows[i].tagIDs)
		}
		return rows, nil
	}
}

// labelIDsSQL returns the expression for the ids of all lists, or tags, of the link e.
func labelIDsSQL(assoc *query.Association) string {
	return `(
				SELECT string_agg(m.` + assoc.Column + ` || ':', '')
				FROM ` + assoc.Table + ` AS m
				WHERE m.link_id = e.id)`
}
