// Package archive reads and writes archives: files with everything that one user has. It
// knows nothing about the store. docs/archive.md describes the format for those who read or
// write it without this program.
package archive

import (
	"cmp"
	"errors"
	"fmt"

	"waymark/internal/waymark"
)

// Version is the version of the format that a Writer writes. It changes when a program that
// knows the version before would misunderstand a file. New types and fields do not change it.
const Version = 1

// formatName is in the first line of each archive.
const formatName = "waymark-archive"

// MaxLine is the maximum length of a line in bytes. The longest one that Waymark itself
// writes with its default settings is that of a saved page, with at most 3 MiB of HTML, in which
// JSON needs two bytes for some.
const MaxLine = 8 << 20

// Limits bound the memory that reading an archive needs. A zero value means the default. The
// number of links and notes has no limit.
type Limits struct {
	// Line is the maximum length of a line in bytes; 0 for MaxLine.
	Line int
	// Labels is the maximum number of lists, and of tags: Read keeps their numbers in memory;
	// 0 for 1,000,000.
	Labels int
}

// WithDefaults returns the limits without zero values.
func (l Limits) WithDefaults() Limits {
	return Limits{Line: cmp.Or(l.Line, MaxLine), Labels: cmp.Or(l.Labels, 1_000_000)}
}

// Entity is one line of an archive: Settings, List, Tag, Link, Note or SavedSearch, in this
// order. The notes of a link, and the Copy of its page and its SavedPage, follow it.
type Entity interface {
	// entityType is the value of the field type.
	entityType() string
	// order is the position of entities of this type in a file.
	order() int
}

// Settings are the settings of the account.
type Settings struct {
	Language         string            `json:"language,omitzero"`
	TimeZone         string            `json:"time_zone,omitzero"`
	Theme            string            `json:"theme,omitzero"`
	View             string            `json:"view,omitzero"`
	LinksPerPage     int               `json:"links_per_page,omitzero"`
	NewTab           bool              `json:"new_tab,omitzero"`
	HideDescriptions bool              `json:"hide_descriptions,omitzero"`
	NoShortcuts      bool              `json:"no_shortcuts,omitzero"`
	NoMetadata       bool              `json:"no_metadata,omitzero"`
	NoChecks         bool              `json:"no_checks,omitzero"`
	NoPictures       bool              `json:"no_pictures,omitzero"`
	Copies           string            `json:"copies,omitzero"`
	Default          DefaultVisibility `json:"default_visibility,omitzero"`
}

// DefaultVisibility is the visibility of new entities of each kind.
type DefaultVisibility struct {
	Links Visibility `json:"links,omitzero"`
	Lists Visibility `json:"lists,omitzero"`
	Tags  Visibility `json:"tags,omitzero"`
	Notes Visibility `json:"notes,omitzero"`
}

// List is a list of the user.
type List struct {
	Number      int        `json:"number"` // greater than that of the list before
	Name        string     `json:"name"`
	Description string     `json:"description,omitzero"`
	Visibility  Visibility `json:"visibility,omitzero"`
	Pinned      bool       `json:"pinned,omitzero"`
	Times
}

// Tag is a tag of the user.
type Tag struct {
	Number     int        `json:"number"` // greater than that of the tag before
	Name       string     `json:"name"`
	Visibility Visibility `json:"visibility,omitzero"`
	Pinned     bool       `json:"pinned,omitzero"`
	Times
}

// Link is a link of the user.
type Link struct {
	Number        int        `json:"number"` // greater than that of the link before
	URL           string     `json:"url"`
	Title         string     `json:"title,omitzero"`
	Description   string     `json:"description,omitzero"`
	Thumbnail     string     `json:"thumbnail,omitzero"`
	Visibility    Visibility `json:"visibility,omitzero"`
	Status        Status     `json:"status,omitzero"`
	CheckDisabled bool       `json:"check_disabled,omitzero"`
	Copies        string     `json:"copies,omitzero"`
	Lists         []int      `json:"lists,omitempty"` // numbers, in ascending order
	Tags          []int      `json:"tags,omitempty"`
	Times
}

// Note is a note of the user. The notes on the user's own links follow the link. Those on links
// of other users follow all links, and have the address of the link instead of a number.
type Note struct {
	Link       int        `json:"link,omitzero"`  // the number of the link before; 0 for a link of another user
	URL        string     `json:"url,omitzero"`   // of a link of another user; "" if the user no longer sees it
	Title      string     `json:"title,omitzero"` // of a link of another user
	Text       string     `json:"text"`
	Visibility Visibility `json:"visibility,omitzero"`
	Times
}

