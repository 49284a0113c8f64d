package waymark

import (
	"cmp"
	"errors"
)

// TextSnapshot describes the readable text of a page, as it was when it was fetched.
type TextSnapshot struct {
	FetchedAt Time
	URL       string // where the page was found, after redirects
	Title     string // of the page, in one line; "" if it has none
	Byline    string // who has written it; "" if the page does not say
	Language  string // a language tag; "" if the page does not say
	Direction string // "ltr" or "rtl"; "" if the page does not say
	Size      int64  // of the text in bytes, as HTML
	Bytes     int64  // the compressed size, which counts against the quota of the link's owner
}

// ErrSnapshotQuota means that a snapshot does not fit the quota of a user.
var ErrSnapshotQuota = errors.New("the snapshots of this user's pages would exceed their quota")

// SnapshotChoice says which of the snapshots that the server makes are made of a page.
type SnapshotChoice string

// The choices.
const (
	DefaultSnapshots SnapshotChoice = ""    // of a link: as its owner has set; of a user: AllSnapshots
	NoSnapshots      SnapshotChoice = "off" // existing snapshots are kept
	TextSnapshots    SnapshotChoice = "text"
	AllSnapshots     SnapshotChoice = "full"
)

// Valid reports whether c is one of the choices.
func (c SnapshotChoice) Valid() bool {
	switch c {
	case DefaultSnapshots, NoSnapshots, TextSnapshots, AllSnapshots:
		return true
	}
	return false
}

// of returns the parts without the snapshots that are not to be made.
func (c SnapshotChoice) of(parts PageParts) PageParts {
	switch c {
	case NoSnapshots:
		parts &^= TextSnapshotPart | FullSnapshotPart
	case TextSnapshots:
		parts &^= FullSnapshotPart
	}
	return parts
}

// PageParts returns the parts that a link gets if its owner has these settings. Texts do not depend
// on the settings, because a user can request them.
func (s Settings) PageParts(link Link, parts PageParts) PageParts {
	if s.NoPictures {
		parts &^= ThumbnailPart | IconPart
	}
	return cmp.Or(link.Snapshots, s.Snapshots).of(parts)
}
