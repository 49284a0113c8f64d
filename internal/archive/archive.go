// Package archive reads and writes archives: files with everything that one user has. It does not
// use the store. docs/archive.md describes the format for authors of other programs.
package archive

import (
	"errors"
	"fmt"
	"time"

	"waymark/internal/waymark"
)

// Version is the version of the format that a Writer writes. It increases when a change would make
// older programs misread a file. New types and fields do not increase it.
const Version = 1

// formatName is in the first line of each archive.
const formatName = "waymark-archive"

// MaxLine is the maximum length of a line in bytes. Full snapshots have the longest lines: at most
// 3 MiB of HTML, in which JSON escapes some characters.
const MaxLine = 8 << 20

// maxLabels is the maximum number of lists, and also of tags. The number of links and notes has no limit.
const maxLabels = 1_000_000

// MaxData is the size of the part of a file that a Writer writes in one line, in bytes.
const MaxData = 1 << 20

// Entity is one line of an archive. The order is Settings, List, Tag, Link, Note, SavedSearch, Bundle,
// KeptApart. The TextSnapshot, the FullSnapshot, the attachments, the passages and the notes of a link follow the link. The content of an
// attachment follows it, in lines of AttachmentData.
type Entity interface {
	// kind returns the value of the JSON field type, and where the entity stands.
	kind() (name string, order Order)
}

// Order is a part of an archive. It does not decrease from line to line.
type Order int

// The parts of an archive. What belongs to a link is in the part of links, except notes and passages in links of others.
const (
	OrderSettings Order = iota + 1
	OrderLists
	OrderTags
	OrderLinks
	OrderOtherNotes
	OrderSearches
	OrderBundles
	OrderKeptApart
)

// OrderOf returns the part in which an entity stands.
func OrderOf(e Entity) Order {
	_, order := e.kind()
	return order
}

// typeField lets readers accept the field type, which says what kind of entity a line has.
type typeField struct {
	Type ignored `json:"type,omitzero"`
}

type ignored struct{}

// UnmarshalJSON ignores the value.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

// Settings are the settings of the account.
type Settings struct {
	typeField
	Language         string            `json:"language,omitzero"`
	TimeZone         string            `json:"time_zone,omitzero"`
	Theme            string            `json:"theme,omitzero"`
	View             string            `json:"view,omitzero"`
	LinksPerPage     int               `json:"links_per_page,omitzero"`
	NewTab           bool              `json:"new_tab,omitzero"`
	HideDescriptions bool              `json:"hide_descriptions,omitzero"`
	NoShortcuts      bool              `json:"no_shortcuts,omitzero"`
	OnlyMine         bool              `json:"only_mine,omitzero"`
	OpeningReads     bool              `json:"opening_reads,omitzero"`
	SaveUnread       bool              `json:"save_unread,omitzero"`
	NoMetadata       bool              `json:"no_metadata,omitzero"`
	NoChecks         bool              `json:"no_checks,omitzero"`
	NoPictures       bool              `json:"no_pictures,omitzero"`
	Snapshots        string            `json:"snapshots,omitzero"`
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
	typeField
	Number      int        `json:"number"` // greater than in the list before
	Name        string     `json:"name"`
	Description string     `json:"description,omitzero"`
	Visibility  Visibility `json:"visibility,omitzero"`
	Pinned      bool       `json:"pinned,omitzero"`
	Parent      int        `json:"parent,omitzero"`   // the number of an earlier list, in which this one stands; 0 for none
	Position    int        `json:"position,omitzero"` // among the lists there, which are sorted by it and then by name
	Editing     string     `json:"editing,omitzero"`  // owner, named or everyone; "" as the list in which it stands
	Editors     []string   `json:"editors,omitempty"` // the names of those who are named
	Times
}

// Tag is a tag of the user.
type Tag struct {
	typeField
	Number     int        `json:"number"` // greater than in the tag before
	Name       string     `json:"name"`
	Visibility Visibility `json:"visibility,omitzero"`
	Pinned     bool       `json:"pinned,omitzero"`
	Times
}

// Link is a link of the user.
type Link struct {
	typeField
	Number        int        `json:"number"` // greater than in the link before
	URL           string     `json:"url"`
	Title         string     `json:"title,omitzero"`
	Description   string     `json:"description,omitzero"`
	ImageURL      string     `json:"image_url,omitzero"`
	Visibility    Visibility `json:"visibility,omitzero"`
	Status        Status     `json:"status,omitzero"`
	CheckDisabled bool       `json:"check_disabled,omitzero"`
	Snapshots     string     `json:"snapshots,omitzero"`
	Unread        bool       `json:"unread,omitzero"`
	Archived      bool       `json:"archived,omitzero"`
	Favorite      bool       `json:"favorite,omitzero"`
	Lists         []int      `json:"lists,omitempty"` // numbers of lists, in ascending order
	Tags          []int      `json:"tags,omitempty"`  // numbers of tags, in ascending order
	SeenAt        Time       `json:"seen_at,omitzero"`
	Times
}

