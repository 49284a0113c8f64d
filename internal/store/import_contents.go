package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// encodeAdded returns what a step of an import added, with the contents of the entities, which tell later
// whether somebody has edited them. It leaves out those in the trash.
func encodeAdded(ctx context.Context, q database.Querier, owner waymark.UserID, added *undo.Import) ([]byte, error) {
	kinds := []struct {
		kind waymark.EntityKind
		of   *[]undo.Added
	}{
		{waymark.Links, &added.Links},
		{waymark.Lists, &added.Lists},
		{waymark.Tags, &added.Tags},
		{waymark.Notes, &added.Notes},
		{waymark.Links, &added.Changed},
	}
	for _, k := range kinds {
		ids := addedIDs(*k.of)
		*k.of = nil
		if err := table.InBatches(ctx, ids, func(ids []int64) error {
			contents, err := readContents(ctx, q, owner, k.kind, ids, "")
			*k.of = append(*k.of, contents...)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return added.Encode()
}

// readContents returns the contents of the entities of owner among ids that are active and for which the
// condition is true, unless it is empty.
func readContents(ctx context.Context, q database.Querier, owner waymark.UserID, kind waymark.EntityKind, ids []int64, condition string) ([]undo.Added, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if condition == "" {
		condition = "true"
	}
	a := q.Args(owner)
	where := "e.id " + database.In(a, ids) + " AND e.user_id = $1 AND e.visible_to IS NOT NULL AND " + condition
	switch kind {
	case waymark.Links:
		return contentsWhere(ctx, q, &links, where, a.Values, linkContent)
	case waymark.Lists:
		return contentsWhere(ctx, q, &lists, where, a.Values, func(l *waymark.List) undo.Added {
			return newAdded(int64(l.ID), l.Name, l.Description, l.Visibility)
		})
	case waymark.Tags:
		return contentsWhere(ctx, q, &tags, where, a.Values, func(t *waymark.Tag) undo.Added {
			return newAdded(int64(t.ID), t.Name, t.Visibility)
		})
	}
	return contentsWhere(ctx, q, &notes, where, a.Values, noteContent)
}

func contentsWhere[T any](ctx context.Context, q database.Querier, t *entityTable[T], where string, args []any, contentOf func(*T) undo.Added) ([]undo.Added, error) {
	rows, err := t.All(ctx, q, where+" ORDER BY e.id"+q.RowLock(), args...)
	return waymark.Map(rows, func(row T) undo.Added { return contentOf(&row) }), err
}

// linkContent returns the content of a link without its status and the texts from its page.
func linkContent(l *waymark.Link) undo.Added {
	title, description, imageURL := l.Title, l.Description, l.ImageURL
	if l.FromPage.Has(waymark.TitleText) {
		title = ""
	}
	if l.FromPage.Has(waymark.DescriptionText) {
		description = ""
	}
	if l.FromPage.Has(waymark.ImageText) {
		imageURL = ""
	}
	return newAdded(int64(l.ID), l.URL, title, description, imageURL, l.Visibility, l.CheckDisabled, l.Snapshots, l.LinkFlags)
}

func noteContent(n *waymark.Note) undo.Added {
	content := newAdded(int64(n.ID), n.Text, n.Visibility)
	content.Link = int64(n.Link)
	return content
}

// newAdded returns an entity with the hash of its values.
func newAdded(id int64, values ...any) undo.Added {
	sum := sha256.Sum256(fmt.Appendf(nil, "%#v", values))
	return undo.Added{ID: id, Content: binary.BigEndian.Uint64(sum[:8])}
}

// importedLinks compares links with what an import made of them.
type importedLinks struct {
	content map[int64]uint64
	pairs   map[waymark.EntityKind]map[[2]int64]bool
	notes   map[int64]uint64

	unchanged         []int64
	edited, withNotes int // the numbers of the other links that are active
}

// newImportedLinks returns what a step made of the links that it created, with what later steps added.
func newImportedLinks(step *undo.Import, later laterParts) *importedLinks {
	l := &importedLinks{content: map[int64]uint64{}, pairs: map[waymark.EntityKind]map[[2]int64]bool{}, notes: map[int64]uint64{}}
	for _, link := range step.Links {
		l.content[link.ID] = link.Content
		if content, ok := later.content[link.ID]; ok {
			l.content[link.ID] = content
		}
	}
	isOfStep := func(link int64) bool { _, ok := l.content[link]; return ok }
	for _, kind := range labelKinds {
		l.pairs[kind] = map[[2]int64]bool{}
		for _, pairs := range [][][2]int64{*step.Pairs(kind), later.pairs[kind]} {
			for _, pair := range pairsWhere(pairs, isOfStep) {
				l.pairs[kind][pair] = true
			}
		}
	}
	for _, notes := range [][]undo.Added{step.Notes, later.notes} {
		for _, n := range notesWhere(notes, isOfStep) {
			l.notes[n.ID] = n.Content
		}
	}
	return l
}

// compare adds links to the unchanged ones, or counts them. A link is edited if its texts, visibility or
// settings were, or if its owner has given it lists or tags or taken them away.
func (l *importedLinks) compare(ctx context.Context, u *reverter, ids []int64) error {
	edited, withNotes := map[int64]bool{}, map[int64]bool{}
	now, err := readContents(ctx, u.q, u.user, waymark.Links, ids, "")
	if err != nil {
		return err
	}
	for _, link := range now {
		edited[link.ID] = link.Content != l.content[link.ID]
	}
	for _, kind := range labelKinds {
		if err := l.compareLabels(ctx, u, kind, ids, edited); err != nil {
			return err
		}
	}
	a := u.q.Args(u.user)
	notesNow, err := contentsWhere(ctx, u.q, &notes, "e.link_id "+database.In(a, ids)+" AND e.user_id = $1 AND e.visible_to IS NOT NULL", a.Values, noteContent)
	if err != nil {
		return err
	}
	for _, n := range notesNow {
		if content, ok := l.notes[n.ID]; !ok || content != n.Content {
			withNotes[n.Link] = true
		}
	}
	for _, link := range now {
		switch {
		case edited[link.ID]:
			l.edited++
		case withNotes[link.ID]:
			l.withNotes++
		default:
			l.unchanged = append(l.unchanged, link.ID)
		}
	}
	return nil
}

// compareLabels sets edited for links if the owner attached lists or tags to them, or detached
// existing ones. Lists and tags of other users do not count.
func (l *importedLinks) compareLabels(ctx context.Context, u *reverter, kind waymark.EntityKind, ids []int64, edited map[int64]bool) error {
	assoc := assocOf(kind)
	a := u.q.Args(u.user)
	pairs, err := database.QueryAll(ctx, u.q, scanPair, `
		SELECT m.link_id, m.`+assoc.Column+`
		FROM `+assoc.Table+` AS m
		JOIN `+assoc.Entities+` AS e ON e.id = m.`+assoc.Column+`
		WHERE m.link_id `+database.In(a, ids)+` AND e.user_id = $1`, a.Values...)
	if err != nil {
		return err
	}
	has := map[[2]int64]bool{}
	for _, pair := range pairs {
		has[pair] = true
		if !l.pairs[kind][pair] {
			edited[pair[0]] = true
		}
	}
	isOfBatch := setOf(ids)
	var missing [][2]int64
	var labels []int64
	for pair := range l.pairs[kind] {
		if isOfBatch[pair[0]] && !has[pair] {
			missing, labels = append(missing, pair), append(labels, pair[1])
		}
	}
	return table.InBatches(u.request, table.Unique(labels), func(labels []int64) error {
		exists, err := u.owners(ctx, assoc.Entities, labels)
		for _, pair := range missing {
			if _, ok := exists[pair[1]]; ok {
				edited[pair[0]] = true
			}
		}
		return err
	})
}

// labelKinds are the kinds of what links are in, and have.
var labelKinds = [...]waymark.EntityKind{waymark.Lists, waymark.Tags}

// laterParts are what steps of an import added to links of earlier steps.
type laterParts struct {
	owned   map[int64]bool   // all links that the import created
	content map[int64]uint64 // of the links that were changed
	pairs   map[waymark.EntityKind][][2]int64
	notes   []undo.Added
}

func addedIDs(added []undo.Added) []int64 {
	return waymark.Map(added, func(e undo.Added) int64 { return e.ID })
}

func pairsWhere(pairs [][2]int64, keep func(link int64) bool) [][2]int64 {
	return slices.DeleteFunc(slices.Clone(pairs), func(pair [2]int64) bool { return !keep(pair[0]) })
}

func notesWhere(notes []undo.Added, keep func(link int64) bool) []undo.Added {
	return slices.DeleteFunc(slices.Clone(notes), func(n undo.Added) bool { return !keep(n.Link) })
}
