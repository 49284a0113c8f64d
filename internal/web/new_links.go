package web

import "waymark/internal/waymark"

// newLinksPage is the data of the page about new links.
type newLinksPage struct {
	Visibility []defaultField
	Metadata   *onOff // whether new links get texts from their pages, nil if the server fetches none
	Check      *onOff // whether links are checked, nil if the server checks none
	Pictures   *onOff // whether pictures are downloaded, nil if the server downloads none
	Snapshots  []snapshotChoice
}

// onOff is a setting that is on or off.
type onOff struct{ On bool }

// defaultField is the field of the default visibility of one kind of entity.
type defaultField struct {
	Name, Label string
	Value       string // the name of the visibility
}

func showNewLinks(v *visit) error {
	d := v.user.DefaultVisibility
	page := newLinksPage{Visibility: []defaultField{
		{"links", v.t("new-links.links"), d.Links.String()},
		{"lists", v.t("new-links.lists"), d.Lists.String()},
		{"tags", v.t("new-links.tags"), d.Tags.String()},
		{"notes", v.t("new-links.notes"), d.Notes.String()},
	}}
	if v.Crawler.Pages != nil {
		page.Metadata = &onOff{!v.settings.NoMetadata}
	}
	if v.Crawler.Checks != nil {
		page.Check = &onOff{!v.settings.NoChecks}
	}
	if v.Crawler.PageParts.Has(waymark.ThumbnailPart | waymark.IconPart) {
		page.Pictures = &onOff{!v.settings.NoPictures}
	}
	page.Snapshots = v.snapshotChoices(v.settings.WithDefaults().Snapshots)
	return v.render("new-links", page)
}

func saveNewLinks(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	var edit waymark.DefaultVisibility
	for name, field := range map[string]*waymark.Visibility{"links": &edit.Links, "lists": &edit.Lists, "tags": &edit.Tags, "notes": &edit.Notes} {
		visibility, err := waymark.ParseVisibility(v.field(name))
		if err != nil {
			return waymark.Invalid(waymark.FieldVisibility, waymark.RuleExists)
		}
		*field = visibility
	}
	_, _, err := v.Accounts.EditSettings(v.ctx(), v.user.ID, func(s *waymark.Settings, d *waymark.DefaultVisibility) {
		*d = d.Edit(edit)
		if v.Crawler.Pages != nil {
			s.NoMetadata = v.field("metadata") == ""
		}
		if v.Crawler.Checks != nil {
			s.NoChecks = v.field("check") == ""
		}
		if v.Crawler.PageParts.Has(waymark.ThumbnailPart | waymark.IconPart) {
			s.NoPictures = v.field("pictures") == ""
		}
		if v.r.PostForm.Has("snapshots") {
			s.Snapshots = waymark.SnapshotChoice(v.field("snapshots"))
		}
	})
	if err != nil {
		return err
	}
	return saved(v, "/settings/new-links")
}
