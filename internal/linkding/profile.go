package linkding

import (
	"cmp"
	_ "embed"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// health reports that the server works, and with which version of linkding its API is compatible.
func (a *API) health(w http.ResponseWriter, r *http.Request, _ waymark.User) error {
	if err := a.Store.Ping(r.Context()); err != nil {
		return httpx.WriteJSON(w, http.StatusInternalServerError, healthJSON{Version, "unhealthy"})
	}
	return httpx.WriteJSON(w, http.StatusOK, healthJSON{Version, "healthy"})
}

type healthJSON struct {
	Version string `json:"version"`
	Status  string `json:"status"`
}

// root is the response of the path above all others.
func (a *API) root(w http.ResponseWriter, _ *http.Request, _ waymark.User) error {
	return httpx.WriteJSON(w, http.StatusOK, struct{}{})
}

// profileJSON are the settings of a user as clients of linkding know them.
type profileJSON struct {
	Theme                 string   `json:"theme"`
	BookmarkDateDisplay   string   `json:"bookmark_date_display"`
	BookmarkLinkTarget    string   `json:"bookmark_link_target"`
	WebArchiveIntegration string   `json:"web_archive_integration"`
	TagSearch             string   `json:"tag_search"`
	EnableSharing         bool     `json:"enable_sharing"`
	EnablePublicSharing   bool     `json:"enable_public_sharing"`
	EnableFavicons        bool     `json:"enable_favicons"`
	DisplayURL            bool     `json:"display_url"`
	PermanentNotes        bool     `json:"permanent_notes"`
	SearchPreferences     struct{} `json:"search_preferences"`
	Version               string   `json:"version"`
}

func (a *API) getProfile(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	settings, err := a.Store.Accounts.Settings(r.Context(), user.ID)
	if err != nil {
		return err
	}
	target := "_self"
	if settings.NewTab {
		target = "_blank"
	}
	return httpx.WriteJSON(w, http.StatusOK, profileJSON{
		Theme: cmp.Or(string(settings.Theme), "auto"), BookmarkDateDisplay: "relative", BookmarkLinkTarget: target,
		WebArchiveIntegration: "disabled", TagSearch: "strict", EnableSharing: true,
		EnablePublicSharing: a.Settings.GuestPages && user.DefaultVisibility.Links == waymark.Public, Version: Version,
	})
}

//go:embed openapi.yaml
var openapi []byte

// documentPath is the path of the OpenAPI document. linkding has none.
const documentPath = "/api/linkding/openapi.yaml"

// document sends the OpenAPI document of this API.
func (a *API) document(w http.ResponseWriter, _ *http.Request, _ waymark.User) error {
	httpx.WriteBody(w, http.StatusOK, "application/yaml", openapi)
	return nil
}
