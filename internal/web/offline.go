package web

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/fetch/article"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// showOffline sends the page that the worker shows while the server does not respond. It has nothing of a person: the
// worker keeps it in each language, and its script fills it in.
func showOffline(r *page.Request) error {
	r.Settings.Language = r.Parameters.Get("language")
	r.Localize()
	return r.RenderPart("offline", nil)
}

const maxKept = 100

type keptText struct {
	ID        waymark.LinkID `json:"id"`
	Version   string         `json:"version"` // of the snapshot
	Title     string         `json:"title"`
	URL       string         `json:"url"`
	Host      string         `json:"host"`
	Hue       int            `json:"hue"`
	Minutes   int            `json:"minutes"`
	Byline    string         `json:"byline,omitempty"`
	Language  string         `json:"language,omitempty"`
	Direction string         `json:"direction,omitempty"`
	HTML      string         `json:"html,omitempty"` // "" if the browser has this version
	At        keptPlace      `json:"at"`             // how far the user has read
}

// keptPlace is a waymark.ReadingPosition, with the names of savePosition.
type keptPlace struct {
	Paragraph int `json:"paragraph"`
	PerMille  int `json:"per-mille"`
}

// sendKept sends the texts of the newest unread links. The parameter have names the versions that the browser has.
func sendKept(r *page.Request) error {
	unread := waymark.LinkFilter{Where: waymark.And{waymark.IsMine, waymark.IsUnread, waymark.HasSnapshot}}
	listed, err := r.Store.SearchLinks(r.User.ID, unread, newestFirst, waymark.Pagination{Limit: maxKept}).Page(r.Context())
	if err != nil {
		return err
	}
	positions, err := r.Store.Snapshots.ReadingPositions(r.Context(), r.User.ID, waymark.Map(listed.Entities, func(l waymark.Link) waymark.LinkID { return l.ID }))
	if err != nil {
		return err
	}
	have, texts := strings.Split(r.Parameters.Get("have"), ","), []keptText{}
	for _, link := range listed.Entities {
		found, err := r.Store.Snapshots.Text(r.Context(), r.User.ID, link.ID)
		if errors.Is(err, waymark.ErrNotFound) {
			continue // it has only a full snapshot
		}
		if err != nil {
			return err
		}
		host := page.ShortHost(waymark.Host(link.URL))
		text := keptText{
			ID: link.ID, Version: fmt.Sprintf("%d-%d", link.ID, found.FetchedAt), Title: link.Title, URL: link.URL, Host: host, Hue: page.Hue(host), Minutes: link.Minutes,
			Byline: found.Byline, Language: found.Language, Direction: found.Direction,
			At: keptPlace(positions[link.ID]),
		}
		if !slices.Contains(have, text.Version) {
			_, html, err := r.Store.Snapshots.TextHTML(r.Context(), r.User.ID, link.ID)
			if err != nil {
				return err
			}
			text.HTML = article.Number(html)
		}
		texts = append(texts, text)
	}
	return r.SendJSON(http.StatusOK, texts)
}
