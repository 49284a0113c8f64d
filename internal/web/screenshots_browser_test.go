package web

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// make screenshots sets WAYMARK_SCREENSHOTS to the folder of the pictures of the README. Without it, the test only
// visits the pages.
func TestScreenshotsInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	addNested(ada, "Home", "Cooking")
	work := addNested(ada, "Work", "Databases")
	ada.addExamples()
	tab := chromium.Open(t, s.URL)
	tab.Media("prefers-color-scheme", "light")
	tab.Resize(1280, 800)
	signInTab(t, tab, "ada")
	branch := `[data-branch="` + listPath(work[0]) + `/branch"] `
	pressButton(tab, branch+"summary")
	tab.UntilText(branch+"bdi", "Databases")
	tab.Go("/links") // without the focus on the arrow
	tab.Screenshot("links.webp")

	tab.Go("/links?q=sqlite+OR+howto+OR+%23recipes")
	tab.Until(`document.querySelectorAll(".link, .card").length > 1`)
	tab.Screenshot("search.webp")

	tab.Media("prefers-color-scheme", "dark")
	tab.Go("/links?view=cards")
	tab.Until(`[...document.querySelectorAll(".card img")].slice(0, 8).every((image) => image.complete)`)
	tab.Screenshot("cards.webp")

	tab.Media("prefers-color-scheme", "light")
	tab.Resize(390, 780)
	tab.Go("/links")
	tab.Screenshot("phone.webp")
}

// addExamples adds the links of testdata/screenshots.tsv, a few a day: URL, title, description, list, tags, and the
// first letters of flags. Every second has a picture.
func (b *browser) addExamples() {
	b.t.Helper()
	text, err := os.ReadFile("testdata/screenshots.tsv")
	check(b.t, err)
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		fields := strings.Split(lines[i], "\t")
		tags := []waymark.Ref{}
		for _, tag := range strings.Fields(fields[4]) {
			tags = append(tags, waymark.Ref{Name: tag})
		}
		in := waymark.LinkInput{
			URL: fields[0], Title: &fields[1], Description: &fields[2], Lists: &[]waymark.Ref{{Name: fields[3]}}, Tags: &tags,
			CreatedAt: new(b.site.store.Now().Add(-time.Duration(i*i) * 17 * time.Minute)),
		}
		in.Unread, in.Favorite, in.Archived = new(strings.Contains(fields[5], "u")), new(strings.Contains(fields[5], "f")), new(strings.Contains(fields[5], "a"))
		link := b.addLink(in)
		if i%2 == 1 {
			continue
		}
		data := landscape(b.t, float64(i))
		picture := waymark.Picture{Hash: waymark.PictureHash(data), Type: "image/png", Width: 320, Height: 180, Data: data}
		page := queue.ClaimedPage{Link: link.ID, Owner: b.user.ID, URL: link.URL}
		check(b.t, b.site.store.Snapshots.SetLinkPicture(b.t.Context(), page, waymark.Thumbnail, picture))
	}
}

// landscape draws hills below a sky, in colours and shapes that depend on a number.
func landscape(t *testing.T, seed float64) []byte {
	t.Helper()
	const width, height = 320, 180
	picture := image.NewPaletted(image.Rect(0, 0, width, height), nil)
	for hill := range 5 {
		shade := 225 - 38*float64(hill)
		tone := func(shift float64) uint8 { return uint8(shade * (0.72 + 0.28*math.Cos(seed*1.7+shift))) }
		picture.Palette = append(picture.Palette, color.RGBA{tone(0), tone(2.1), tone(4.2), 255})
	}
	for x := range width {
		for y := range height {
			for hill := range 5 {
				h := float64(hill)
				top := height*h/5 + 14*math.Sin(float64(x)/(61-6*h)+seed*(h+1)) + 7*math.Sin(float64(x)/(23+h)+seed)
				if hill == 0 || float64(y) > top {
					picture.SetColorIndex(x, y, uint8(hill))
				}
			}
		}
	}
	var data bytes.Buffer
	check(t, png.Encode(&data, picture))
	return data.Bytes()
}
