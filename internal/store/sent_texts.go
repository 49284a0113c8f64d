package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// SentTexts returns the texts of a link or a list as a program has sent them, where others are kept. A user can have
// many of them that are long, so nothing reads all of them at once.
func (s *Store) SentTexts(ctx context.Context, kind waymark.EntityKind, id int64) (map[waymark.Field]waymark.SentText, error) {
	texts := map[waymark.Field]waymark.SentText{}
	for t, err := range database.QueryEach(ctx, s.db.Querier(), func(rows *sql.Rows, t *waymark.SentText) (err error) {
		var sent string
		if err := rows.Scan(&t.Field, &sent, &t.Kept); err != nil {
			return err
		}
		t.Kind, t.ID = kind, id
		t.Sent, err = strconv.Unquote(sent)
		return err
	}, `
		SELECT field, sent, kept
		FROM sent_texts
		WHERE `+sentColumn(kind)+` = $1`, id) {
		if err != nil {
			return nil, err
		}
		texts[t.Field] = t
	}
	return texts, nil
}

// WithSentTexts returns the ids of those links or lists of a user that have such texts.
func (s *Store) WithSentTexts(ctx context.Context, user waymark.UserID, kind waymark.EntityKind) (map[int64]bool, error) {
	ids := map[int64]bool{}
	for id, err := range database.QueryEach(ctx, s.db.Querier(), func(rows *sql.Rows, id *int64) error { return rows.Scan(id) }, `
		SELECT DISTINCT `+sentColumn(kind)+`
		FROM sent_texts
		WHERE user_id = $1 AND `+sentColumn(kind)+` IS NOT NULL`, user) {
		if err != nil {
			return nil, err
		}
		ids[id] = true
	}
	return ids, nil
}

func sentColumn(kind waymark.EntityKind) string {
	if kind == waymark.Lists {
		return "list_id"
	}
	return "link_id"
}

// KeepSent stores what a program has sent for fields of the user's links and lists, or forgets it where the same text
// is kept.
func (s *Store) KeepSent(ctx context.Context, user waymark.User, texts ...waymark.SentText) error {
	return s.userTx(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		return keepSent(ctx, q, user.ID, texts)
	})
}

func keepSent(ctx context.Context, q database.Querier, user waymark.UserID, texts []waymark.SentText) error {
	for _, t := range texts {
		if _, err := q.Exec(ctx, `
			DELETE FROM sent_texts
			WHERE `+sentColumn(t.Kind)+` = $1 AND field = $2`, t.ID, t.Field); err != nil {
			return err
		}
		if t.Sent == t.Kept {
			continue
		}
		if _, err := q.Exec(ctx, `
			INSERT INTO sent_texts (user_id, `+sentColumn(t.Kind)+`, field, sent, kept)
			VALUES ($1, $2, $3, $4, $5)`, user, t.ID, t.Field, strconv.Quote(t.Sent), t.Kept); err != nil {
			return err
		}
	}
	return nil
}

// sentTree is the tree of a user's active lists as a program has sent it. It can be deeper than Waymark's, which holds
// lists that are too deep in the last but one that it can have.
type sentTree struct {
	kept    *listTree
	texts   map[waymark.ListID]waymark.SentText // of the field parent
	parents map[waymark.ListID]waymark.ListID   // 0 for none
}

func readSentTree(ctx context.Context, q database.Querier, user waymark.UserID) (*sentTree, error) {
	kept, err := readListTree(ctx, q, user)
	if err != nil {
		return nil, err
	}
	t := &sentTree{kept, map[waymark.ListID]waymark.SentText{}, map[waymark.ListID]waymark.ListID{}}
	for id, l := range kept.lists {
		t.parents[id] = l.at.Parent
	}
	for text, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, text *waymark.SentText) error {
		return rows.Scan(&text.ID, &text.Sent, &text.Kept)
	}, `
		SELECT list_id, sent, kept
		FROM sent_texts
		WHERE user_id = $1 AND field = $2 AND list_id IS NOT NULL`, user, waymark.FieldParent) {
		if err != nil {
			return nil, err
		}
		text.SentField = waymark.SentField{Kind: waymark.Lists, ID: text.ID, Field: waymark.FieldParent}
		text.Sent = strings.Trim(text.Sent, `"`)
		id := waymark.ListID(text.ID)
		t.texts[id] = text
		parent, _ := strconv.ParseInt(text.Sent, 10, 64) // "" is 0
		if l := kept.lists[id]; l != nil && text.Kept == parentText(l.at.Parent) && (parent == 0 || kept.lists[waymark.ListID(parent)] != nil) {
			t.parents[id] = waymark.ListID(parent)
		}
	}
	var loops []waymark.ListID // somebody has moved the parents in Waymark
	for id := range t.parents {
		if _, ok := t.above(id); !ok {
			loops = append(loops, id)
		}
	}
	for _, id := range loops {
		t.parents[id] = kept.lists[id].at.Parent
	}
	return t, nil
}

