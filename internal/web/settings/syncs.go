package settings

import (
	"errors"
	"strconv"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// SyncView is what a program changed within the last day, which the user can undo.
type SyncView struct {
	waymark.Sync
	Name string // of the API key, "" if it is revoked
	Last page.Moment
}

// maxSyncs is the number of syncs that a page shows.
const maxSyncs = 5

// Syncs returns the latest syncs of the user.
func Syncs(r *page.Request) ([]SyncView, error) {
	syncs, err := r.Store.Syncs(r.Context(), r.User.ID)
	if err != nil || len(syncs) == 0 {
		return nil, err
	}
	keys, err := r.Store.Accounts.APIKeys(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	names := map[waymark.APIKeyID]string{}
	for _, key := range keys {
		names[key.ID] = key.Name
	}
	views := make([]SyncView, min(len(syncs), maxSyncs))
	for i := range views {
		views[i] = SyncView{syncs[i], names[syncs[i].APIKey], r.Moment(syncs[i].To)}
	}
	return views, nil
}

// UndoSync undoes what a program has changed.
func UndoSync(r *page.Request, id waymark.APIKeyID) error {
	from, fromErr := strconv.ParseInt(r.Field("from"), 10, 64)
	to, toErr := strconv.ParseInt(r.Field("to"), 10, 64)
	if fromErr != nil || toErr != nil {
		return waymark.ErrNotFound
	}
	back := r.Back("/settings/api-keys")
	result, err := r.Store.UndoSync(r.Context(), r.User, waymark.Sync{APIKey: id, From: waymark.Time(from), To: waymark.Time(to)})
	if errors.Is(err, waymark.ErrNotFound) {
		return r.Changed(back, page.Toast{Text: r.T("syncs.gone")})
	}
	if err != nil {
		return err
	}
	return r.Undone(back, result.Skipped)
}
