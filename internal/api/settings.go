package api

import (
	"errors"
	"net/http"

	"waymark/internal/httpx"
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

func writeSettings(w http.ResponseWriter, settings waymark.Settings, v waymark.DefaultVisibility, err error) error {
	s := settings.WithDefaults()
	return writeJSON(w, settingsResponse{
		Language: s.Language, TimeZone: s.TimeZone, Theme: s.Theme, View: s.View, LinksPerPage: s.LinksPerPage,
		NewTab: s.NewTab, Descriptions: !s.HideDescriptions, Shortcuts: !s.NoShortcuts, OnlyMine: s.OnlyMine, OpeningReads: s.OpeningReads, SaveUnread: s.SaveUnread, Metadata: !s.NoMetadata, Check: !s.NoChecks,
		Pictures: !s.NoPictures, Snapshots: s.Snapshots,
		LinkVisibility: v.Links, ListVisibility: v.Lists, TagVisibility: v.Tags, NoteVisibility: v.Notes,
	}, err)
}

func (a *API) getSettings(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	settings, err := a.Store.Accounts.Settings(r.Context(), user.ID)
	return writeSettings(w, settings, user.DefaultVisibility, err)
}

func (a *API) editSettings(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var body settingsFields
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	if body.LinksPerPage.sent && !body.LinksPerPage.null && body.LinksPerPage.value == 0 { // the value of the domain for the default
		wrong.add("links_per_page", "The selected links per page is invalid.")
	}
	if wrong.malformed != nil {
		return wrong.malformed
	}
	if err := wrong.err(); err != nil {
		var edited waymark.Settings // without the fields that could not be decoded
		body.apply(&edited, new(waymark.DefaultVisibility))
		if invalid, ok := errors.AsType[*waymark.ValidationError](edited.Validate()); ok {
			return wordProblems(invalid, fieldPath, wrong.fieldErrors)
		}
		return err
	}
	settings, visibility, err := a.Accounts.EditSettings(r.Context(), user.ID, body.apply)
	return writeSettings(w, settings, visibility, err)
}

// settingsFields are the settings in requests.
type settingsFields struct {
	Language       text       `json:"language"`
	TimeZone       text       `json:"time_zone"`
	Theme          text       `json:"theme"`
	View           text       `json:"view"`
	LinksPerPage   number     `json:"links_per_page"`
	NewTab         boolean    `json:"new_tab"`
	Descriptions   boolean    `json:"descriptions"`
	Shortcuts      boolean    `json:"shortcuts"`
	OnlyMine       boolean    `json:"only_mine"`
	OpeningReads   boolean    `json:"opening_reads"`
	SaveUnread     boolean    `json:"save_unread"`
	Metadata       boolean    `json:"metadata"`
	Check          boolean    `json:"check"`
	Pictures       boolean    `json:"pictures"`
	Snapshots      text       `json:"snapshots"`
	LinkVisibility visibility `json:"link_visibility"`
	ListVisibility visibility `json:"list_visibility"`
	TagVisibility  visibility `json:"tag_visibility"`
	NoteVisibility visibility `json:"note_visibility"`
}

// apply changes the settings that were sent.
func (f *settingsFields) apply(s *waymark.Settings, v *waymark.DefaultVisibility) {
	set(&s.Language, f.Language.value)
	set(&s.TimeZone, f.TimeZone.value)
	set((*string)(&s.Theme), f.Theme.value)
	set((*string)(&s.View), f.View.value)
	set((*string)(&s.Snapshots), f.Snapshots.value)
	if f.LinksPerPage.value != 0 {
		s.LinksPerPage = int(f.LinksPerPage.value)
	}
	set(&s.NewTab, f.NewTab.value)
	set(&s.OnlyMine, f.OnlyMine.value)
	set(&s.OpeningReads, f.OpeningReads.value)
	set(&s.SaveUnread, f.SaveUnread.value)
	setNot(&s.HideDescriptions, f.Descriptions.value)
	setNot(&s.NoShortcuts, f.Shortcuts.value)
	setNot(&s.NoMetadata, f.Metadata.value)
	setNot(&s.NoChecks, f.Check.value)
	setNot(&s.NoPictures, f.Pictures.value)
	set(&v.Links, f.LinkVisibility.value)
	set(&v.Lists, f.ListVisibility.value)
	set(&v.Tags, f.TagVisibility.value)
	set(&v.Notes, f.NoteVisibility.value)
}

// setNot sets the opposite of a value that is not nil.
func setNot(value, to *bool) {
	if to != nil {
		*value = !*to
	}
}

// set changes a value unless the new one is nil.
func set[T any](value, to *T) {
	if to != nil {
		*value = *to
	}
}
