package web

import (
	"waymark/docs"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type helpIndex struct{ Pages []docs.HelpPage }

type helpPage struct{ docs.HelpPage }

func (p helpPage) PageTitle() string { return p.Title }

func showHelp(r *page.Request) error {
	pages, err := docs.Help(r.Locale.Name)
	if err != nil {
		return err
	}
	return r.Render("help", helpIndex{pages})
}

func showHelpPage(r *page.Request) error {
	pages, err := docs.Help(r.Locale.Name)
	if err != nil {
		return err
	}
	for _, p := range pages {
		if p.Name == r.PathValue("name") {
			return r.Render("help-page", helpPage{p})
		}
	}
	return waymark.ErrNotFound
}
