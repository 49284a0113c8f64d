package web

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
)

// apiKeysPage is the data of the page with the API keys of the user.
type apiKeysPage struct {
	Keys     []keyView
	Made     *madeKey // the key that was just made, or nil
	Form     keyForm
	Days     []int // the choices for Form.Days, besides 0
	Problems problems
}

// keyView is a key in the table.
type keyView struct {
	ID         waymark.APIKeyID
	Name       string
	Access     string
	Made       moment
	Used, Ends *moment // nil for never
	Expired    bool
	Soon       bool // it ends within two weeks
}

// keyForm is the input for a new key.
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

func newAPIKeysPage(v *visit) (apiKeysPage, error) {
	page := apiKeysPage{Form: keyForm{Access: string(waymark.AccessAdd)}, Days: []int{30, 90, 365}}
	keys, err := v.Store.APIKeys(v.ctx(), v.user.ID)
	if err != nil {
		return page, err
	}
	now := waymark.FromTime(v.now)
	for _, key := range keys {
		page.Keys = append(page.Keys, keyView{
			ID: key.ID, Name: key.Name, Access: accessName(v, key.Access),
			Made: v.moment(key.CreatedAt), Used: v.momentOrNever(key.LastUsedAt), Ends: v.momentOrNever(key.ExpiresAt),
			Expired: key.Expired(now), Soon: key.Expired(now.Add(keyEndsSoon)),
		})
	}
	return page, nil
}

func accessName(v *visit, access waymark.Access) string {
	switch access {
	case waymark.AccessAdd:
		return v.t("api-keys.add")
	case waymark.AccessRead:
		return v.t("api-keys.read")
	default:
		return v.t("api-keys.full")
	}
}

func showAPIKeys(v *visit) error {
	page, err := newAPIKeysPage(v)
	if err != nil {
		return err
	}
	return v.render("api-keys", page)
}

// addAPIKey responds with the key instead of a redirect, since it is shown only once.
func addAPIKey(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	form := keyForm{Name: strings.TrimSpace(v.field("name")), Access: v.field("access")}
	form.Days, _ = strconv.Atoi(v.field("days"))
	access := waymark.Access(form.Access)
	if !slices.Contains([]waymark.Access{waymark.AccessAdd, waymark.AccessRead, waymark.AccessFull}, access) || form.Days < 0 || form.Days > maxKeyDays {
		return pageError{http.StatusBadRequest}
	}
	var expires waymark.Time
	if form.Days > 0 {
		expires = v.Store.Now().Add(time.Duration(form.Days) * 24 * time.Hour)
	}
	secret, key, addErr := v.Accounts.AddAPIKey(v.ctx(), v.user.Name, form.Name, access, expires)
	page, err := newAPIKeysPage(v)
	if err != nil {
		return err
	}
	if addErr != nil {
		page.Form = form
		if page.Problems, err = accountProblems(v, addErr); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "api-keys", page)
	}
	page.Made = newMadeKey(v, key.Name, secret)
	v.w.Header().Set("Cache-Control", "no-store")
	return v.render("api-keys", page)
}

// maxKeyDays limits the time until a key ends, so that it can be computed.
const maxKeyDays = 36500

func newMadeKey(v *visit, name, secret string) *madeKey {
	base := v.baseURL()
	host := base
	if u, err := url.Parse(base); err == nil {
		host = u.Host + u.Path
	}
	return &madeKey{
		Name: name, Secret: secret,
		Curl: fmt.Sprintf("curl %s/api/v2/links \\\n  -H 'Content-Type: application/json' -H 'Authorization: Bearer %s' \\\n  -d '{\"url\": \"https://example.org/\"}'", base, secret),
		Clients: []recipe{
			{"Miniflux", v.t("api-keys.miniflux", "url", base)},
			{"LinkAce Quick Save (Firefox)", v.t("api-keys.quick-save", "url", base)},
			{"LinkAce Extension – Modern (Chrome)", v.t("api-keys.modern", "url", base)},
			{"LinkAce for Raycast", v.t("api-keys.raycast", "url", base)},
			{"LinkActor (macOS)", v.t("api-keys.linkactor", "host", host)},
		},
	}
}

func revokeAPIKey(v *visit) error {
	id, err := pathID[waymark.APIKeyID](v)
	if err != nil {
		return err
	}
	keys, err := v.Store.APIKeys(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(keys, func(key waymark.APIKey) bool { return key.ID == id })
	if i < 0 {
		return waymark.ErrNotFound
	}
	if err := v.Store.RevokeAPIKey(v.ctx(), v.user.ID, id); err != nil {
		return err
	}
	return v.changed("/settings/api-keys", toast{
		Text:     v.t("api-keys.revoked", "name", keys[i].Name),
		UndoPath: fmt.Sprintf("/settings/api-keys/%d/restore", id),
	})
}

func restoreAPIKey(v *visit) error {
	id, err := pathID[waymark.APIKeyID](v)
	if err != nil {
		return err
	}
	err = v.Store.RestoreAPIKey(v.ctx(), v.user.ID, id)
	if errors.Is(err, waymark.ErrConflict) {
		return v.changed("/settings/api-keys", toast{Text: v.t("api-keys.not-restored")})
	}
	if err != nil {
		return err
	}
	return v.changed("/settings/api-keys", toast{Text: v.t("api-keys.restored")})
}
