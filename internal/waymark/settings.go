package waymark

import (
	"cmp"
	"slices"
	"time"
	_ "time/tzdata" // for machines without time zones: Windows, and containers with nothing but the program

	"golang.org/x/text/language"
)

// Settings say how the pages look and what the server does with links. Zero is the default.
type Settings struct {
	Language         string // a BCP 47 tag such as "de"; "" for that of the browser
	TimeZone         string // an IANA name such as "Europe/Berlin"; "" for that of the browser
	Theme            Theme
	View             View
	LinksPerPage     int  // a value of the function LinksPerPage; 0 for the first
	NewTab           bool // links open in a new tab
	HideDescriptions bool
	NoShortcuts      bool   // without keyboard shortcuts
	OnlyMine         bool   // links and searches begin with the user's own links
	OpeningReads     bool   // opening an unread link marks it as read
	SaveUnread       bool   // links that are saved in the pages are unread
	UnreadOrder      string // of SearchOrders, in which the page with unread links has them; "" for the default
	Reading          Reading
	NoMetadata       bool // new links get no texts from their pages
	NoChecks         bool // links are not checked
	NoPictures       bool // no pictures of pages are downloaded
	Snapshots        SnapshotChoice
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

// LinksPerPage returns the numbers of links that a page can have. The first is the default.
func LinksPerPage() []int { return []int{24, 48, 96} }

// WithDefaults returns the settings with values for the view, the number of links and the snapshots.
func (s Settings) WithDefaults() Settings {
	s.View = cmp.Or(s.View, ComfortableView)
	s.Snapshots = cmp.Or(s.Snapshots, AllSnapshots)
	s.LinksPerPage = cmp.Or(s.LinksPerPage, LinksPerPage()[0])
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

// Validate returns a ValidationError with the invalid settings. A language can be unknown.
func (s Settings) Validate() error {
	problems := &ValidationError{}
	if _, err := language.Parse(s.Language); s.Language != "" && (err != nil || len(s.Language) > MaxLanguage) {
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
	if !s.Reading.Valid() {
		problems.add(FieldTheme, RuleExists)
	}
	if s.LinksPerPage != 0 && !slices.Contains(LinksPerPage(), s.LinksPerPage) {
		problems.add(FieldLinksPerPage, RuleExists)
	}
	if !s.Snapshots.Valid() {
		problems.add(FieldSnapshots, RuleExists)
	}
	return problems.Err()
}

// MaxLanguage is the maximum length of a language tag in bytes, which RFC 5646 recommends.
const MaxLanguage = 35
