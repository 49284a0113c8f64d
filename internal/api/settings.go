package api

import (
	"net/http"

	"waymark/internal/waymark"
)

// settingsResponse is the JSON of the settings of a user. LinkAce has no such operation.
type settingsResponse struct {
	Language       string                 `json:"language"`
	TimeZone       string                 `json:"time_zone"`
	Theme          waymark.Theme          `json:"theme"`
	View           waymark.View           `json:"view"`
	LinksPerPage   int                    `json:"links_per_page"`
	NewTab         bool                   `json:"new_tab"`
	Descriptions   bool                   `json:"descriptions"`
	Shortcuts      bool                   `json:"shortcuts"`
	OnlyMine       bool                   `json:"only_mine"`
	OpeningReads   bool                   `json:"opening_reads"`
	SaveUnread     bool                   `json:"save_unread"`
	Metadata       bool                   `json:"metadata"`
	Check          bool                   `json:"check"`
	Pictures       bool                   `json:"pictures"`
	Snapshots      waymark.SnapshotChoice `json:"snapshots"`
	LinkVisibility waymark.Visibility     `json:"link_visibility"`
	ListVisibility waymark.Visibility     `json:"list_visibility"`
	TagVisibility  waymark.Visibility     `json:"tag_visibility"`
	NoteVisibility waymark.Visibility     `json:"note_visibility"`
}

func writeSettings(w http.ResponseWriter, settings waymark.Settings, v waymark.DefaultVisibility) error {
	s := settings.WithDefaults()
	return writeJSON(w, settingsResponse{
		Language: s.Language, TimeZone: s.TimeZone, Theme: s.Theme, View: s.View, LinksPerPage: s.LinksPerPage,
		NewTab: s.NewTab, Descriptions: !s.HideDescriptions, Shortcuts: !s.NoShortcuts, OnlyMine: s.OnlyMine, OpeningReads: s.OpeningReads, SaveUnread: s.SaveUnread, Metadata: !s.NoMetadata, Check: !s.NoChecks,
		Pictures: !s.NoPictures, Snapshots: s.Snapshots,
		LinkVisibility: v.Links, ListVisibility: v.Lists, TagVisibility: v.Tags, NoteVisibility: v.Notes,
	})
}

func (a *API) getSettings(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	settings, err := a.Store.Accounts.Settings(r.Context(), user.ID)
	if err != nil {
		return err
	}
	return writeSettings(w, settings, user.DefaultVisibility)
}

func (a *API) editSettings(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	body := a.readBody(w, r, a.Settings.BodyLimit)
	edit := body.settingsEdit()
	if body.malformed != nil {
		return body.malformed
	}
	if err := body.err(); err != nil {
		var edited waymark.Settings // without the fields that could not be decoded
		edit(&edited, new(waymark.DefaultVisibility))
		return waymark.JoinInvalid(&waymark.ValidationError{DecodeErrs: []error{err}}, edited.Validate())
	}
	settings, visibility, err := a.Accounts.EditSettings(r.Context(), user.ID, edit)
	if err != nil {
		return err
	}
	return writeSettings(w, settings, visibility)
}

// settingsEdit returns the function that changes the settings whose fields were sent.
func (b *jsonBody) settingsEdit() func(*waymark.Settings, *waymark.DefaultVisibility) {
	language, zone, theme, view := b.text("language"), b.text("time_zone"), b.text("theme"), b.text("view")
	newTab, descriptions, shortcuts := b.boolean("new_tab"), b.boolean("descriptions"), b.boolean("shortcuts")
	openingReads, saveUnread := b.boolean("opening_reads"), b.boolean("save_unread")
	onlyMine, metadata, check := b.boolean("only_mine"), b.boolean("metadata"), b.boolean("check")
	pictures, snapshots := b.boolean("pictures"), b.text("snapshots")
	perPage := 0
	if !b.empty("links_per_page") {
		n, ok := integer(b.fields["links_per_page"])
		switch {
		case !ok || int64(int(n)) != n:
			b.fail("links_per_page", "The links per page must be a number.")
		case n == 0: // the value of the domain for the default
			b.fail("links_per_page", "The selected %s is invalid.", fieldLabel("links_per_page"))
		}
		perPage = int(n)
	}
	edit := waymark.DefaultVisibility{}
	for name, field := range map[string]*waymark.Visibility{
		"link_visibility": &edit.Links, "list_visibility": &edit.Lists, "tag_visibility": &edit.Tags, "note_visibility": &edit.Notes,
	} {
		if v := b.visibilityOf(name); v != nil {
			*field = *v
		}
	}
	return func(s *waymark.Settings, v *waymark.DefaultVisibility) {
		set(&s.Language, language)
		set(&s.TimeZone, zone)
		set((*string)(&s.Theme), theme)
		set((*string)(&s.View), view)
		set(&s.NewTab, newTab)
		set(&s.OnlyMine, onlyMine)
		if perPage != 0 {
			s.LinksPerPage = perPage
		}
		if descriptions != nil {
			s.HideDescriptions = !*descriptions
		}
		if shortcuts != nil {
			s.NoShortcuts = !*shortcuts
		}
		set(&s.OpeningReads, openingReads)
		set(&s.SaveUnread, saveUnread)
		if metadata != nil {
			s.NoMetadata = !*metadata
		}
		if check != nil {
			s.NoChecks = !*check
		}
		if pictures != nil {
			s.NoPictures = !*pictures
		}
		set((*string)(&s.Snapshots), snapshots)
		*v = v.Edit(edit)
	}
}

// set changes a value unless the new one is nil.
func set[T any](value, to *T) {
	if to != nil {
		*value = *to
	}
}
