package store

import "database/sql"

// sidebarRow is a number, a saved search, a list or a tag in the sidebar.
type sidebarRow struct {
	what  string // one of the kinds below, or the table of lists or tags
	id    int64
	name  string // of the saved search, list or tag, or of the table that is counted
	query string // of the saved search
	n     int64  // the number; 1 if the list or tag is pinned; when the saved search was created
}

// The kinds of sidebarRow that are no lists and no tags.
const (
	sidebarCount     = "count"     // the number of active entities
	sidebarTrash     = "trash"     // the number of entities in the trash
	sidebarSearch    = "search"    // a saved search
	sidebarUnchanged = "unchanged" // 1 if the database is at the snapshot of the index
)

func scanSidebarRow(rows *sql.Rows, r *sidebarRow) error {
	return rows.Scan(&r.what, &r.id, &r.name, &r.query, &r.n)
}
