package store

import (
	"crypto/sha256"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// apiKeyRow is a row of api_keys.
type apiKeyRow struct {
	waymark.APIKey
	hash string
}

var apiKeys = newTable("api_keys",
	generated("id", func(k *apiKeyRow) *waymark.APIKeyID { return &k.ID }),
	fixed("user_id", func(k *apiKeyRow) *waymark.UserID { return &k.Owner }),
	fixed("name", func(k *apiKeyRow) *string { return &k.Name }),
	fixed("hash", func(k *apiKeyRow) *string { return &k.hash }),
	fixed("access", func(k *apiKeyRow) *waymark.Access { return &k.Access }),
	fixed("created_at", func(k *apiKeyRow) *waymark.Time { return &k.CreatedAt }),
	fixed("last_used_at", func(k *apiKeyRow) *waymark.Time { return &k.LastUsedAt }),
	fixed("expires_at", func(k *apiKeyRow) *waymark.Time { return &k.ExpiresAt }),
)

// userRow is a row of users.
type userRow struct {
	waymark.User
	waymark.Settings
	passwordHash string
}

var users = newTable("users",
	generated("id", func(u *userRow) *waymark.UserID { return &u.ID }),
	field("name", func(u *userRow) *string { return &u.Name }),
	field("password_hash", func(u *userRow) *string { return &u.passwordHash }),
	field("admin", func(u *userRow) *bool { return &u.Admin }),
	field("disabled", func(u *userRow) *bool { return &u.Disabled }),
	field("link_visibility", func(u *userRow) *waymark.Visibility { return &u.DefaultVisibility.Links }),
	field("list_visibility", func(u *userRow) *waymark.Visibility { return &u.DefaultVisibility.Lists }),
	field("tag_visibility", func(u *userRow) *waymark.Visibility { return &u.DefaultVisibility.Tags }),
	field("note_visibility", func(u *userRow) *waymark.Visibility { return &u.DefaultVisibility.Notes }),
	fixed("created_at", func(u *userRow) *waymark.Time { return &u.CreatedAt }),
	derived("name_folded", func(u *userRow) string { return waymark.Fold(u.Name) }),
	field("language", func(u *userRow) *string { return &u.Language }),
	field("time_zone", func(u *userRow) *string { return &u.TimeZone }),
	field("theme", func(u *userRow) *waymark.Theme { return &u.Theme }),
	field("link_view", func(u *userRow) *waymark.View { return &u.View }),
	field("links_per_page", func(u *userRow) *int { return &u.LinksPerPage }),
	field("new_tab", func(u *userRow) *bool { return &u.NewTab }),
	field("hide_descriptions", func(u *userRow) *bool { return &u.HideDescriptions }),
	field("no_shortcuts", func(u *userRow) *bool { return &u.NoShortcuts }),
	field("no_metadata", func(u *userRow) *bool { return &u.NoMetadata }),
	field("no_checks", func(u *userRow) *bool { return &u.NoChecks }),
	field("no_pictures", func(u *userRow) *bool { return &u.NoPictures }),
	field("snapshots", func(u *userRow) *waymark.SnapshotChoice { return &u.Snapshots }),
)

// sessionRow is a row of sessions.
type sessionRow struct {
	waymark.Session
	hash string
}

var sessions = newTable("sessions",
	generated("id", func(s *sessionRow) *waymark.SessionID { return &s.ID }),
	fixed("user_id", func(s *sessionRow) *waymark.UserID { return &s.UserID }),
	fixed("hash", func(s *sessionRow) *string { return &s.hash }),
	fixed("persistent", func(s *sessionRow) *bool { return &s.Persistent }),
	fixed("created_at", func(s *sessionRow) *waymark.Time { return &s.CreatedAt }),
	fixed("last_seen_at", func(s *sessionRow) *waymark.Time { return &s.LastSeenAt }),
	fixed("expires_at", func(s *sessionRow) *waymark.Time { return &s.ExpiresAt }),
	fixed("browser", func(s *sessionRow) *string { return &s.Browser }),
	fixed("address", func(s *sessionRow) *string { return &s.Address }),
)

// invitationRow is a row of invitations.
type invitationRow struct {
	waymark.Invitation
	hash string
}

var invitations = newTable("invitations",
	generated("id", func(i *invitationRow) *waymark.InvitationID { return &i.ID }),
	fixed("hash", func(i *invitationRow) *string { return &i.hash }),
	fixed("name", func(i *invitationRow) *string { return &i.Name }),
	fixed("admin", func(i *invitationRow) *bool { return &i.Admin }),
	fixed("setup", func(i *invitationRow) *bool { return &i.Setup }),
	nullable("created_by", func(i *invitationRow) *waymark.UserID { return &i.CreatedBy }),
	fixed("created_at", func(i *invitationRow) *waymark.Time { return &i.CreatedAt }),
	fixed("expires_at", func(i *invitationRow) *waymark.Time { return &i.ExpiresAt }),
)

var savedSearches = newTable("saved_searches",
	generated("id", func(s *waymark.SavedSearch) *waymark.SavedSearchID { return &s.ID }),
	fixed("user_id", func(s *waymark.SavedSearch) *waymark.UserID { return &s.Owner }),
	field("name", func(s *waymark.SavedSearch) *string { return &s.Name }),
	field("query", func(s *waymark.SavedSearch) *string { return &s.Query }),
	fixed("created_at", func(s *waymark.SavedSearch) *waymark.Time { return &s.CreatedAt }),
)

var imports = newTable("imports",
	generated("id", func(i *waymark.Import) *waymark.ImportID { return &i.ID }),
	fixed("user_id", func(i *waymark.Import) *waymark.UserID { return &i.Owner }),
	fixed("file", func(i *waymark.Import) *string { return &i.File }),
	fixed("format", func(i *waymark.Import) *string { return &i.Format }),
	fixed("folders", func(i *waymark.Import) *waymark.ImportFolders { return &i.Options.Folders }),
	fixed("folder_names", func(i *waymark.Import) *waymark.ImportFolderNames { return &i.Options.FolderNames }),
	fixed("on_duplicate", func(i *waymark.Import) *waymark.ImportDuplicates { return &i.Options.OnDuplicate }),
	fixed("visibility", func(i *waymark.Import) *waymark.Visibility { return &i.Options.Visibility }),
	fixed("file_bytes", func(i *waymark.Import) *int64 { return &i.Size }),
	field("state", func(i *waymark.Import) *waymark.ImportState { return &i.State }),
	field("error", func(i *waymark.Import) *string { return &i.Error }),
	fixed("started_at", func(i *waymark.Import) *waymark.Time { return &i.StartedAt }),
	field("seen_at", func(i *waymark.Import) *waymark.Time { return &i.SeenAt }),
	field("finished_at", func(i *waymark.Import) *waymark.Time { return &i.FinishedAt }),
	field("read_bytes", func(i *waymark.Import) *int64 { return &i.Position }),
	field("rows_read", func(i *waymark.Import) *int { return &i.Counts.Read }),
	field("added", func(i *waymark.Import) *int { return &i.Counts.Added }),
	field("updated", func(i *waymark.Import) *int { return &i.Counts.Updated }),
	field("merged", func(i *waymark.Import) *int { return &i.Counts.Merged }),
	field("skipped", func(i *waymark.Import) *int { return &i.Counts.Skipped }),
	field("failed", func(i *waymark.Import) *int { return &i.Counts.Failed }),
	field("problems", func(i *waymark.Import) *int { return &i.Problems }),
	field("steps", func(i *waymark.Import) *int { return &i.Steps }),
	field("undone", func(i *waymark.Import) *int { return &i.Undone.Done }),
	field("kept_edited", func(i *waymark.Import) *int { return &i.Undone.Edited }),
	field("kept_with_notes", func(i *waymark.Import) *int { return &i.Undone.WithNotes }),
)

var links = entityTable[waymark.Link]{
	table: newTable("links",
		generated("id", func(l *waymark.Link) *waymark.LinkID { return &l.ID }),
		fixed("user_id", func(l *waymark.Link) *waymark.UserID { return &l.Owner }),
		field("url", func(l *waymark.Link) *string { return &l.URL }),
		field("title", func(l *waymark.Link) *string { return &l.Title }),
		field("description", func(l *waymark.Link) *string { return &l.Description }),
		field("thumbnail", func(l *waymark.Link) *string { return &l.Thumbnail }),
		field("from_page", func(l *waymark.Link) *waymark.LinkTexts { return &l.FromPage }),
		field("visibility", func(l *waymark.Link) *waymark.Visibility { return &l.Visibility }),
		field("status", func(l *waymark.Link) *waymark.Status { return &l.Status }),
		generated("check_result", func(l *waymark.Link) *waymark.CheckResult { return &l.CheckResult }),
		field("check_disabled", func(l *waymark.Link) *bool { return &l.CheckDisabled }),
		field("snapshots", func(l *waymark.Link) *waymark.SnapshotChoice { return &l.Snapshots }),
		fixed("created_at", func(l *waymark.Link) *waymark.Time { return &l.CreatedAt }),
		field("updated_at", func(l *waymark.Link) *waymark.Time { return &l.UpdatedAt }),
		fixed("deleted_at", func(l *waymark.Link) *waymark.Time { return &l.DeletedAt }),
		derived("url_hash", func(l *waymark.Link) database.Hex { return urlHash(l.URL) }),
		folded("url_folded", func(l *waymark.Link) string { return l.URL }),
		folded("title_folded", func(l *waymark.Link) string { return l.Title }),
		folded("description_folded", func(l *waymark.Link) string { return l.Description }),
	),
	idOf:   func(l *waymark.Link) int64 { return int64(l.ID) },
	sizeOf: sizeOfLink,
	order: map[waymark.SortField]query.Order{
		waymark.SortByID:            {},
		waymark.SortByURL:           {query.Folded("url"), "e.url"},
		waymark.SortByTitle:         {query.Folded("title"), "e.title"},
		waymark.SortByDescription:   {query.Folded("description"), "e.description"},
		waymark.SortByPrivate:       {"e.visibility = 3"},
		waymark.SortByVisibility:    {"e.visibility"},
		waymark.SortByStatus:        {"e.status"},
		waymark.SortByCheckDisabled: {"e.check_disabled"},
		waymark.SortByCreatedAt:     {"e.created_at"},
		waymark.SortByUpdatedAt:     {"e.updated_at"},
	},
	counted: true,
}

var lists = entityTable[waymark.List]{
	table: newTable("lists",
		generated("id", func(l *waymark.List) *waymark.ListID { return &l.ID }),
		fixed("user_id", func(l *waymark.List) *waymark.UserID { return &l.Owner }),
		field("name", func(l *waymark.List) *string { return &l.Name }),
		field("description", func(l *waymark.List) *string { return &l.Description }),
		field("visibility", func(l *waymark.List) *waymark.Visibility { return &l.Visibility }),
		fixed("created_at", func(l *waymark.List) *waymark.Time { return &l.CreatedAt }),
		field("updated_at", func(l *waymark.List) *waymark.Time { return &l.UpdatedAt }),
		fixed("deleted_at", func(l *waymark.List) *waymark.Time { return &l.DeletedAt }),
		derived("name_folded", func(l *waymark.List) string { return waymark.Fold(l.Name) }),
		derived("description_folded", func(l *waymark.List) string { return waymark.Fold(l.Description) }),
	),
	idOf:      func(l *waymark.List) int64 { return int64(l.ID) },
	sizeOf:    sizeOfList,
	nameOf:    func(l *waymark.List) string { return l.Name },
	linkCount: func(l *waymark.List) *int { return &l.LinkCount },
	assoc:     &query.LinkLists,
	order: map[waymark.SortField]query.Order{
		waymark.SortByID:          {},
		waymark.SortByName:        {"e.name_folded", "e.name"},
		waymark.SortByDescription: {"e.description_folded", "e.description"},
		waymark.SortByPrivate:     {"e.visibility = 3"},
		waymark.SortByVisibility:  {"e.visibility"},
		waymark.SortByCreatedAt:   {"e.created_at"},
		waymark.SortByUpdatedAt:   {"e.updated_at"},
	},
	counted: true,
}

var tags = entityTable[waymark.Tag]{
	table: newTable("tags",
		generated("id", func(t *waymark.Tag) *waymark.TagID { return &t.ID }),
		fixed("user_id", func(t *waymark.Tag) *waymark.UserID { return &t.Owner }),
		field("name", func(t *waymark.Tag) *string { return &t.Name }),
		field("visibility", func(t *waymark.Tag) *waymark.Visibility { return &t.Visibility }),
		fixed("created_at", func(t *waymark.Tag) *waymark.Time { return &t.CreatedAt }),
		field("updated_at", func(t *waymark.Tag) *waymark.Time { return &t.UpdatedAt }),
		fixed("deleted_at", func(t *waymark.Tag) *waymark.Time { return &t.DeletedAt }),
		derived("name_folded", func(t *waymark.Tag) string { return waymark.Fold(t.Name) }),
	),
	idOf:      func(t *waymark.Tag) int64 { return int64(t.ID) },
	sizeOf:    sizeOfTag,
	nameOf:    func(t *waymark.Tag) string { return t.Name },
	linkCount: func(t *waymark.Tag) *int { return &t.LinkCount },
	assoc:     &query.LinkTags,
	order: map[waymark.SortField]query.Order{
		waymark.SortByID:         {},
		waymark.SortByName:       {"e.name_folded", "e.name"},
		waymark.SortByPrivate:    {"e.visibility = 3"},
		waymark.SortByVisibility: {"e.visibility"},
		waymark.SortByCreatedAt:  {"e.created_at"},
		waymark.SortByUpdatedAt:  {"e.updated_at"},
	},
	counted: true,
}

var notes = entityTable[waymark.Note]{
	table: newTable("notes",
		generated("id", func(n *waymark.Note) *waymark.NoteID { return &n.ID }),
		fixed("user_id", func(n *waymark.Note) *waymark.UserID { return &n.Owner }),
		fixed("link_id", func(n *waymark.Note) *waymark.LinkID { return &n.Link }),
		field("note", func(n *waymark.Note) *string { return &n.Text }),
		field("visibility", func(n *waymark.Note) *waymark.Visibility { return &n.Visibility }),
		fixed("created_at", func(n *waymark.Note) *waymark.Time { return &n.CreatedAt }),
		field("updated_at", func(n *waymark.Note) *waymark.Time { return &n.UpdatedAt }),
		fixed("deleted_at", func(n *waymark.Note) *waymark.Time { return &n.DeletedAt }),
	),
	idOf:   func(n *waymark.Note) int64 { return int64(n.ID) },
	sizeOf: sizeOfNote,
	order: map[waymark.SortField]query.Order{
		waymark.SortByID:        {},
		waymark.SortByCreatedAt: {"e.created_at"},
		waymark.SortByUpdatedAt: {"e.updated_at"},
	},
}

// urlHash returns the hash of a URL for the unique index, because a URL can be longer
// than the index allows.
func urlHash(url string) database.Hex {
	sum := sha256.Sum256([]byte(url))
	return database.NewHex(sum[:16])
}
