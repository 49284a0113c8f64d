package web

import (
	"net/http"
	"strconv"

	"waymark/internal/waymark"
)

// appearancePage is the data of the page with the settings of the user.
type appearancePage struct {
	Settings  waymark.Settings
	PerPage   []int
	Languages []languageChoice
	Zone      string // the time zone in use
	Problems  problems
}

// languageChoice is a language of the pages.
type languageChoice struct {
	Tag  string
	Name string // in the language itself
}

func newAppearancePage(v *visit, settings waymark.Settings) appearancePage {
	page := appearancePage{Settings: settings.WithDefaults(), PerPage: waymark.LinksPerPage(), Zone: v.zone.String()}
	for _, l := range v.languages.all {
		page.Languages = append(page.Languages, languageChoice{l.name, l.get("appearance.language-name")})
	}
	return page
}

func showAppearance(v *visit) error { return v.render("appearance", newAppearancePage(v, v.settings)) }

func saveAppearance(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	perPage, err := strconv.Atoi(v.field("links-per-page"))
	if err != nil {
		perPage = -1 // not one of the choices
	}
	settings := v.settings // with those of other pages
	settings.Language = v.field("language")
	settings.TimeZone = v.field("time-zone")
	settings.Theme = waymark.Theme(v.field("theme"))
	settings.View = waymark.View(v.field("view"))
	settings.LinksPerPage = perPage
	settings.NewTab = v.field("new-tab") != ""
	settings.HideDescriptions = v.field("descriptions") == ""
	settings.NoShortcuts = v.field("shortcuts") == ""
	if err := v.Accounts.SaveSettings(v.ctx(), v.user.ID, settings); err != nil {
		page := newAppearancePage(v, settings)
		if page.Problems, err = accountProblems(v, err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "appearance", page)
	}
	v.settings = settings
	v.localize()
	return saved(v, "/settings/appearance")
}