// Note is a note of the user. Notes on the user's own links follow the link. Notes on other users'
// links follow all links, and name the link by its URL instead of its number.
type Note struct {
	typeField
	Link       int        `json:"link,omitzero"`  // the number of the link before; 0 for a link of another user
	URL        string     `json:"url,omitzero"`   // of a link of another user; "" if the user no longer sees it
	Title      string     `json:"title,omitzero"` // of a link of another user
	Text       string     `json:"text"`
	Visibility Visibility `json:"visibility,omitzero"`
	Times
}

// Passage is a text that the user has marked in the text snapshot of a link. As notes, passages follow the user's own
// link, and those in other users' links name it by its URL.
type Passage struct {
	typeField
	Link      int    `json:"link,omitzero"`  // as in Note
	URL       string `json:"url,omitzero"`   // as in Note
	Title     string `json:"title,omitzero"` // as in Note
	Exact     string `json:"exact"`
	Prefix    string `json:"prefix,omitzero"`
	Suffix    string `json:"suffix,omitzero"`
	Position  int    `json:"position,omitzero"` // where it was last found: a hint
	Note      string `json:"note,omitzero"`
	CreatedAt Time   `json:"created_at,omitzero"`
	UpdatedAt Time   `json:"updated_at,omitzero"`
}

// TextSnapshot is the readable text of the page of the link before, as HTML.
type TextSnapshot struct {
	typeField
	Link      int    `json:"link"`         // the number of the link before
	URL       string `json:"url,omitzero"` // where the page was found
	Title     string `json:"title,omitzero"`
	Byline    string `json:"byline,omitzero"`
	Language  string `json:"language,omitzero"`
	Direction string `json:"direction,omitzero"`
	HTML      string `json:"html"`
	FetchedAt Time   `json:"fetched_at,omitzero"`
	Paragraph int    `json:"paragraph,omitzero"` // which the user has reached
	PerMille  int    `json:"per_mille,omitzero"` // of the text that the user has read
}

// FullSnapshot is the page of the link before as one HTML file.
type FullSnapshot struct {
	typeField
	Link      int    `json:"link"`         // the number of the link before
	URL       string `json:"url,omitzero"` // where the page was found
	HTML      string `json:"html"`
	FetchedAt Time   `json:"fetched_at,omitzero"`
}

// Attachment is a file that was added to the link before.
type Attachment struct {
	typeField
	Link         int    `json:"link"`                   // the number of the link before
	FullSnapshot bool   `json:"full_snapshot,omitzero"` // it is the page of the link, as a browser has saved it
	Name         string `json:"name"`
	ContentType  string `json:"content_type,omitzero"`
	Size         int64  `json:"size"` // of all AttachmentData together, in bytes
	CreatedAt    Time   `json:"created_at,omitzero"`
}

// AttachmentData is a part of the file of the attachment before.
type AttachmentData struct {
	typeField
	Data []byte `json:"data"`
}

// Bundle is a filter of a client of linkding.
type Bundle struct {
	typeField
	Name         string `json:"name"`
	Search       string `json:"search,omitzero"`
	AnyTags      string `json:"any_tags,omitzero"`
	AllTags      string `json:"all_tags,omitzero"`
	ExcludedTags string `json:"excluded_tags,omitzero"`
	Unread       string `json:"unread,omitzero"` // yes or no; "" for both
	Shared       string `json:"shared,omitzero"` // as Unread
	Position     int64  `json:"position,omitzero"`
	CreatedAt    Time   `json:"created_at,omitzero"`
	UpdatedAt    Time   `json:"updated_at,omitzero"`
}

// SavedSearch is a saved search of the user. The lists and tags in its query have numbers of the archive.
type SavedSearch struct {
	typeField
	Name      string `json:"name"`
	Query     string `json:"query"`
	Order     string `json:"order,omitzero"`
	InLists   bool   `json:"in_lists,omitzero"` // it stands among the lists
	Public    bool   `json:"public,omitzero"`   // it has a page for guests
	CreatedAt Time   `json:"created_at,omitzero"`
}

// KeptApart is a pair of links or tags that the user does not want to merge.
type KeptApart struct {
	typeField
	URLs []string `json:"urls,omitempty"` // of two links
	Tags []string `json:"tags,omitempty"` // the folded names of two tags
}

