package table

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// UserRow is a row of users.
type UserRow struct {
	waymark.User
	waymark.Settings
	PasswordHash string
}

// Users is the table users.
var Users = New("users",
	Generated("id", func(u *UserRow) *waymark.UserID { return &u.ID }),
	Field("name", func(u *UserRow) *string { return &u.Name }),
	Field("password_hash", func(u *UserRow) *string { return &u.PasswordHash }),
	Field("admin", func(u *UserRow) *bool { return &u.Admin }),
	Field("disabled", func(u *UserRow) *bool { return &u.Disabled }),
	Field("link_visibility", func(u *UserRow) *waymark.Visibility { return &u.DefaultVisibility.Links }),
	Field("list_visibility", func(u *UserRow) *waymark.Visibility { return &u.DefaultVisibility.Lists }),
	Field("tag_visibility", func(u *UserRow) *waymark.Visibility { return &u.DefaultVisibility.Tags }),
	Field("note_visibility", func(u *UserRow) *waymark.Visibility { return &u.DefaultVisibility.Notes }),
	Fixed("created_at", func(u *UserRow) *waymark.Time { return &u.CreatedAt }),
	Derived("name_folded", func(u *UserRow) string { return waymark.Fold(u.Name) }),
	Field("language", func(u *UserRow) *string { return &u.Language }),
	Field("time_zone", func(u *UserRow) *string { return &u.TimeZone }),
	Field("theme", func(u *UserRow) *waymark.Theme { return &u.Theme }),
	Field("link_view", func(u *UserRow) *waymark.View { return &u.View }),
	Field("links_per_page", func(u *UserRow) *int { return &u.LinksPerPage }),
	Field("new_tab", func(u *UserRow) *bool { return &u.NewTab }),
	Field("hide_descriptions", func(u *UserRow) *bool { return &u.HideDescriptions }),
	Field("no_shortcuts", func(u *UserRow) *bool { return &u.NoShortcuts }),
	Field("only_mine", func(u *UserRow) *bool { return &u.OnlyMine }),
	Field("opening_reads", func(u *UserRow) *bool { return &u.OpeningReads }),
	Field("save_unread", func(u *UserRow) *bool { return &u.SaveUnread }),
	Field("unread_order", func(u *UserRow) *string { return &u.UnreadOrder }),
	Field("reading_size", func(u *UserRow) *string { return &u.Reading.Size }),
	Field("reading_width", func(u *UserRow) *string { return &u.Reading.Width }),
	Field("reading_theme", func(u *UserRow) *string { return &u.Reading.Theme }),
	Field("no_metadata", func(u *UserRow) *bool { return &u.NoMetadata }),
	Field("no_checks", func(u *UserRow) *bool { return &u.NoChecks }),
	Field("no_pictures", func(u *UserRow) *bool { return &u.NoPictures }),
	Field("snapshots", func(u *UserRow) *waymark.SnapshotChoice { return &u.Snapshots }),
)

