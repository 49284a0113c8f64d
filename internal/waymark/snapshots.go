package waymark

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
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

// FullSnapshot describes the page of a link as one HTML file, with its style sheets, images and fonts.
type FullSnapshot struct {
	FetchedAt Time   // when it was fetched, or uploaded
	URL       string // where the page was found, after redirects
	Size      int64  // of the file in bytes
	Bytes     int64  // the compressed size, which counts against the quota of the link's owner

	// Attachment is the file, if a browser has saved the page; otherwise it has no ID.
	Attachment Attachment
}

// Picture is an image that is shown with links. Links with the same image share it.
type Picture struct {
	Hash          string // of Data: 32 hexadecimal digits
	Type          string // image/jpeg or image/png
	Width, Height int    // in pixels
	Data          []byte // nil if only the rest was asked for
}

// pictureHashSize is the length of a picture's hash in bytes: the beginning of SHA-256.
const pictureHashSize = 16

// PictureHash returns the hash of the data of a picture.
func PictureHash(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:pictureHashSize])
}

// PictureKind says what a picture is for a link.
type PictureKind int

// What a picture can be for a link.
const (
	Thumbnail PictureKind = 1
	SiteIcon  PictureKind = 2
)

// LinkPictures are the pictures of a link, without their data; nil for one that the link does not have.
type LinkPictures struct {
	Thumbnail, Icon *Picture
}
