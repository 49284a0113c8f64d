package settings

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type apiKeysPage struct {
	Keys     []keyView
	Syncs    []SyncView
	Made     *madeKey // the key that was just made, or nil
	Form     keyForm
	Days     []int // the choices for Form.Days, besides 0
	Problems page.Problems
}

type keyView struct {
	waymark.APIKey
	Expired bool
	Soon    bool // it ends within two weeks
}

type keyForm struct {
	Name, Access string
	Days         int // until the key ends; 0 for never
}

type madeKey struct {
	Name, Secret string
	Curl         string
	Clients      []recipe
}

// recipe says how to enter a key in a program.
type recipe struct{ Name, Text string }

// keyEndsSoon is how long before its end a key is marked.
const keyEndsSoon = 14 * 24 * time.Hour

func newAPIKeysPage(r *page.Request) (apiKeysPage, error) {
	p := apiKeysPage{Form: keyForm{Access: string(waymark.AccessAdd)}, Days: []int{30, 90, 365}}
	keys, err := r.Store.Accounts.APIKeys(r.Context(), r.User.ID)
	if err != nil {
		return p, err
	}
	if p.Syncs, err = Syncs(r); err != nil {
		return p, err
	}
	now := waymark.FromTime(r.Now)
	for _, key := range keys {
		p.Keys = append(p.Keys, keyView{key, key.Expired(now), key.Expired(now.Add(keyEndsSoon))})
	}
	return p, nil
}

// ShowAPIKeys shows the API keys of the user.
var ShowAPIKeys = page.Show("api-keys", newAPIKeysPage)

// AddAPIKey responds with the key instead of a redirect, since it is shown only once.
func AddAPIKey(r *page.Request) error {
	form := keyForm{Name: strings.TrimSpace(r.Field("name")), Access: r.Field("access")}
	form.Days, _ = strconv.Atoi(r.Field("days"))
	access := waymark.Access(form.Access)
	if !slices.Contains([]waymark.Access{waymark.AccessAdd, waymark.AccessRead, waymark.AccessFull}, access) || form.Days < 0 || form.Days > maxKeyDays {
		return page.Error{Status: http.StatusBadRequest}
	}
	var expires waymark.Time
	if form.Days > 0 {
		expires = r.Store.Now().Add(time.Duration(form.Days) * 24 * time.Hour)
	}
	secret, key, addErr := r.Accounts.AddAPIKey(r.Context(), r.User.Name, form.Name, access, expires)
	p, err := newAPIKeysPage(r)
	if err != nil {
		return err
	}
	if addErr != nil {
		p.Form = form
		return refused(r, "api-keys", &p, &p.Problems, addErr)
	}
	p.Made = newMadeKey(r, key.Name, secret)
	r.W.Header().Set("Cache-Control", "no-store")
	return r.Render("api-keys", p)
}

// maxKeyDays limits the time until a key ends, so that it can be computed.
const maxKeyDays = 36500

func newMadeKey(r *page.Request, name, secret string) *madeKey {
	base := r.BaseURL()
	host := base
	if u, err := url.Parse(base); err == nil {
		host = u.Host + u.Path
	}
	return &madeKey{
		Name: name, Secret: secret,
		Curl: fmt.Sprintf("curl %s/api/v2/links \\\n  -H 'Content-Type: application/json' -H 'Authorization: Bearer %s' \\\n  -d '{\"url\": \"https://example.org/\"}'", base, secret),
		Clients: []recipe{
			{"Miniflux", r.T("api-keys.miniflux", "url", base)},
			{"LinkAce Quick Save (Firefox)", r.T("api-keys.quick-save", "url", base)},
			{"LinkAce Extension – Modern (Chrome)", r.T("api-keys.modern", "url", base)},
			{"LinkAce for Raycast", r.T("api-keys.raycast", "url", base)},
			{"LinkActor (macOS)", r.T("api-keys.linkactor", "host", host)},
		},
	}
}

// RevokeAPIKey revokes a key of the user, and offers to restore it.
func RevokeAPIKey(r *page.Request, id waymark.APIKeyID) error {
	keys, err := r.Store.Accounts.APIKeys(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(keys, func(key waymark.APIKey) bool { return key.ID == id })
	if i < 0 {
		return waymark.ErrNotFound
	}
	if err := r.Store.Accounts.RevokeAPIKey(r.Context(), r.User.ID, id); err != nil {
		return err
	}
	return r.Changed("/settings/api-keys", page.Toast{
		Text:     r.T("api-keys.revoked", "name", keys[i].Name),
		UndoPath: fmt.Sprintf("/settings/api-keys/%d/restore", id),
	})
}

// RestoreAPIKey restores a key that was revoked.
func RestoreAPIKey(r *page.Request, id waymark.APIKeyID) error {
	err := r.Store.Accounts.RestoreAPIKey(r.Context(), r.User.ID, id)
	if errors.Is(err, waymark.ErrConflict) {
		return r.Changed("/settings/api-keys", page.Toast{Text: r.T("api-keys.not-restored")})
	}
	if err != nil {
		return r.NotChanged("/settings/api-keys", err)
	}
	return r.Changed("/settings/api-keys", page.Toast{Text: r.T("api-keys.restored")})
}

// SyncView is what a program changed within the last day, which the user can undo.
type SyncView struct {
	waymark.Sync
	Name string // of the API key, "" if it is revoked
	Last page.Moment
}

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
