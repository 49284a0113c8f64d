package waymark

import "strconv"

// LinkTexts is a set of texts of a link.
type LinkTexts int

// The texts of a link that its page can say.
const (
	TitleText LinkTexts = 1 << iota
	DescriptionText
	ThumbnailText

	allLinkTexts = TitleText | DescriptionText | ThumbnailText
)

// Has reports whether t is in the set.
func (s LinkTexts) Has(t LinkTexts) bool { return s&t != 0 }

// PageTexts is what a page says of itself; "" for what it does not say.
type PageTexts struct {
	Title, Description string
	Image              string // an absolute URL
}

// PageParts is a set of what a link gets from its page.
type PageParts int

// What a link gets from its page.
const (
	TextParts     PageParts = 1 << iota // the texts that were not typed
	ThumbnailPart                       // a picture of its image
	IconPart                            // a picture of the icon of its site
	CopyPart                            // a copy of its readable text
	SavedPagePart                       // the whole page as one file
)

// EachPagePart returns the parts of a page, one by one.
func EachPagePart() []PageParts {
	return []PageParts{TextParts, ThumbnailPart, IconPart, CopyPart, SavedPagePart}
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
	case CopyPart:
		return "copy"
	case SavedPagePart:
		return "page"
	}
	return strconv.Itoa(int(s))
}

// Has reports whether p is in the set.
func (s PageParts) Has(p PageParts) bool { return s&p != 0 }

// PageFetch says when the page of a link is to be fetched, and for what.
type PageFetch struct {
	DueAt    Time
	Attempts int // that have failed
	Wants    PageParts
}

// FetchedPage is what is known of the page of a new link.
type FetchedPage struct {
	PageTexts
	Fetch *PageFetch // nil if the page need not be fetched again
}

// HasPage reports whether the page of a URL can be fetched.
func HasPage(url string) bool {
	scheme, _, _ := splitScheme(url)
	return (scheme == "http" || scheme == "https") && Host(url) != ""
}

// LacksTexts reports whether the title or the description was not typed, and the link has a page
// that can say it.
func (l Link) LacksTexts() bool {
	return l.Learned.Has(TitleText|DescriptionText) && HasPage(l.URL)
}

func empty(s *string) bool { return s == nil || *s == "" }

// Learn replaces the texts that were not typed with those of the page. It reports whether the
// link has changed. What the page does not say is kept.
func (l *Link) Learn(page PageTexts) bool {
	before := *l
	set := func(text LinkTexts, field *string, value string) {
		if l.Learned.Has(text) && value != "" {
			*field = value
		}
	}
	set(TitleText, &l.Title, truncate(page.Title, MaxTitle))
	set(DescriptionText, &l.Description, truncate(page.Description, MaxDescription))
	set(ThumbnailText, &l.Thumbnail, page.Image)
	return l.Title != before.Title || l.Description != before.Description || l.Thumbnail != before.Thumbnail
}

// LearnEmpty lets the page say the texts that are empty, and the title if it is only the host.
func (l *Link) LearnEmpty() {
	if l.Title == DefaultTitle(l.URL) {
		l.Learned |= TitleText
	}
	if l.Description == "" {
		l.Learned |= DescriptionText
	}
	if l.Thumbnail == "" {
		l.Learned |= ThumbnailText
	}
}

// learned returns which texts of a link are not typed after in was applied to before.
func (in LinkInput) learned(before *Link) LinkTexts {
	learned := before.Learned
	switch {
	case in.Title == nil:
	case *in.Title == "": // the default title
		learned |= TitleText
	case *in.Title != before.Title:
		learned &^= TitleText
	}
	if in.Description != nil && *in.Description != before.Description {
		learned &^= DescriptionText
	}
	return learned
}
