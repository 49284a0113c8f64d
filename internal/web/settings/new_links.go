package settings

import (
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// newLinksPage is the data of the page about new links.
type newLinksPage struct {
	Visibility []defaultField
	SaveUnread bool
	Metadata   *onOff // whether new links get texts from their pages, nil if the server fetches none
	Check      *onOff // whether links are checked, nil if the server checks none
	Pictures   *onOff // whether pictures are downloaded, nil if the server downloads none
	Snapshots  []page.SnapshotChoice
}

// onOff is a setting that is on or off.
type onOff struct{ On bool }

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
	}, SaveUnread: r.Settings.SaveUnread}
	if r.Crawler.FetchesPages() {
		p.Metadata = &onOff{!r.Settings.NoMetadata}
	}
	if r.Crawler.ChecksLinks() {
		p.Check = &onOff{!r.Settings.NoChecks}
	}
	if r.Crawler.Parts().Has(waymark.ThumbnailPart | waymark.IconPart) {
		p.Pictures = &onOff{!r.Settings.NoPictures}
	}
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
		if r.Crawler.FetchesPages() {
			s.NoMetadata = r.Field("metadata") == ""
		}
		if r.Crawler.ChecksLinks() {
			s.NoChecks = r.Field("check") == ""
		}
		if r.Crawler.Parts().Has(waymark.ThumbnailPart | waymark.IconPart) {
			s.NoPictures = r.Field("pictures") == ""
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