func parentText(parent waymark.ListID) string {
	if parent == 0 {
		return ""
	}
	return strconv.FormatInt(int64(parent), 10)
}

// above returns the lists in which a list stands, its parent first. It returns false if they stand in each other.
func (t *sentTree) above(id waymark.ListID) (above []waymark.ListID, ok bool) {
	for at := t.parents[id]; at != 0; at = t.parents[at] {
		if above = append(above, at); len(above) > len(t.parents) {
			return nil, false
		}
	}
	return above, true
}

// SentParents returns the parents of a user's active lists as a program has sent them, 0 for none.
func (s *Store) SentParents(ctx context.Context, user waymark.UserID) (map[waymark.ListID]waymark.ListID, error) {
	t, err := readSentTree(ctx, s.db.Querier(), user)
	if err != nil {
		return nil, err
	}
	return t.parents, nil
}

// PlaceSent puts a list of the user's into a parent, 0 for none, at any depth. It returns a waymark.ValidationError if
// the parent does not exist or stands in the list.
func (s *Store) PlaceSent(ctx context.Context, user waymark.User, id, parent waymark.ListID) error {
	return s.changeSentTree(ctx, user.ID, func(t *sentTree) error {
		if t.kept.lists[id] == nil {
			return waymark.ErrNotFound
		}
		if parent != 0 && t.kept.lists[parent] == nil {
			return waymark.Invalid(waymark.FieldParent, waymark.RuleExists)
		}
		if parent != 0 && len(t.parents) > waymark.MaxNestedLists {
			return waymark.TooMany(waymark.FieldParent, 0, waymark.MaxNestedLists)
		}
		if above, _ := t.above(parent); parent == id || slices.Contains(above, id) {
			return waymark.Invalid(waymark.FieldParent, waymark.RuleNotInside)
		}
		t.parents[id] = parent
		return nil
	})
}

// LiftSent puts the lists that a program has sent in a list into the place of that, which is about to be deleted.
func (s *Store) LiftSent(ctx context.Context, user waymark.User, id waymark.ListID) error {
	return s.changeSentTree(ctx, user.ID, func(t *sentTree) error {
		for sublist, parent := range t.parents {
			if parent == id {
				t.parents[sublist] = t.parents[id]
			}
		}
		delete(t.parents, id)
		t.kept.lift(id)
		return nil
	})
}

// changeSentTree changes the tree that a program has sent, and puts all lists where they belong then.
func (s *Store) changeSentTree(ctx context.Context, user waymark.UserID, change func(*sentTree) error) error {
	return s.userTx(ctx, user, func(ctx context.Context, q database.Querier) error {
		t, err := readSentTree(ctx, q, user)
		if err != nil {
			return err
		}
		if err := change(t); err != nil {
			return err
		}
		var texts []waymark.SentText
		for _, id := range slices.Sorted(maps.Keys(t.parents)) {
			parent := t.parents[id]
			above, _ := t.above(id)
			if tooDeep := len(above) + 1 - waymark.MaxListDepth; tooDeep > 0 {
				parent = above[tooDeep]
			}
			if l := t.kept.lists[id]; l.at.Parent != parent {
				l.moved = true
				t.kept.place(l, listPosition{parent, t.kept.nextPosition(parent)})
			}
			text := waymark.SentText{SentField: waymark.SentField{Kind: waymark.Lists, ID: int64(id), Field: waymark.FieldParent}, Sent: parentText(t.parents[id]), Kept: parentText(parent)}
			if old, ok := t.texts[id]; ok && old != text || !ok && text.Sent != text.Kept {
				texts = append(texts, text)
			}
		}
		if err := s.saveTree(ctx, q, t.kept); err != nil {
			return err
		}
		return keepSent(ctx, q, user, texts)
	})
}
