package settings

import (
	"net/http"
	"strconv"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// appearancePage is the data of the page with the settings of the user.
type appearancePage struct {
	Settings  waymark.Settings
	PerPage   []int
	Languages []languageChoice
	Zone      string // the time zone in use
	Problems  page.Problems
}

// languageChoice is a language of the pages.
type languageChoice struct {
	Tag  string
	Name string // in the language itself
}

func newAppearancePage(r *page.Request, settings waymark.Settings) appearancePage {
	p := appearancePage{Settings: settings.WithDefaults(), PerPage: waymark.LinksPerPage(), Zone: r.Zone.String()}
	for _, l := range r.Locales() {
		p.Languages = append(p.Languages, languageChoice{l.Name, l.Get("appearance.language-name")})
	}
	return p
}

// ShowAppearance shows the settings of how pages look.
func ShowAppearance(r *page.Request) error {
	return r.Render("appearance", newAppearancePage(r, r.Settings))
}

// SaveAppearance saves the settings of how pages look.
func SaveAppearance(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	perPage, err := strconv.Atoi(r.Field("links-per-page"))
	if err != nil {
		perPage = -1 // not one of the choices
	}
	settings := r.Settings // with those of other pages
	settings.Language = r.Field("language")
	settings.TimeZone = r.Field("time-zone")
	settings.Theme = waymark.Theme(r.Field("theme"))
	settings.View = waymark.View(r.Field("view"))
	settings.LinksPerPage = perPage
	settings.NewTab = r.Field("new-tab") != ""
	settings.HideDescriptions = r.Field("descriptions") == ""
	settings.NoShortcuts = r.Field("shortcuts") == ""
	if err := r.Accounts.SaveSettings(r.Context(), r.User.ID, settings); err != nil {
		p := newAppearancePage(r, settings)
		if p.Problems, err = accountProblems(r, err); err != nil {
			return err
		}
		return r.RenderStatus(http.StatusUnprocessableEntity, "appearance", p)
	}
	r.Settings = settings
	r.Localize()
	return saved(r, "/settings/appearance")
}
