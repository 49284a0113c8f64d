package settings

import (
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// newLinksPage is the data of the page about new links.
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
