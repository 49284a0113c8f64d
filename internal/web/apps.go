package web

import (
	"errors"
	"fmt"
	"html/template"
	"strconv"

	"waymark/internal/waymark"
)

// appsPage is the data of the page about programs that work with Waymark.
type appsPage struct {
	Bookmarklet template.URL
	Search      string // the address of a search, with %s for the text
	Feed        string // the address of the feed of all links, or ""
}

func showApps(v *visit) error {
	base := v.baseURL()
	page := appsPage{Bookmarklet: bookmarklet(base), Search: base + "/search?query=%s"}
	token, err := v.Store.FeedToken(v.ctx(), v.user.ID)
	switch {
	case err == nil:
		page.Feed = base + "/links/feed?" + queryOf(feedTokenParameter, token)
	case !errors.Is(err, waymark.ErrNotFound):
		return err
	}
	return v.render("apps", page)
}

// bookmarklet returns the address of a bookmark that opens the small window for the page
// that the browser shows.
func bookmarklet(base string) template.URL {
	return template.URL(fmt.Sprintf( //nolint:gosec // base has passed url.Parse, and is quoted
		"javascript:(()=>{const e=encodeURIComponent;open(%s+'?u='+e(location.href)+'&t='+e(document.title)+'&d='+e(getSelection()),'waymark','width=560,height=720')})()",
		strconv.Quote(base+"/bookmarklet/add")))
}

func newFeedToken(v *visit) error {
	if _, err := v.Accounts.NewFeedToken(v.ctx(), v.user.ID); err != nil {
		return err
	}
	return v.changed("/settings/apps#feeds", toast{Text: v.t("apps.feeds-made")})
}
