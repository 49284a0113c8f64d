package web

import (
	"errors"
	"net/url"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type feedLink struct {
	Path string
	Feed bool // Path is a feed, not the page where people get URLs of feeds
}

// makeFeedLink returns a link that feed readers can read without a session. It has the user's token.
// Without one, it leads to guests, the path of the feed for guests, unless that is "". Without both it
// leads to the page that makes a token.
func makeFeedLink(r *page.Request, path string, parameters url.Values, guests string) (feedLink, error) {
	token, err := r.Store.Accounts.FeedToken(r.Context(), r.User.ID)
	switch {
	case err == nil:
		if parameters == nil {
			parameters = url.Values{}
		}
		parameters.Set(page.FeedTokenParameter, token)
		return feedLink{page.JoinQuery(path, parameters.Encode()), true}, nil
	case !errors.Is(err, waymark.ErrNotFound):
		return feedLink{}, err
	case guests != "":
		return feedLink{guests, true}, nil
	}
	return feedLink{Path: "/settings/apps#feeds"}, nil
}

// describe describes a page with the feed to other programs.
func (f feedLink) describe(title string) page.Description {
	if !f.Feed {
		return page.Description{}
	}
	return page.Description{Feed: f.Path, FeedTitle: title}
}

// publicPage is what the owner of a public tag or saved search learns about its page for guests.
type publicPage struct {
	Back      string // the path of the page
	Path      string // of the page for guests
	URL       string // of the page for guests
	Total     int    // links that the owner sees there
	Seen      int    // those that guests see
	Hidden    int    // the owner's own that guests do not see
	Selection string // their query, which can also select other links of the owner
}
