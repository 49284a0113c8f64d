package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// SentTexts returns the texts of a user's links and lists as a program has sent them, where others are kept.
func (s *Store) SentTexts(ctx context.Context, user waymark.UserID) (map[waymark.SentField]waymark.SentText, error) {
	return readSentTexts(ctx, s.db.Querier(), user)
}

func readSentTexts(ctx context.Context, q database.Querier, user waymark.UserID) (map[waymark.SentField]waymark.SentText, error) {
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
	for t, err := range database.QueryEach(ctx, q, scan, `
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
		return keepSent(ctx, q, user.ID, texts)
	})
}

func keepSent(ctx context.Context, q database.Querier, user waymark.UserID, texts []waymark.SentText) error {
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
			VALUES ($1, $2, $3, $4, $5, $6)`, user, link, list, t.Field, strconv.Quote(t.Sent), t.Kept); err != nil {
			return err
		}
	}
	return nil
}

// sentTree is the tree of a user's active lists as a program has sent it. It can be deeper than Waymark's, which holds
// lists that are too deep in the last but one that it can have.
type sentTree struct {
	kept    *listTree
	texts   map[waymark.SentField]waymark.SentText
	parents map[waymark.ListID]waymark.ListID // 0 for none
}

func readSentTree(ctx context.Context, q database.Querier, user waymark.UserID) (*sentTree, error) {
	kept, err := readListTree(ctx, q, user)
	if err != nil {
		return nil, err
	}
	texts, err := readSentTexts(ctx, q, user)
	if err != nil {
		return nil, err
	}
	t := &sentTree{kept, texts, map[waymark.ListID]waymark.ListID{}}
	for id, l := range kept.lists {
		t.parents[id] = l.at.Parent
		if text, ok := texts[parentField(id)]; ok && text.Kept == parentText(l.at.Parent) {
			sent, _ := strconv.ParseInt(text.Sent, 10, 64) // "" is 0
			if sent == 0 || kept.lists[waymark.ListID(sent)] != nil {
				t.parents[id] = waymark.ListID(sent)
			}
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

func parentField(id waymark.ListID) waymark.SentField {
	return waymark.SentField{Kind: waymark.Lists, ID: int64(id), Field: waymark.FieldParent}
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

// LiftSent puts the lists that a program has sent in a list into the parent of that.
func (s *Store) LiftSent(ctx context.Context, user waymark.User, id waymark.ListID) error {
	return s.changeSentTree(ctx, user.ID, func(t *sentTree) error {
		for sublist, parent := range t.parents {
			if parent == id {
				t.parents[sublist] = t.parents[id]
			}
		}
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
			text := waymark.SentText{SentField: parentField(id), Sent: parentText(t.parents[id]), Kept: parentText(parent)}
			if old, ok := t.texts[text.SentField]; ok && old != text || !ok && text.Sent != text.Kept {
				texts = append(texts, text)
			}
		}
		if err := s.saveTree(ctx, q, t.kept); err != nil {
			return err
		}
		return keepSent(ctx, q, user, texts)
	})
}
