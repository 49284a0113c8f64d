package article

import (
	"encoding/base64"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// PictureTexts returns the alternative texts of pictures in HTML that Sanitize has returned.
func PictureTexts(cleaned string) map[string]bool {
	texts := map[string]bool{}
	z := html.NewTokenizer(strings.NewReader(cleaned))
	for in := false; ; {
		switch z.Next() {
		case html.ErrorToken:
			return texts
		case html.StartTagToken:
			token := z.Token()
			in = token.DataAtom == atom.Span && len(token.Attr) > 0 && token.Attr[0].Val == pictureClass
		case html.TextToken:
			if in {
				texts[string(z.Text())] = true
			}
			in = false
		}
	}
}

// maxImageTag is the maximum size of a tag with an image, in bytes.
const maxImageTag = 16 << 20

// Images calls found for the images that a page contains as data: URLs, with their alternative texts as PictureTexts
// returns them, until it returns false. A page that cannot be read to its end has the images before that place.
func Images(page io.Reader, found func(alt string, image []byte) bool) error {
	z := html.NewTokenizer(page)
	z.SetMaxBuf(maxImageTag)
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) && !errors.Is(err, html.ErrBufferExceeded) {
				return err
			}
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			if token.DataAtom != atom.Img {
				continue
			}
			node := &html.Node{Attr: token.Attr}
			alt := pictureText(attribute(node, "alt"))
			kind, encoded, _ := strings.Cut(attribute(node, "src"), ";base64,")
			if alt == "" || !strings.HasPrefix(kind, "data:image/") {
				continue
			}
			if image, err := base64.StdEncoding.DecodeString(encoded); err == nil && !found(alt, image) {
				return nil
			}
		}
	}
}

// pictureText returns the alternative text of a picture in one line.
func pictureText(alt string) string { return strings.Join(strings.Fields(clean(alt)), " ") }
