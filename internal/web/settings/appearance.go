package settings

import (
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
	Others    bool   // the server has other users
	Problems  page.Problems
}

type languageChoice struct {
	Tag  string
	Name string // in the language itself
}

func newAppearancePage(r *page.Request) (appearancePage, error) {
	p := appearancePage{Settings: r.Settings.WithDefaults(), PerPage: waymark.LinksPerPage(), Zone: r.Zone.String()}
	for _, l := range r.Locales() {
		p.Languages = append(p.Languages, languageChoice{l.Name, l.OwnName()})
	}
	var err error
	p.Others, err = r.Store.Accounts.HasOtherUsers(r.Context(), r.User.ID)
	return p, err
}

// ShowAppearance shows the settings of how pages look.
var ShowAppearance = page.Show("appearance", newAppearancePage)

// SaveAppearance saves the settings of how pages look.
func SaveAppearance(r *page.Request) error {
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
	settings.OpeningReads = r.Field("opening-reads") != ""
	settings.HideDescriptions = r.Field("descriptions") == ""
	settings.NoShortcuts = r.Field("shortcuts") == ""
	settings.OnlyMine = r.Field("only-mine") != ""
	if wrong := r.Accounts.SaveSettings(r.Context(), r.User.ID, settings); wrong != nil {
		p, err := newAppearancePage(r)
		if err != nil {
			return err
		}
		p.Settings = settings.WithDefaults()
		return refused(r, "appearance", &p, &p.Problems, wrong)
	}
	r.Settings = settings
	r.Localize()
	return saved(r, "/settings/appearance")
}