// Copy is a copy of the readable text of the page of the link before.
type Copy struct {
	Link      int    `json:"link"`         // the number of the link before
	URL       string `json:"url,omitzero"` // where the page was found
	Title     string `json:"title,omitzero"`
	Byline    string `json:"byline,omitzero"`
	Language  string `json:"language,omitzero"`
	Direction string `json:"direction,omitzero"`
	HTML      string `json:"html"`
	FetchedAt Time   `json:"fetched_at,omitzero"`
}

// SavedPage is the page of the link before as one HTML file.
type SavedPage struct {
	Link      int    `json:"link"`         // the number of the link before
	URL       string `json:"url,omitzero"` // where the page was found
	HTML      string `json:"html"`
	FetchedAt Time   `json:"fetched_at,omitzero"`
}

// SavedSearch is a saved search of the user. In its query the parameters lists and tags have
// numbers of the archive, 0 for those that are not in it, and the parameter by is empty if it
// is the user.
type SavedSearch struct {
	Name      string `json:"name"`
	Query     string `json:"query"`
	CreatedAt Time   `json:"created_at,omitzero"`
}

// Times are the times of an entity.
type Times struct {
	CreatedAt Time `json:"created_at,omitzero"`
	UpdatedAt Time `json:"updated_at,omitzero"`
	DeletedAt Time `json:"deleted_at,omitzero"` // zero unless it is in the trash
}

func (Settings) entityType() string    { return "settings" }
func (List) entityType() string        { return "list" }
func (Tag) entityType() string         { return "tag" }
func (Link) entityType() string        { return "link" }
func (Note) entityType() string        { return "note" }
func (Copy) entityType() string        { return "copy" }
func (SavedPage) entityType() string   { return "saved_page" }
func (SavedSearch) entityType() string { return "saved_search" }

func (Settings) order() int { return 1 }
func (List) order() int     { return 2 }
func (Tag) order() int      { return 3 }
func (Link) order() int     { return 4 }
func (n Note) order() int {
	if n.Link == 0 {
		return 5
	}
	return 4
}
func (Copy) order() int        { return 4 }
func (SavedPage) order() int   { return 4 }
func (SavedSearch) order() int { return 6 }

// Record is an entity, and the line of the file that it is in, counted from 1.
type Record struct {
	Line   int
	Entity Entity
}

// RowError reports a line of an archive, or a part of it, that could not be read. The rest of the
// archive can be.
type RowError struct {
	Line int    // counted from 1
	URL  string // of the link in the line; "" if it is not known
	Part bool   // the rest of the line can be read
	Err  error
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *RowError) Unwrap() error { return e.Err }

var (
	// ErrFormat means that a file is not an archive that this version can read.
	ErrFormat = errors.New("not an archive of Waymark")
	// ErrIncomplete means that an archive ends before its last line.
	ErrIncomplete = errors.New("the archive is incomplete: it ends before its last line")
)

// Time is a waymark.Time as RFC 3339 with microseconds, in UTC.
type Time waymark.Time

// MarshalText returns an error for years that RFC 3339 cannot express.
func (t Time) MarshalText() ([]byte, error) {
	if y := waymark.Time(t).Time().Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("the year %d of a time is not between 0 and 9999", y)
	}
	return waymark.Time(t).Append(nil), nil
}

// UnmarshalText accepts any time of RFC 3339, unless its year in UTC is one that RFC 3339 cannot
// express. What is less than a microsecond is removed.
func (t *Time) UnmarshalText(text []byte) error {
	parsed, err := parseTime(string(text))
	*t = Time(parsed)
	return err
}

// Visibility is a waymark.Visibility as its name.
type Visibility waymark.Visibility

// MarshalText returns an error for other values than the three visibilities.
func (v Visibility) MarshalText() ([]byte, error) {
	if !waymark.Visibility(v).Valid() {
		return nil, fmt.Errorf("invalid visibility %d", v)
	}
	return []byte(waymark.Visibility(v).String()), nil
}

// UnmarshalText returns an error for other names than those of the three visibilities.
func (v *Visibility) UnmarshalText(text []byte) error {
	parsed, err := waymark.ParseVisibility(string(text))
	*v = Visibility(parsed)
	return err
}

// Status is a waymark.Status as a name: ok, moved or broken.
type Status waymark.Status

// statusNames are the names of the statuses, from waymark.StatusOK.
var statusNames = []string{"ok", "moved", "broken"}

// MarshalText returns an error for other values than the three statuses.
func (s Status) MarshalText() ([]byte, error) {
	if !waymark.Status(s).Valid() {
		return nil, fmt.Errorf("invalid status %d", s)
	}
	return []byte(statusNames[s-Status(waymark.StatusOK)]), nil
}

// UnmarshalText returns an error for other names than those of the three statuses.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if string(text) == name {
			*s = Status(waymark.StatusOK) + Status(i)
			return nil
		}
	}
	return fmt.Errorf("invalid status %q: use ok, moved or broken", text)
}
