package settings

import (
	"strconv"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

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

type newLinksPage struct {
	Visibility []defaultField
	SaveUnread bool
	Services   []service
	Snapshots  []page.SnapshotChoice
}

// service is what the server does for links, unless the user has turned it off.
type service struct {
	Name string
	off  *bool
}

// On reports whether the user has not turned it off.
func (s service) On() bool { return !*s.off }

// services returns what the server does for links, with the settings that turn it off.
func services(r *page.Request, s *waymark.Settings) (all []service) {
	if r.Crawler.FetchesPages() {
		all = append(all, service{"metadata", &s.NoMetadata})
	}
	if r.Crawler.ChecksLinks() {
		all = append(all, service{"check", &s.NoChecks})
	}
	if r.Crawler.Parts().Has(waymark.ThumbnailPart | waymark.IconPart) {
		all = append(all, service{"pictures", &s.NoPictures})
	}
	return all
}

// defaultField is the field for the default visibility of a kind of entity.
type defaultField struct {
	Name, Label string
	Value       string // the name of the visibility
}

// ShowNewLinks shows the settings for new links.
func ShowNewLinks(r *page.Request) error {
	d := r.User.DefaultVisibility
	p := newLinksPage{Visibility: []defaultField{
		{"links", r.T("new-links.links"), d.Links.String()},
		{"lists", r.T("new-links.lists"), d.Lists.String()},
		{"tags", r.T("new-links.tags"), d.Tags.String()},
		{"notes", r.T("new-links.notes"), d.Notes.String()},
	}, SaveUnread: r.Settings.SaveUnread, Services: services(r, &r.Settings)}
	p.Snapshots = r.SnapshotChoices(r.Settings.WithDefaults().Snapshots)
	return r.Render("new-links", p)
}

// SaveNewLinks saves the settings for new links.
func SaveNewLinks(r *page.Request) error {
	var edit waymark.DefaultVisibility
	for name, field := range map[string]*waymark.Visibility{"links": &edit.Links, "lists": &edit.Lists, "tags": &edit.Tags, "notes": &edit.Notes} {
		visibility, err := waymark.ParseVisibility(r.Field(name))
		if err != nil {
			return waymark.Invalid(waymark.FieldVisibility, waymark.RuleExists)
		}
		*field = visibility
	}
	_, _, err := r.Accounts.EditSettings(r.Context(), r.User.ID, func(s *waymark.Settings, d *waymark.DefaultVisibility) {
		*d = d.Edit(edit)
		s.SaveUnread = r.Field("save-unread") != ""
		for _, kind := range services(r, s) {
			*kind.off = r.Field(kind.Name) == ""
		}
		if r.HTTP.PostForm.Has("snapshots") {
			s.Snapshots = waymark.SnapshotChoice(r.Field("snapshots"))
		}
	})
	if err != nil {
		return err
	}
	return saved(r, "/settings/new-links")
}