// Links is the table links.
var Links = New("links",
	Generated("id", func(l *waymark.Link) *waymark.LinkID { return &l.ID }),
	Fixed("user_id", func(l *waymark.Link) *waymark.UserID { return &l.Owner }),
	Field("url", func(l *waymark.Link) *string { return &l.URL }),
	Field("title", func(l *waymark.Link) *string { return &l.Title }),
	Field("description", func(l *waymark.Link) *string { return &l.Description }),
	Field("image_url", func(l *waymark.Link) *string { return &l.ImageURL }),
	Field("from_page", func(l *waymark.Link) *waymark.LinkTexts { return &l.FromPage }),
	Field("visibility", func(l *waymark.Link) *waymark.Visibility { return &l.Visibility }),
	Field("status", func(l *waymark.Link) *waymark.Status { return &l.Status }),
	Generated("check_result", func(l *waymark.Link) *waymark.CheckResult { return &l.CheckResult }),
	Generated("minutes", func(l *waymark.Link) *int { return &l.Minutes }),
	Field("check_disabled", func(l *waymark.Link) *bool { return &l.CheckDisabled }),
	Field("snapshots", func(l *waymark.Link) *waymark.SnapshotChoice { return &l.Snapshots }),
	Field("unread", func(l *waymark.Link) *bool { return &l.Unread }),
	Field("archived", func(l *waymark.Link) *bool { return &l.Archived }),
	Field("favorite", func(l *waymark.Link) *bool { return &l.Favorite }),
	Field("created_at", func(l *waymark.Link) *waymark.Time { return &l.CreatedAt }),
	Field("updated_at", func(l *waymark.Link) *waymark.Time { return &l.UpdatedAt }),
	Field("seen_at", func(l *waymark.Link) *waymark.Time { return &l.SeenAt }),
	Fixed("deleted_at", func(l *waymark.Link) *waymark.Time { return &l.DeletedAt }),
	Derived("url_hash", func(l *waymark.Link) database.Hex { return URLHash(l.URL) }),
	Derived("url_key", func(l *waymark.Link) int64 { return URLKey(l.URL) }),
	Folded("url_folded", func(l *waymark.Link) string { return l.URL }),
	Folded("title_folded", func(l *waymark.Link) string { return l.Title }),
	Folded("description_folded", func(l *waymark.Link) string { return l.Description }),
	Derived("title_key", func(l *waymark.Link) database.Hex { return database.NewHex(waymark.SortKey(l.Title)) }),
)

// Lists is the table lists.
var Lists = New("lists",
	Generated("id", func(l *waymark.List) *waymark.ListID { return &l.ID }),
	Fixed("user_id", func(l *waymark.List) *waymark.UserID { return &l.Owner }),
	Nullable("parent_id", func(l *waymark.List) *waymark.ListID { return &l.Parent }),
	Fixed("position", func(l *waymark.List) *int { return &l.Position }),
	editing("editing", func(l *waymark.List) *waymark.Editing { return &l.Editing }),
	Field("name", func(l *waymark.List) *string { return &l.Name }),
	Field("description", func(l *waymark.List) *string { return &l.Description }),
	Field("visibility", func(l *waymark.List) *waymark.Visibility { return &l.Visibility }),
	Fixed("created_at", func(l *waymark.List) *waymark.Time { return &l.CreatedAt }),
	Field("updated_at", func(l *waymark.List) *waymark.Time { return &l.UpdatedAt }),
	Fixed("deleted_at", func(l *waymark.List) *waymark.Time { return &l.DeletedAt }),
	Derived("name_folded", func(l *waymark.List) string { return waymark.Fold(l.Name) }),
	Derived("name_plain", func(l *waymark.List) string { return waymark.Plain(l.Name) }),
	Derived("name_key", func(l *waymark.List) database.Hex { return database.NewHex(waymark.SortKey(l.Name)) }),
	Derived("description_folded", func(l *waymark.List) string { return waymark.Fold(l.Description) }),
)

// Tags is the table tags.
var Tags = New("tags",
	Generated("id", func(t *waymark.Tag) *waymark.TagID { return &t.ID }),
	Fixed("user_id", func(t *waymark.Tag) *waymark.UserID { return &t.Owner }),
	Field("name", func(t *waymark.Tag) *string { return &t.Name }),
	Field("visibility", func(t *waymark.Tag) *waymark.Visibility { return &t.Visibility }),
	Fixed("created_at", func(t *waymark.Tag) *waymark.Time { return &t.CreatedAt }),
	Field("updated_at", func(t *waymark.Tag) *waymark.Time { return &t.UpdatedAt }),
	Fixed("deleted_at", func(t *waymark.Tag) *waymark.Time { return &t.DeletedAt }),
	Derived("name_folded", func(t *waymark.Tag) string { return waymark.Fold(t.Name) }),
	Derived("name_plain", func(t *waymark.Tag) string { return waymark.Plain(t.Name) }),
	Derived("name_key", func(t *waymark.Tag) database.Hex { return database.NewHex(waymark.SortKey(t.Name)) }),
)

