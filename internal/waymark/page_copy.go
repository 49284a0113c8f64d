package waymark

import "errors"

// PageCopy is a copy of the readable text of a link's page.
type PageCopy struct {
	FetchedAt Time
	URL       string // where the page was found, after redirects
	Title     string // of the page, in one line; "" if it has none
	Byline    string // who has written it; "" if the page does not say
	Language  string // a language tag; "" if the page does not say
	Direction string // "ltr" or "rtl"; "" if the page does not say
	Size      int64  // of the text in bytes, as HTML
	Bytes     int64  // that it takes of the quota of its owner, compressed
}

// ErrCopyQuota means that the copies of a user's pages have all the bytes that they may have.
var ErrCopyQuota = errors.New("the copies of pages of this user are as large as they may be")
