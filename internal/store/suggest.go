package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// SuggestLists lists a user's own active lists whose name contains text, ignoring case,
// sorted by name: at most limit of them, or all with waymark.NoLimit. They are not counted: the
// total of a page is the number of lists on it.
func (s *Store) SuggestLists(owner waymark.UserID, text string, limit int) Listing[waymark.List] {
	return suggested(newPlainListing(s, &lists, owner, byName, waymark.Pagination{Limit: limit}), text)
}

// SuggestTags lists a user's own active tags whose name contains text, like SuggestLists.
func (s *Store) SuggestTags(owner waymark.UserID, text string, limit int) Listing[waymark.Tag] {
	return suggested(newPlainListing(s, &tags, owner, byName, waymark.Pagination{Limit: limit}), text)
}

var byName = waymark.Order{By: waymark.SortByName}

// active is the condition that e is not in the trash.
func active(*database.Args) string { return "e.visible_to IS NOT NULL" }

// suggested limits a listing to those entities of the viewer whose name contains text.
func suggested[T any](l Listing[T], text string) Listing[T] {
	l.scopes = nil
	l.scansTexts, l.uncounted = true, true
	l.empty = !table.StorableText(text)
	l.sql = []condition{ownedBy(l.viewer), active, l.store.named(text)}
	return l
}

// maxCompletions is the maximum number of lists or tags that complete a name.
const maxCompletions = 8

// CompleteLists returns up to eight of a user's own active lists whose name contains text, ignoring
// case and accents, with their LinkCount. The order: the name itself, names beginning with text, names with a
// word beginning with text, other names. Within these groups, names
// with the same accents come first, and then lists with more links.
func (s *Store) CompleteLists(ctx context.Context, owner waymark.UserID, text string) ([]waymark.List, error) {
	return complete(ctx, s, &lists, owner, text, "e.user_id = $1 AND e.visible_to IS NOT NULL")
}

// CompleteTags returns a user's own active tags, as CompleteLists does.
func (s *Store) CompleteTags(ctx context.Context, owner waymark.UserID, text string) ([]waymark.Tag, error) {
	return complete(ctx, s, &tags, owner, text, "e.user_id = $1 AND e.visible_to IS NOT NULL")
}

// CompleteListsOfOthers returns lists of other users that the viewer sees, as CompleteLists does.
func (s *Store) CompleteListsOfOthers(ctx context.Context, viewer waymark.UserID, text string) ([]waymark.List, error) {
	return complete(ctx, s, &lists, viewer, text, "e.user_id <> $1 AND "+query.VisibleToUser("e.visible_to", "$1"))
}

// CompleteTagsOfOthers returns tags of other users that the viewer sees, as CompleteLists does.
func (s *Store) CompleteTagsOfOthers(ctx context.Context, viewer waymark.UserID, text string) ([]waymark.Tag, error) {
	return complete(ctx, s, &tags, viewer, text, "e.user_id <> $1 AND "+query.VisibleToUser("e.visible_to", "$1"))
}

// complete returns the best completions of a text. of is the condition on e for the viewer $1.
func complete[T any](ctx context.Context, s *Store, t *entityTable[T], viewer waymark.UserID, text, of string) (found []T, err error) {
	if !table.StorableText(text) {
		return nil, nil
	}
	err = s.db.Search(ctx, int64(viewer), func() error { // it reads all names
		found, err = readCompletions(ctx, s, t, viewer, text, of)
		return err
	})
	return found, err
}

// completion is a list or tag that may complete a name.
type completion struct {
	id    int64
	name  string // see waymark.Plain
	exact bool   // it contains the text with its accents
	rank  int
	used  int // the number of links
}

func readCompletions[T any](ctx context.Context, s *Store, t *entityTable[T], viewer waymark.UserID, text, of string) ([]T, error) {
	if err := s.index.Sync(ctx); err != nil {
		return nil, err
	}
	q := s.db.Querier()
	plain := waymark.Plain(text)
	a := q.Args(viewer, plain, waymark.Fold(text))
	all, err := database.QueryAll(ctx, q, func(rows *sql.Rows, c *completion) error { return rows.Scan(&c.id, &c.name, &c.exact) }, `
		SELECT e.id, e.name_plain, `+s.dialect.Contains("e.name_folded", "$3")+`
		FROM `+t.Name+` AS e
		WHERE `+of+` AND `+s.dialect.Contains("e.name_plain", "$2"), a.Values...)
	if err != nil {
		return nil, err
	}
	ids := waymark.Map(all, func(e completion) int64 { return e.id })
	counts := s.countLinks(t.assoc, ids, viewer)
	for i := range all {
		all[i].rank, all[i].used = 2*rankOf(all[i].name, plain), counts[all[i].id]
		if !all[i].exact {
			all[i].rank++
		}
	}
	slices.SortFunc(all, func(a, b completion) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.used, a.used), strings.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	ids = ids[:0]
	for _, c := range all[:min(len(all), maxCompletions)] {
		ids = append(ids, c.id)
	}
	return readLabels(ctx, q, t, viewer, ids, counts, nil)
}

// rankOf returns how well a name completes a text in it, the best 0.
func rankOf(name, text string) int {
	if name == text {
		return 0
	}
	rank := 3
	for at := 0; ; {
		i := strings.Index(name[at:], text)
		if i < 0 {
			return rank
		}
		at += i
		if at == 0 {
			return 1
		}
		if before, _ := utf8.DecodeLastRuneInString(name[:at]); !unicode.IsLetter(before) && !unicode.IsNumber(before) {
			rank = 2
		}
		_, size := utf8.DecodeRuneInString(name[at:])
		at += size
	}
}