// Notes is the table notes.
var Notes = New("notes",
	Generated("id", func(n *waymark.Note) *waymark.NoteID { return &n.ID }),
	Fixed("user_id", func(n *waymark.Note) *waymark.UserID { return &n.Owner }),
	Fixed("link_id", func(n *waymark.Note) *waymark.LinkID { return &n.Link }),
	Field("note", func(n *waymark.Note) *string { return &n.Text }),
	Field("visibility", func(n *waymark.Note) *waymark.Visibility { return &n.Visibility }),
	Fixed("created_at", func(n *waymark.Note) *waymark.Time { return &n.CreatedAt }),
	Field("updated_at", func(n *waymark.Note) *waymark.Time { return &n.UpdatedAt }),
	Fixed("deleted_at", func(n *waymark.Note) *waymark.Time { return &n.DeletedAt }),
	Folded("note_folded", func(n *waymark.Note) string { return n.Text }),
)

// Passages is the table passages.
var Passages = New("passages",
	Generated("id", func(p *waymark.Passage) *waymark.PassageID { return &p.ID }),
	Fixed("user_id", func(p *waymark.Passage) *waymark.UserID { return &p.Owner }),
	Fixed("link_id", func(p *waymark.Passage) *waymark.LinkID { return &p.Link }),
	Fixed("exact", func(p *waymark.Passage) *string { return &p.Exact }),
	Fixed("prefix", func(p *waymark.Passage) *string { return &p.Prefix }),
	Fixed("suffix", func(p *waymark.Passage) *string { return &p.Suffix }),
	Fixed("position", func(p *waymark.Passage) *int { return &p.Position }),
	Field("note", func(p *waymark.Passage) *string { return &p.Note }),
	Fixed("created_at", func(p *waymark.Passage) *waymark.Time { return &p.CreatedAt }),
	Field("updated_at", func(p *waymark.Passage) *waymark.Time { return &p.UpdatedAt }),
	Derived("searched", (*waymark.Passage).Searched),
)

// KeptApartRow is a pair of links or tags that a person does not want to merge.
type KeptApartRow struct {
	id     int64
	Owner  waymark.UserID
	Entity string
	Key    int64
	A, B   string
}

// KeptApart is the table kept_apart.
var KeptApart = New("kept_apart",
	Generated("id", func(p *KeptApartRow) *int64 { return &p.id }),
	Fixed("user_id", func(p *KeptApartRow) *waymark.UserID { return &p.Owner }),
	Fixed("entity", func(p *KeptApartRow) *string { return &p.Entity }),
	Fixed("key", func(p *KeptApartRow) *int64 { return &p.Key }),
	Fixed("a", func(p *KeptApartRow) *string { return &p.A }),
	Fixed("b", func(p *KeptApartRow) *string { return &p.B }),
)

// LockUser makes other transactions that change links, lists or tags of the same user wait.
// It must be the first lock of each. Otherwise they would lock rows, URLs and names
// in different orders, and could deadlock.
func LockUser(ctx context.Context, q database.Querier, user waymark.UserID) error {
	return q.Lock(ctx, int64(user))
}

// UserTx runs a write transaction that begins with LockUser.
func UserTx(ctx context.Context, db *database.DB, user waymark.UserID, do func(ctx context.Context, q database.Querier) error) error {
	return db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := LockUser(ctx, q, user); err != nil {
			return err
		}
		return do(ctx, q)
	})
}

// URLKey returns the hash of waymark.WeakURLKey in the upper half, so that such links stand side by side in the index, and
// that of waymark.URLKey in the lower one. It is never negative.
func URLKey(url string) int64 {
	return WeakURLKey(url)<<32 | hashOf(waymark.URLKey(url), 32)
}

// WeakURLKey returns the upper half of URLKey.
func WeakURLKey(url string) int64 { return hashOf(waymark.WeakURLKey(url), 31) }

// hashOf returns the first bits of the hash of a text.
func hashOf(text string, bits int) int64 {
	sum := sha256.Sum256([]byte(text))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> (64 - bits)) //nolint:gosec // it has fewer bits
}

// URLHash returns the hash of a URL, which can be too long for the unique index.
func URLHash(url string) database.Hex {
	sum := sha256.Sum256([]byte(url))
	return database.NewHex(sum[:16])
}
