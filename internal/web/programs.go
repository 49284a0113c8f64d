package web

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"strings"

	"waymark/internal/web/page"
)

// manifest describes the pages as an app that browsers can install
// (https://www.w3.org/TR/appmanifest/).
type manifest struct {
	ID              string           `json:"id"`
	Name            string           `json:"name"`
	ShortName       string           `json:"short_name"`
	Description     string           `json:"description"`
	Lang            string           `json:"lang"`
	StartURL        string           `json:"start_url"`
	Scope           string           `json:"scope"`
	Display         string           `json:"display"`
	ThemeColor      string           `json:"theme_color"`
	BackgroundColor string           `json:"background_color"`
	Icons           []manifestIcon   `json:"icons"`
	Shortcuts       []manifestAction `json:"shortcuts"`
	ShareTarget     shareTarget      `json:"share_target"`
}

type manifestIcon struct {
	Source  string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

type manifestAction struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// shareTarget is the page that opens when people share a page of another app with this one.
// Many apps send the URL in the text.
type shareTarget struct {
	Action  string            `json:"action"`
	Method  string            `json:"method"`
	Enctype string            `json:"enctype"` // browsers warn if it is missing
	Params  map[string]string `json:"params"`
}

// themeColor is the colour around the pages in light mode: --ground of the sheet.
const themeColor = "#f7f6f2"

func sendManifest(r *page.Request) error {
	body, err := json.Marshal(manifest{
		ID: r.URL("/"), Name: "Waymark", ShortName: "Waymark", Description: r.T("programs.app"), Lang: r.Locale.Name,
		StartURL: r.URL("/"), Scope: r.URL("/"), Display: "standalone", ThemeColor: themeColor, BackgroundColor: themeColor,
		Icons: []manifestIcon{
			{Source: r.AssetURL("favicon.svg"), Sizes: "any", Type: "image/svg+xml"},
			{Source: r.AssetURL("icon-192.png"), Sizes: "192x192", Type: "image/png"},
			{Source: r.AssetURL("icon-512.png"), Sizes: "512x512", Type: "image/png"},
			{Source: r.AssetURL("icon-maskable-512.png"), Sizes: "512x512", Type: "image/png", Purpose: "maskable"},
		},
		Shortcuts: []manifestAction{
			{r.T("shell.add-link"), r.URL("/links/create")},
			{r.T("shell.links"), r.URL("/links")},
		},
		ShareTarget: shareTarget{r.URL("/add"), http.MethodGet, "application/x-www-form-urlencoded", map[string]string{"title": "title", "text": "text", "url": "url"}},
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

func sendOpenSearch(r *page.Request) error {
	body, err := xml.Marshal(openSearch{
		ShortName: "Waymark", Description: r.T("programs.search"), Encoding: "UTF-8",
		Image: openSearchImage{"image/svg+xml", r.AbsoluteURL("/favicon.svg")},
		URLs: []openSearchURL{
			{Type: "text/html", Template: r.AbsoluteURL("/search?query={searchTerms}")},
			{Rel: "self", Type: "application/opensearchdescription+xml", Template: r.AbsoluteURL("/opensearch.xml")},
		},
	})
	if err != nil {
		return err
	}
	r.Send(http.StatusOK, "application/opensearchdescription+xml; charset=utf-8", append([]byte(xml.Header), body...))
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
