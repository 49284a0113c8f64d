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

// apiKeysPage is the data of the page with the API keys of the user.
type apiKeysPage struct {
	Keys     []keyView
	Syncs    []SyncView
	Made     *madeKey // the key that was just made, or nil
	Form     keyForm
	Days     []int // the choices for Form.Days, besides 0
	Problems page.Problems
}

// keyView is a key in the table.
type keyView struct {
	ID         waymark.APIKeyID
	Name       string
	Access     string
	Made       page.Moment
	Used, Ends *page.Moment // nil for never
	Expired    bool
	Soon       bool // it ends within two weeks
}

type keyForm struct {
	Name, Access string
	Days         int // until the key ends; 0 for never
}

// madeKey is a key with its secret, which is shown once.
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
		p.Keys = append(p.Keys, keyView{
			ID: key.ID, Name: key.Name, Access: accessName(r, key.Access),
			Made: r.Moment(key.CreatedAt), Used: r.MomentOrNever(key.LastUsedAt), Ends: r.MomentOrNever(key.ExpiresAt),
			Expired: key.Expired(now), Soon: key.Expired(now.Add(keyEndsSoon)),
		})
	}
	return p, nil
}

func accessName(r *page.Request, access waymark.Access) string {
	switch access {
	case waymark.AccessAdd:
		return r.T("api-keys.add")
	case waymark.AccessRead:
		return r.T("api-keys.read")
	default:
		return r.T("api-keys.full")
	}
}

// ShowAPIKeys shows the API keys of the user.
func ShowAPIKeys(r *page.Request) error {
	p, err := newAPIKeysPage(r)
	if err != nil {
		return err
	}
	return r.Render("api-keys", p)
}

// AddAPIKey responds with the key instead of a redirect, since it is shown only once.
func AddAPIKey(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
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
		if p.Problems, err = accountProblems(r, addErr); err != nil {
			return err
		}
		return r.RenderStatus(http.StatusUnprocessableEntity, "api-keys", p)
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
func RevokeAPIKey(r *page.Request) error {
	id, err := page.PathID[waymark.APIKeyID](r)
	if err != nil {
		return err
	}
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
func RestoreAPIKey(r *page.Request) error {
	id, err := page.PathID[waymark.APIKeyID](r)
	if err != nil {
		return err
	}
	err = r.Store.Accounts.RestoreAPIKey(r.Context(), r.User.ID, id)
	if problems, _ := r.ProblemsOf(err, r.Field); len(problems) > 0 {
		return r.Changed("/settings/api-keys", page.Toast{Text: problems[0].Text})
	}
	if errors.Is(err, waymark.ErrConflict) {
		return r.Changed("/settings/api-keys", page.Toast{Text: r.T("api-keys.not-restored")})
	}
	if err != nil {
		return err
	}
	return r.Changed("/settings/api-keys", page.Toast{Text: r.T("api-keys.restored")})
}
