package web

import (
	"net/http"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// addPictured adds a link with a thumbnail and an icon.
func (b *browser) addPictured(visibility waymark.Visibility) (link waymark.Link, thumbnail, icon waymark.Picture) {
	b.t.Helper()
	link = b.addLink(waymark.LinkInput{URL: "https://" + visibility.String() + ".example/", VisibilityInput: waymark.VisibilityInput{Visibility: &visibility}})
	thumbnail, icon = storetest.Picture("thumbnail of "+link.URL), storetest.Picture("icon of "+link.URL)
	page := queue.ClaimedPage{Link: link.ID, Owner: b.user.ID, URL: link.URL}
	for kind, picture := range map[waymark.PictureKind]waymark.Picture{waymark.Thumbnail: thumbnail, waymark.SiteIcon: icon} {
		check(b.t, b.site.store.Snapshots.SetLinkPicture(b.t.Context(), page, kind, picture))
	}
	return link, thumbnail, icon
}

func TestPicturesAreShownWithTheirLinks(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link, thumbnail, icon := ada.addPictured(waymark.Private)
	for path, want := range map[string][]waymark.Picture{
		"/links": {icon}, "/links?view=cards": {thumbnail}, "/links?q=private": {icon}, linkPath(link.ID): {thumbnail, icon},
	} {
		images := ada.get(path).wantStatus(200).Find("main img")
		if images.Length() != len(want) {
			t.Errorf("%s: got %d pictures, want %d", path, images.Length(), len(want))
			continue
		}
		for i, picture := range want {
			if src, _ := images.Eq(i).Attr("src"); src != "/pictures/"+picture.Hash {
				t.Errorf("%s: got picture %s, want %s", path, src, picture.Hash)
			}
			for name, size := range map[string]string{"width": "64", "height": "32"} {
				if got, _ := images.Eq(i).Attr(name); got != size {
					t.Errorf("%s: got %s %q, want %q", path, name, got, size)
				}
			}
		}
	}
	p := ada.get("/pictures/" + icon.Hash).wantStatus(200)
	if p.body != string(icon.Data) || p.header.Get("Content-Type") != "image/png" {
		t.Errorf("got %q of type %s", p.body, p.header.Get("Content-Type"))
	}
	if caching := p.header.Get("Cache-Control"); !strings.HasPrefix(caching, "private,") || !strings.Contains(caching, "immutable") {
		t.Errorf("got Cache-Control %q, want private and immutable", caching)
	}
}

func TestGuestsSeeThePicturesOfPublicLinksOnly(t *testing.T) {
	for _, guestPages := range []bool{false, true} {
		settings := config.Default().API
		settings.GuestPages = guestPages
		s := newTestSite(t, storetest.Open(t), settings)
		ada, guest := s.user(t, "ada"), s.guest(t)
		_, _, private := ada.addPictured(waymark.Private)
		_, _, public := ada.addPictured(waymark.Public)
		want := http.StatusNotFound
		if guestPages {
			want = http.StatusOK
			if images := guest.get("/guest/links").wantStatus(200).Find("main img"); images.Length() != 1 {
				t.Errorf("got %d pictures on the page for guests, want 1", images.Length())
			}
		}
		guest.get("/pictures/" + public.Hash).wantStatus(want)
		hidden := guest.get("/pictures/" + private.Hash).wantStatus(http.StatusNotFound)
		if unknown := guest.get("/pictures/" + strings.Repeat("0", 32)).wantStatus(http.StatusNotFound); len(hidden.body) != len(unknown.body) {
			t.Error("the responses for a hidden picture and for one that does not exist differ")
		}
	}
}
