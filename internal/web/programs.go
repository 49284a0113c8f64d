package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"

	"waymark/internal/query"
	"waymark/internal/web/page"
)

// themeColor is the colour around the pages in light mode: --ground of the sheet.
const themeColor = "#f7f6f2"

// sendManifest describes the pages as an app that browsers can install (https://www.w3.org/TR/appmanifest/).
func sendManifest(r *page.Request) error {
	type object map[string]any
	body, err := json.Marshal(object{
		"id": r.URL("/"), "name": "Waymark", "short_name": "Waymark", "description": r.T("programs.app"), "lang": r.Locale.Name,
		"start_url": r.URL("/"), "scope": r.URL("/"), "display": "standalone", "theme_color": themeColor, "background_color": themeColor,
		"icons": []object{
			{"src": r.AssetURL("favicon.svg"), "sizes": "any", "type": "image/svg+xml"},
			{"src": r.AssetURL("icon-192.png"), "sizes": "192x192", "type": "image/png"},
			{"src": r.AssetURL("icon-512.png"), "sizes": "512x512", "type": "image/png"},
			{"src": r.AssetURL("icon-maskable-512.png"), "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
		},
		"shortcuts": []object{
			{"name": r.T("shell.add-link"), "url": r.URL("/links/create")},
			{"name": r.T("shell.links"), "url": r.URL("/links")},
		},
		// The page that opens when people share a page of another app with this one. Many apps send the URL in the
		// text. Browsers warn if enctype is missing.
		"share_target": object{
			"action": r.URL("/add"), "method": http.MethodGet, "enctype": "application/x-www-form-urlencoded",
			"params": object{"title": "title", "text": "text", "url": "url"},
		},
	})
	if err != nil {
		return err
	}
	r.Send(http.StatusOK, "application/manifest+json", body)
	return nil
}

// openSearch describes the search, so that browsers can offer it in their address bar
// (https://github.com/dewitt/opensearch).
type openSearch struct {
	XMLName     xml.Name        `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
	ShortName   string          `xml:"ShortName"`
	Description string          `xml:"Description"`
	Encoding    string          `xml:"InputEncoding"`
	Image       openSearchImage `xml:"Image"`
	URLs        []openSearchURL `xml:"Url"`
}

type openSearchImage struct {
	Type string `xml:"type,attr"`
	URL  string `xml:",chardata"`
}

type openSearchURL struct {
	Rel      string `xml:"rel,attr,omitempty"`
	Type     string `xml:"type,attr"`
	Template string `xml:"template,attr"`
}

// searchType is the media type of openSearch.
const searchType = "application/opensearchdescription+xml"

func sendOpenSearch(r *page.Request) error {
	return describeSearch(r,
		openSearchURL{Type: "text/html", Template: r.AbsoluteURL("/links?q={searchTerms}")},
		openSearchURL{Rel: "self", Type: searchType, Template: r.AbsoluteURL("/opensearch.xml")})
}

func describeSearch(r *page.Request, urls ...openSearchURL) error {
	return sendXML(r, searchType+"; charset=utf-8", openSearch{
		ShortName: "Waymark", Description: r.T("programs.search"), Encoding: "UTF-8",
		Image: openSearchImage{"image/svg+xml", r.AbsoluteURL("/favicon.svg")}, URLs: urls,
	})
}

func sendXML(r *page.Request, contentType string, document any) error {
	body := bytes.NewBufferString(xml.Header)
	if err := xml.NewEncoder(body).Encode(document); err != nil {
		return err
	}
	r.Send(http.StatusOK, contentType, body.Bytes())
	return nil
}

// sendRobots tells search engines which pages they may read (RFC 9309): those for guests if
// the operator allows it, else none.
func sendRobots(r *page.Request) error {
	rules := []string{"User-agent: *"}
	if r.Config.GuestPages && r.Config.GuestIndexing {
		rules = append(rules, "Allow: "+r.URL("/guest/"), "Allow: "+r.URL("/static/"))
	}
	rules = append(rules, "Disallow: "+r.URL("/"), "")
	r.Send(http.StatusOK, "text/plain; charset=utf-8", []byte(strings.Join(rules, "\n")))
	return nil
}

// sendFile returns the handler of a file that programs look for at a certain path.
func sendFile(name string) page.Handler {
	return func(r *page.Request) error {
		r.ServeNamed(r.W, r.HTTP, name)
		return nil
	}
}

// The clients of linkding open pages of linkding. These handlers lead to the pages of Waymark.

// redirectToBookmarks leads from a page of linkding with a search to the links that it finds. states are
// added to the search, in the query language.
func redirectToBookmarks(states string) page.Handler {
	return func(r *page.Request) error {
		text := strings.TrimSpace(r.Parameters.Get("q"))
		// The languages differ. A query that linkding cannot read is searched for as it is.
		text = cmp.Or(query.Print(query.ParseLinkding(text)), text)
		return r.Redirect(page.JoinQuery("/links", page.QueryOf("q", strings.TrimSpace(states+" "+text))))
	}
}

// redirectToForm leads to the form for a new link, with the values of linkding's.
func redirectToForm(r *page.Request) error {
	values := url.Values{}
	for theirs, ours := range map[string]string{"url": "url", "title": "title", "description": "description", "notes": "note"} {
		if value := r.Parameters.Get(theirs); value != "" {
			values.Set(ours, value)
		}
	}
	if names := strings.FieldsFunc(r.Parameters.Get("tags"), func(c rune) bool { return c == ' ' || c == ',' }); len(names) > 0 {
		values.Set("tags", strings.Join(names, ","))
	}
	return r.Redirect(page.JoinQuery("/add", values.Encode()))
}
