package waymark

import (
	"strconv"
	"unicode/utf8"
)

// LinkTexts is a set of texts of a link.
type LinkTexts int

// The texts of a link that can come from its page.
const (
	TitleText LinkTexts = 1 << iota
	DescriptionText
	ImageText

	allLinkTexts = TitleText | DescriptionText | ImageText
)

// Has reports whether a text of t is in the set.
func (s LinkTexts) Has(t LinkTexts) bool { return s&t != 0 }

// PageTexts are the texts of a page for its link; "" for a text that the page does not have.
type PageTexts struct {
	Title, Description string
	Image              string // an absolute URL
}

// NewLink returns the input for a new link with a URL and the texts of its page.
func (t PageTexts) NewLink(url string) LinkInput {
	in := LinkInput{URL: url}
	if title := truncate(t.Title, MaxTitle); hasVisible(title) {
		in.Title = &title
	}
	if description := truncate(t.Description, MaxDescription); hasVisible(description) {
		in.Description = &description
	}
	return in
}

// PageParts is a set of what a link gets from its page.
type PageParts int

// What a link gets from its page.
const (
	TextParts        PageParts = 1 << iota // the texts that were not typed
	ThumbnailPart                          // a picture of its image
	IconPart                               // a picture of the icon of its site
	TextSnapshotPart                       // its readable text
	FullSnapshotPart                       // the whole page as one file
)

// EachPagePart returns all parts of a page, each as a set of its own.
func EachPagePart() []PageParts {
	return []PageParts{TextParts, ThumbnailPart, IconPart, TextSnapshotPart, FullSnapshotPart}
}

// String returns the name of one part.
func (s PageParts) String() string {
	switch s {
	case TextParts:
		return "texts"
	case ThumbnailPart:
		return "thumbnail"
	case IconPart:
		return "icon"
	case TextSnapshotPart:
		return "text-snapshot"
	case FullSnapshotPart:
		return "full-snapshot"
	}
	return strconv.Itoa(int(s))
}

// Has reports whether a part of p is in the set.
func (s PageParts) Has(p PageParts) bool { return s&p != 0 }

// PageFetch says when the page of a link is to be fetched, and for what.
type PageFetch struct {
	DueAt    Time
	Attempts int // that have failed
	Wants    PageParts
}

// FetchPolicy says what links get from their pages. The zero value is nothing.
type FetchPolicy struct {
	Parts PageParts
}

// New returns what a new link is to get from its page: no texts if its user has typed them.
func (p FetchPolicy) New(link Link) PageParts {
	switch {
	case !HasPage(link.URL) || link.DeletedAt != 0:
		return 0
	case !link.LacksTexts():
		return p.Parts &^ TextParts
	}
	return p.Parts
}

// Changed returns what a link is to get from its page after a change. A link with another URL gets all
// that a new link gets, and one with another choice of snapshots gets snapshots.
func (p FetchPolicy) Changed(before, after Link) PageParts {
	switch {
	case before.URL != after.URL:
		return p.New(after)
	case before.Snapshots != after.Snapshots:
		return p.New(after) & (TextSnapshotPart | FullSnapshotPart)
	}
	return 0
}

// HasPage reports whether the page of a URL can be fetched.
func HasPage(url string) bool {
	scheme, _, _ := SplitScheme(url)
	return (scheme == "http" || scheme == "https") && Host(url) != ""
}

// ValidPageURL reports whether url can be that of a page after redirects, of any length.
func ValidPageURL(url string) bool {
	return HasPage(url) && utf8.ValidString(url) && !hasSpaceOrControl(url)
}

// LacksTexts reports whether the title or the description was not typed and can come from a page.
func (l Link) LacksTexts() bool {
	return l.FromPage.Has(TitleText|DescriptionText) && HasPage(l.URL)
}

// LacksTitle reports whether the link has no title of its own, and can get that of its page.
func (l Link) LacksTitle() bool {
	return l.FromPage.Has(TitleText) && HasPage(l.URL) && l.Title == DefaultTitle(l.URL)
}

// empty reports whether an input has no text that people can see.
func empty(s *string) bool { return s == nil || !hasVisible(*s) }

// SetPageTexts replaces the texts in FromPage with the texts of the page. It keeps texts that the
// page does not have. It reports whether the link has changed.
func (l *Link) SetPageTexts(page PageTexts) bool {
	before := *l
	set := func(text LinkTexts, field *string, value string) {
		if l.FromPage.Has(text) && hasVisible(value) {
			*field = value
		}
	}
	set(TitleText, &l.Title, truncate(page.Title, MaxTitle))
	set(DescriptionText, &l.Description, truncate(page.Description, MaxDescription))
	set(ImageText, &l.ImageURL, page.Image)
	return l.Title != before.Title || l.Description != before.Description || l.ImageURL != before.ImageURL
}

// MarkEmptyFromPage adds the texts that are empty to the set FromPage, and the title if it is the
// default title.
func (l *Link) MarkEmptyFromPage() {
	if l.Title == DefaultTitle(l.URL) {
		l.FromPage |= TitleText
	}
	if l.Description == "" {
		l.FromPage |= DescriptionText
	}
	if l.ImageURL == "" {
		l.FromPage |= ImageText
	}
}

// fromPage returns the set FromPage of a link after in was applied to before.
func (in LinkInput) fromPage(before *Link) LinkTexts {
	texts := before.FromPage
	switch {
	case in.Title == nil:
	case empty(in.Title): // the default title
		texts |= TitleText
	case *in.Title != before.Title:
		texts &^= TitleText
	}
	if in.Description != nil && *in.Description != before.Description {
		texts &^= DescriptionText
	}
	return texts
}
