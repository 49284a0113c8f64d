package waymark

import (
	"cmp"
	"time"

	"golang.org/x/text/language"
)

// Settings say how the pages look for a user. A zero value is the default.
type Settings struct {
	Language         string // a BCP 47 tag such as "de"; "" for that of the browser
	TimeZone         string // an IANA name such as "Europe/Berlin"; "" for that of the browser
	Theme            Theme
	View             View
	LinksPerPage     int  // 24, 48 or 96; 0 for 24
	NewTab           bool // links open in a new tab
	HideDescriptions bool
	NoShortcuts      bool // without keyboard shortcuts
}

// Theme is the colours of the pages.
type Theme string

// The themes.
const (
	DeviceTheme Theme = "" // as the device is set
	LightTheme  Theme = "light"
	DarkTheme   Theme = "dark"
)

// View is how pages show links.
type View string

// The views. "" is ComfortableView.
const (
	ComfortableView View = "comfortable"
	CompactView     View = "compact"
	CardsView       View = "cards"
)

// defaultLinksPerPage is the value of Settings.LinksPerPage for 0.
const defaultLinksPerPage = 24

// WithDefaults returns the settings with values for the view and the number of links.
func (s Settings) WithDefaults() Settings {
	s.View = cmp.Or(s.View, ComfortableView)
	s.LinksPerPage = cmp.Or(s.LinksPerPage, defaultLinksPerPage)
	return s
}

// Valid reports whether v is one of the views or "".
func (v View) Valid() bool {
	switch v {
	case "", ComfortableView, CompactView, CardsView:
		return true
	}
	return false
}

// Valid reports whether t is one of the themes.
func (t Theme) Valid() bool { return t == DeviceTheme || t == LightTheme || t == DarkTheme }

// Validate returns a ValidationError with the settings that have no valid value. A language
// need not be one that the pages have.
func (s Settings) Validate() error {
	problems := &ValidationError{}
	if _, err := language.Parse(s.Language); s.Language != "" && (err != nil || len(s.Language) > maxLanguage) {
		problems.add(FieldLanguage, RuleExists)
	}
	if _, err := time.LoadLocation(s.TimeZone); err != nil || s.TimeZone == "Local" {
		problems.add(FieldTimeZone, RuleExists)
	}
	if !s.Theme.Valid() {
		problems.add(FieldTheme, RuleExists)
	}
	if !s.View.Valid() {
		problems.add(FieldView, RuleExists)
	}
	switch s.LinksPerPage {
	case 0, 24, 48, 96:
	default:
		problems.add(FieldLinksPerPage, RuleExists)
	}
	return problems.Err()
}

// maxLanguage is the maximum length of Settings.Language, which RFC 5646 recommends.
const maxLanguage = 35
