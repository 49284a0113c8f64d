package settings

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type appsPage struct {
	Bookmarklet template.URL
	Search      string // the URL of a search, with %s for the text
	Share       string // the URL that saves what is written after it
	Feed        string // the URL of the feed of all links, or ""
	Catalog     string // the URL of the catalogue for e-readers, or ""
	URL         string // of the server
	QR          qrCode // of URL, for phones
	Programs    []recipe
	Assistants  assistantsView
	Problems    page.Problems
}

// ShowApps shows how to use Waymark from other programs.
var ShowApps = page.Show("apps", newAppsPage)

func newAppsPage(r *page.Request) (appsPage, error) {
	base := r.BaseURL()
	p := appsPage{URL: base, Bookmarklet: bookmarklet(base), Search: base + "/links?q=%s", Share: base + "/add?url=", Programs: []recipe{
		{r.T("apps.linkding"), r.T("apps.linkding-text", "url", base)},
		{"SingleFile", r.T("apps.singlefile", "url", base+"/api/bookmarks/singlefile/")},
		{"floccus", r.T("apps.floccus", "url", base+"/karakeep")},
		{"Miniflux", r.T("api-keys.miniflux", "url", base)},
	}}
	var err error
	if p.QR, err = newQRCode(base); err != nil {
		return p, err
	}
	if p.Assistants, err = newAssistantsView(r); err != nil {
		return p, err
	}
	token, err := r.Store.Accounts.FeedToken(r.Context(), r.User.ID)
	switch {
	case err == nil:
		p.Feed = base + "/links/feed?" + page.QueryOf(page.FeedTokenParameter, token)
		p.Catalog = base + "/opds/" + token + "/"
	case !errors.Is(err, waymark.ErrNotFound):
		return p, err
	}
	return p, nil
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

// AddAssistant makes a key for an assistant. It responds with the key instead of a redirect, since it is shown only once.
func AddAssistant(r *page.Request) error {
	access := waymark.Access(r.Field("access"))
	if !slices.Contains([]waymark.Access{waymark.AccessAdd, waymark.AccessRead, waymark.AccessFull}, access) {
		return page.Error{Status: http.StatusBadRequest}
	}
	p, err := newAppsPage(r)
	if err != nil {
		return err
	}
	name := assistantName
	for n := 2; slices.ContainsFunc(p.Assistants.Keys, func(key waymark.APIKey) bool { return key.Name == name }); n++ {
		name = fmt.Sprintf("%s %d", assistantName, n)
	}
	secret, _, err := r.Accounts.AddAPIKey(r.Context(), r.User.Name, name, access, 0)
	if err != nil {
		return refused(r, "apps", &p, &p.Problems, err)
	}
	url := p.Assistants.URL
	p.Assistants.Made = &madeKey{Name: name, Secret: secret, Clients: []recipe{
		{"Claude Code", fmt.Sprintf("claude mcp add --transport http waymark %s --header \"Authorization: Bearer %s\"", url, secret)},
		{r.T("apps.assistants-editors"), fmt.Sprintf(`{"mcpServers": {"waymark": {"type": "http", "url": %q, "headers": {"Authorization": "Bearer %s"}}}}`, url, secret)},
		{r.T("apps.assistants-command"), fmt.Sprintf(`{"mcpServers": {"waymark": {"command": "waymark", "args": ["mcp", "--url", %q], "env": {"WAYMARK_KEY": %q}}}}`, r.BaseURL(), secret)},
	}}
	r.W.Header().Set("Cache-Control", "no-store")
	return r.Render("apps", p)
}

// assistantName is the name of the keys that the page makes for assistants, with a number from the second one on.
const assistantName = "Assistant"

// assistantsView is the part of the page about assistants.
type assistantsView struct {
	URL   string
	Keys  []waymark.APIKey
	Syncs []SyncView // what each of the keys has changed within a day, all of it
	Made  *madeKey   // the key that was just made, or nil
}

func newAssistantsView(r *page.Request) (assistantsView, error) {
	v := assistantsView{URL: r.BaseURL() + "/mcp"}
	keys, err := r.Store.Accounts.APIKeys(r.Context(), r.User.ID)
	if err != nil {
		return v, err
	}
	v.Keys = slices.DeleteFunc(keys, func(key waymark.APIKey) bool { return !assistantKey.MatchString(key.Name) })
	syncs, err := r.Store.Syncs(r.Context(), r.User.ID)
	for _, key := range v.Keys {
		all := SyncView{Name: key.Name}
		for _, sync := range slices.Backward(syncs) { // the first one is the latest
			if sync.APIKey != key.ID {
				continue
			}
			if all.Changes == 0 {
				all.Sync = sync
			} else {
				all.To, all.Changes = max(all.To, sync.To), all.Changes+sync.Changes
			}
		}
		if all.Changes > 0 {
			all.Last = r.Moment(all.To)
			v.Syncs = append(v.Syncs, all)
		}
	}
	return v, err
}

// assistantKey matches the names of these keys.
var assistantKey = regexp.MustCompile(`^` + assistantName + `( \d+)?$`)
