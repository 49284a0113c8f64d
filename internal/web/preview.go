package web

import (
	"net/http"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// pagePreview is what the page of a URL has for the form for a new link.
type pagePreview struct {
	waymark.PageTexts
	Failed  bool     // the page could not be fetched
	Offered []string // tags, see offeredTags
}

// previewPage sends the texts of the page of a URL in the form for a new link. It is a POST, because the
// server sends a request to another one.
func previewPage(r *page.Request) error {
	if !previewsOf(r).Texts {
		return waymark.ErrNotFound // the form does not ask for it
	}
	rawURL := typedURL(r.Field("url"), waymark.Link{})
	texts, failed := r.Crawler.Preview(r.Context(), r.User.ID, rawURL)
	offered, err := offeredTags(r, rawURL, texts.Title, nil)
	if err != nil {
		return err
	}
	return r.RenderPart("page-preview", pagePreview{texts, failed != nil, offered})
}

// previewPicture sends a picture of an image that previewPage has found.
func previewPicture(r *page.Request) error {
	if !previewsOf(r).Picture {
		return waymark.ErrNotFound
	}
	made, err := r.Crawler.PreviewPicture(r.Context(), r.User.ID, r.Field("url"))
	if err != nil || made == nil {
		return waymark.ErrNotFound // the form is as good without it
	}
	r.Send(http.StatusOK, made.Type, made.Data)
	return nil
}

type previews struct{ Texts, Picture bool }

func previewsOf(r *page.Request) previews {
	parts := r.Crawler.Parts()
	return previews{
		Texts:   parts.Has(waymark.TextParts) && !r.Settings.NoMetadata,
		Picture: parts.Has(waymark.ThumbnailPart) && !r.Settings.NoPictures,
	}
}
