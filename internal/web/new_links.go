package web

import (
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// defaultField is the field of the default visibility of one kind of entity.
type defaultField struct {
	Name, Label string
	Value       string // the name of the visibility
}

func (v *visit) showNewLinks() error {
	d := v.user.DefaultVisibility
	return v.render("new-links", []defaultField{
		{"links", v.t("new-links.links"), d.Links.String()},
		{"lists", v.t("new-links.lists"), d.Lists.String()},
		{"tags", v.t("new-links.tags"), d.Tags.String()},
		{"notes", v.t("new-links.notes"), d.Notes.String()},
	})
}

func (v *visit) saveNewLinks() error {
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
	if _, err := v.Service.EditUser(v.ctx(), v.user.Name, service.UserEdit{DefaultVisibility: edit}); err != nil {
		return err
	}
	return v.saved("/settings/new-links")
}
