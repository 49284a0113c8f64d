package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
	"unicode"

	"waymark/internal/epub"
	"waymark/internal/fetch/article"
	"waymark/internal/fetch/picture"
	"waymark/internal/waymark"
)

// Limits of a book with the texts of several links. Further links are left out.
const (
	MaxChapters     = 200
	MaxBookLinks    = 1000
	maxBookPictures = 100
	// maxPictureMemory is the maximum memory for decoding a picture, in bytes.
	maxPictureMemory = 64 << 20
)

// Book is a book with the text snapshots of links. Its Links are the first MaxBookLinks, the oldest first.
type Book struct {
	Title    string
	URL      string // of the page with the links
	Links    []waymark.Link
	Contents string // the title of the table of contents, "" for that of the book
	Others   string // the title of the chapter with the links that have no text or are beyond MaxChapters
}

// LinkBook returns the book of one link. base is the URL of the server.
func LinkBook(link waymark.Link, base string) Book {
	return Book{Title: cmp.Or(link.Title, link.URL), URL: fmt.Sprintf("%s/links/%d", base, link.ID), Links: []waymark.Link{link}}
}

// maxFileTitle limits the title in the name of a book's file, in characters.
const maxFileTitle = 80

// FileName returns the name of the file, which has the title of the book.
func (b Book) FileName() string {
	title := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) || strings.ContainsRune(`"\/:*?<>|`, c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(b.Title, ""))
	title = strings.Join(strings.Fields(title), " ")
	if runes := []rune(title); len(runes) > maxFileTitle {
		title = strings.TrimSpace(string(runes[:maxFileTitle]))
	}
	return cmp.Or(strings.Trim(title, "."), "waymark") + ".epub"
}

// WriteBook writes a book of what viewer sees. It returns waymark.ErrNotFound, and has written nothing, if no link
// has a text snapshot. The same snapshots and passages are the same bytes.
func (t *Transfer) WriteBook(ctx context.Context, viewer waymark.UserID, b Book, to io.Writer) error {
	ids := waymark.Map(b.Links, func(l waymark.Link) waymark.LinkID { return l.ID })
	texts, err := t.store.Snapshots.TextsWithoutHTML(ctx, viewer, ids)
	if err != nil {
		return err
	}
	about := epub.Book{Title: b.Title, Source: b.URL, Contents: b.Contents}
	var chapters, others []waymark.Link
	var newest waymark.Time
	for _, link := range b.Links {
		text, ok := texts[link.ID]
		if !ok || len(chapters) == MaxChapters {
			others = append(others, link)
			continue
		}
		chapters = append(chapters, link)
		newest = max(newest, text.FetchedAt)
	}
	if len(chapters) == 0 {
		return waymark.ErrNotFound
	}
	if first := texts[chapters[0].ID]; len(b.Links) == 1 {
		about.Author, about.Language = first.Byline, first.Language
	}
	about.Modified = newest.Time()
	about.ID = b.URL + "#" + newest.String()
	w, err := epub.NewWriter(to, about)
	if err != nil {
		return err
	}
	pictures := 0
	for _, link := range chapters {
		text, html, err := t.store.Snapshots.TextHTML(ctx, viewer, link.ID)
		if err != nil {
			return err // the snapshot was removed in the meantime
		}
		found, err := t.addPictures(ctx, w, viewer, link.ID, html, maxBookPictures-pictures)
		if err != nil {
			return err
		}
		pictures += len(found)
		passages, err := t.store.PassagesOfLinks(ctx, viewer, []waymark.LinkID{link.ID})
		if err != nil {
			return err
		}
		html = article.Mark(html, article.Place(html, passages[link.ID]), nil)
		err = w.Add(epub.Chapter{
			Title: cmp.Or(link.Title, text.Title), About: chapterAbout(link, text), URL: link.URL,
			Language: text.Language, Direction: text.Direction, HTML: html, Pictures: found,
		})
		if err != nil {
			return err
		}
	}
	if len(others) > 0 {
		if err := w.AddLinks(b.Others, waymark.Map(others, func(l waymark.Link) epub.Link { return epub.Link{Title: l.Title, URL: l.URL} })); err != nil {
			return err
		}
	}
	return w.Close()
}

// chapterAbout returns the author of a page, its site, and when it was read.
func chapterAbout(link waymark.Link, text waymark.TextSnapshot) string {
	parts := []string{text.FetchedAt.Time().Format(time.DateOnly)}
	if u, err := url.Parse(link.URL); err == nil && u.Host != "" {
		parts = append([]string{strings.TrimPrefix(u.Hostname(), "www.")}, parts...)
	}
	if text.Byline != "" {
		parts = append([]string{text.Byline}, parts...)
	}
	return strings.Join(parts, " · ")
}

// addPictures adds at most limit pictures of the full snapshot of a link. It returns their names by the alternative
// texts in the text of the page, which does not have the pictures.
func (t *Transfer) addPictures(ctx context.Context, w *epub.Writer, viewer waymark.UserID, link waymark.LinkID, html string, limit int) (map[string]string, error) {
	wanted := article.PictureTexts(html)
	if limit == 0 || len(wanted) == 0 {
		return nil, nil
	}
	full, err := t.store.Snapshots.Full(ctx, viewer, link)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	from, to := io.Pipe()
	go func() { to.CloseWithError(t.store.Snapshots.CopyFull(ctx, link, full, to)) }()
	defer func() { _ = from.Close() }() // it never fails
	names := map[string]string{}
	var failed error
	err = article.Images(from, func(alt string, image []byte) bool {
		if !wanted[alt] || names[alt] != "" {
			return true
		}
		jpeg, err := t.illustration(image)
		if err != nil {
			return true // the text has the alternative text
		}
		names[alt], failed = w.AddPicture(jpeg)
		return failed == nil && len(names) < limit
	})
	return names, errors.Join(err, failed)
}

// illustration scales an image. One at a time is decoded, which needs memory.
func (t *Transfer) illustration(image []byte) ([]byte, error) {
	t.pictures.Lock()
	defer t.pictures.Unlock()
	return picture.Illustration(image, maxPictureMemory)
}
