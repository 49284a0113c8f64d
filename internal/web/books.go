package web

import (
	"cmp"
	"io"

	"waymark/internal/epub"
	"waymark/internal/httpx"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

func sendLinkBook(r *page.Request, link waymark.Link) error {
	return sendBook(r, transfer.LinkBook(link, r.BaseURL()))
}

func sendListBook(r *page.Request, list waymark.List) error {
	return sendBookOf(r, list.Name, listPath(list.ID), hasID(waymark.Lists, int64(list.ID)))
}

func sendTagBook(r *page.Request, tag waymark.Tag) error {
	return sendBookOf(r, "#"+tag.Name, tagPath(tag.ID), hasID(waymark.Tags, int64(tag.ID)))
}

func sendSearchBook(r *page.Request) error {
	s, err := readSearch(r, "/links", r.Parameters)
	if err != nil {
		return err
	}
	s.Order, s.View = "", ""
	return sendBookOf(r, cmp.Or(s.Typed, r.T("links.title")), s.path(), s.filter(r).Where)
}

// sendBookOf sends the texts of the links that a condition selects. path is the page with these links.
func sendBookOf(r *page.Request, title, path string, where waymark.Condition) error {
	oldest := waymark.Order{By: waymark.SortByCreatedAt}
	filter := waymark.LinkFilter{Where: where, Zone: r.Zone}
	found, err := r.Store.SearchLinks(r.Viewer(), filter, oldest, waymark.Pagination{Limit: transfer.MaxBookLinks}).Page(r.Context())
	if err != nil {
		return err
	}
	return sendBook(r, transfer.Book{
		Title: title, URL: r.AbsoluteURL(path), Links: found.Entities, Contents: r.T("books.contents"), Others: r.T("books.others"),
	})
}

func sendBook(r *page.Request, b transfer.Book) error {
	return sendStream(r, func() error {
		return httpx.SendAttachment(r.W, b.FileName(), epub.MediaType, func(w io.Writer) error {
			return r.Transfer.WriteBook(r.Context(), r.Viewer(), b, w)
		})
	})
}
