package settings

import (
	"errors"
	"fmt"
	"html/template"
	"strconv"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// appsPage is the data of the page about programs that work with Waymark.
type appsPage struct {
	Bookmarklet template.URL
	Search      string // the URL of a search, with %s for the text
	Feed        string // the URL of the feed of all links, or ""
}

// ShowApps shows how to use Waymark from other programs.
func ShowApps(r *page.Request) error {
	base := r.BaseURL()
	p := appsPage{Bookmarklet: bookmarklet(base), Search: base + "/links?q=%s"}
	token, err := r.Store.Accounts.FeedToken(r.Context(), r.User.ID)
	switch {
	case err == nil:
		p.Feed = base + "/links/feed?" + page.QueryOf(page.FeedTokenParameter, token)
	case !errors.Is(err, waymark.ErrNotFound):
		return err
	}
	return r.Render("apps", p)
}

// bookmarklet returns the URL of a bookmark. It opens the small window for the page that the
// browser shows.
func bookmarklet(base string) template.URL {
	return template.URL(fmt.Sprintf( //nolint:gosec // base has passed url.Parse, and is quoted
		"javascript:(()=>{const e=encodeURIComponent;open(%s+'?u='+e(location.href)+'&t='+e(document.title)+'&d='+e(getSelection()),'waymark','width=560,height=720')})()",
		strconv.Quote(base+"/bookmarklet/add")))
}

// NewFeedToken gives the user a new token for feeds. The one before works no longer.
func NewFeedToken(r *page.Request) error {
	if _, err := r.Accounts.NewFeedToken(r.Context(), r.User.ID); err != nil {
		return err
	}
	return r.Changed("/settings/apps#feeds", page.Toast{Text: r.T("apps.feeds-made")})
}