// Times are the times of an entity.
type Times struct {
	CreatedAt Time `json:"created_at,omitzero"`
	UpdatedAt Time `json:"updated_at,omitzero"`
	DeletedAt Time `json:"deleted_at,omitzero"` // zero unless the entity is in the trash
}

func (Settings) kind() (string, Order) { return "settings", OrderSettings }
func (List) kind() (string, Order)     { return "list", OrderLists }
func (Tag) kind() (string, Order)      { return "tag", OrderTags }
func (Link) kind() (string, Order)     { return "link", OrderLinks }
func (n Note) kind() (string, Order) {
	if n.Link == 0 {
		return "note", OrderOtherNotes
	}
	return "note", OrderLinks
}
func (p Passage) kind() (string, Order) {
	if p.Link == 0 {
		return "passage", OrderOtherNotes
	}
	return "passage", OrderLinks
}
func (TextSnapshot) kind() (string, Order)   { return "text_snapshot", OrderLinks }
func (FullSnapshot) kind() (string, Order)   { return "full_snapshot", OrderLinks }
func (Attachment) kind() (string, Order)     { return "attachment", OrderLinks }
func (AttachmentData) kind() (string, Order) { return "attachment_data", OrderLinks }
func (SavedSearch) kind() (string, Order)    { return "saved_search", OrderSearches }
func (Bundle) kind() (string, Order)         { return "bundle", OrderBundles }
func (KeptApart) kind() (string, Order)      { return "kept_apart", OrderKeptApart }

// Record is an entity and its place in the file.
type Record struct {
	Line   int // counted from 1
	Entity Entity
}

// RowError reports a line, or a part of a line, that could not be read. Reading goes on.
type RowError struct {
	Line int    // counted from 1
	URL  string // of the link in the line; "" if it is not known
	Part bool   // only a part of the line could not be read
	Err  error
	// Problem is the rule that the line breaks, from which interfaces translate Err.
	Problem waymark.Problem
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns Err.
func (e *RowError) Unwrap() error { return e.Err }

var (
	// ErrFormat means that this version cannot read a file as an archive.
	ErrFormat = errors.New("not an archive of Waymark")
	// ErrIncomplete means that an archive ends before its last line.
	ErrIncomplete = errors.New("the archive is incomplete: it ends before its last line")
)

// Time is a waymark.Time that JSON shows in the format of RFC 3339, in UTC, with microseconds.
type Time waymark.Time

// MarshalText returns an error for years before 0 and after 9999, which RFC 3339 cannot express.
func (t Time) MarshalText() ([]byte, error) {
	if y := waymark.Time(t).Time().Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("the year %d of a time is not between 0 and 9999", y)
	}
	return waymark.Time(t).Append(nil), nil
}

// UnmarshalText accepts times of RFC 3339 in the years 0 to 9999, cut to the microsecond.
func (t *Time) UnmarshalText(text []byte) error {
	at, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return fmt.Errorf("invalid time %.100q: use the form 2020-03-09T19:33:23.000000Z", text)
	}
	*t = Time(waymark.FromTime(at))
	if _, err := t.MarshalText(); err != nil { // the year in UTC can differ from the year in the text
		return fmt.Errorf("invalid time %q: %w", text, err)
	}
	return nil
}

// Visibility is a waymark.Visibility that JSON shows as its name: public, internal or private.
type Visibility waymark.Visibility

// MarshalText returns an error for other values than the three visibilities.
func (v Visibility) MarshalText() ([]byte, error) {
	if !waymark.Visibility(v).Valid() {
		return nil, fmt.Errorf("invalid visibility %d", v)
	}
	return []byte(waymark.Visibility(v).String()), nil
}

// UnmarshalText returns an error unless the text names a visibility.
func (v *Visibility) UnmarshalText(text []byte) error {
	parsed, err := waymark.ParseVisibility(string(text))
	*v = Visibility(parsed)
	return err
}

// Status is a waymark.Status that JSON shows as a name: ok, moved or broken.
type Status waymark.Status

// statusNames are the names of the statuses, beginning with waymark.StatusOK.
var statusNames = []string{"ok", "moved", "broken"}

// MarshalText returns an error for other values than the three statuses.
func (s Status) MarshalText() ([]byte, error) {
	if !waymark.Status(s).Valid() {
		return nil, fmt.Errorf("invalid status %d", s)
	}
	return []byte(statusNames[s-Status(waymark.StatusOK)]), nil
}

// UnmarshalText returns an error unless the text names a status.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if string(text) == name {
			*s = Status(waymark.StatusOK) + Status(i)
			return nil
		}
	}
	return fmt.Errorf("invalid status %q: use ok, moved or broken", text)
}
