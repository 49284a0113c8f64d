package waymark

import (
	"cmp"
	"errors"
)

// PageCopy is a copy of the readable text of a link's page.
type PageCopy struct {
	FetchedAt Time
	URL       string // where the page was found, after redirects
	Title     string // of the page, in one line; "" if it has none
	Byline    string // who has written it; "" if the page does not say
	Language  string // a language tag; "" if the page does not say
	Direction string // "ltr" or "rtl"; "" if the page does not say
	Size      int64  // of the text in bytes, as HTML
	Bytes     int64  // the compressed size, which counts against the quota of the link's owner
}

// ErrCopyQuota means that a copy does not fit the quota of a user.
var ErrCopyQuota = errors.New("the copies of this user's pages would exceed their quota")

// CopyChoice says which of the copies that the server makes are made of a page.
type CopyChoice string

// The choices.
const (
	DefaultCopies CopyChoice = ""    // of a link: as its owner has set; of a user: AllCopies
	NoCopies      CopyChoice = "off" // existing copies are kept
	TextCopies    CopyChoice = "text"
	AllCopies     CopyChoice = "page"
)

// Valid reports whether c is one of the choices.
func (c CopyChoice) Valid() bool {
	switch c {
	case DefaultCopies, NoCopies, TextCopies, AllCopies:
		return true
	}
	return false
}

// of returns the parts without the copies that are not to be made.
func (c CopyChoice) of(parts PageParts) PageParts {
	switch c {
	case NoCopies:
		parts &^= CopyPart | SavedPagePart
	case TextCopies:
		parts &^= SavedPagePart
	}
	return parts
}

// PageParts returns those of parts that a link of a user with these settings gets. Texts do not
// depend on the settings, because a user can request them.
func (s Settings) PageParts(link Link, parts PageParts) PageParts {
	if s.NoPictures {
		parts &^= ThumbnailPart | IconPart
	}
	return cmp.Or(link.Copies, s.Copies).of(parts)
}
