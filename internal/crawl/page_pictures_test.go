package crawl_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"maps"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/store"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

const allPictures = waymark.ThumbnailPart | waymark.IconPart

// newWithPictures returns a crawler that makes pictures of images of this machine.
func newWithPictures(s *store.Store, parts waymark.PageParts, pictures crawl.PictureOptions) *crawler {
	svc := newFetching(s)
	svc.set(func(o *crawl.Options) { o.Parts, o.Pictures = parts, pictures })
	return svc
}

// eachWithPictures runs a test with a crawler that fetches texts and pictures of pages.
func eachWithPictures(t *testing.T, run func(t *testing.T, c *testClock, svc *crawler, s *store.Store)) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, _ *crawler, s *store.Store) {
		run(t, c, newWithPictures(s, waymark.TextParts|allPictures, pictureOptions()), s)
	})
}

func pictureOptions() crawl.PictureOptions {
	return crawl.PictureOptions{Bytes: 1 << 20, Memory: 32 << 20, Space: 1 << 20}
}

// pngOf returns a black PNG image.
func pngOf(width, height int) []byte { return shaded(width, height, 0) }

// shaded returns a PNG image in a shade of grey.
func shaded(width, height int, shade uint8) []byte {
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = shade
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// imageBomb returns a small PNG image that claims to have 50,000 x 50,000 pixels.
func imageBomb() []byte {
	data := pngOf(64, 64)
	binary.BigEndian.PutUint32(data[16:], 50_000)
	binary.BigEndian.PutUint32(data[20:], 50_000)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

// pictured is a server whose pages have an image and an icon.
func pictured(t *testing.T, imageHandler http.HandlerFunc) (url string, icons *atomic.Int32) {
	icons = &atomic.Int32{}
	return site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/image":
			imageHandler(w, r)
		case "/icon.png":
			icons.Add(1)
			w.Write(pngOf(128, 128))
		default:
			fmt.Fprint(w, `<title>A page</title><meta name=description content="A text"><meta property="og:image" content="/image"><link rel=icon href="/icon.png">`)
		}
	}), icons
}

func send(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.Write(data) }
}

func picturesOf(t *testing.T, s *store.Store, link waymark.Link) waymark.LinkPictures {
	t.Helper()
	found, err := s.Snapshots.LinkPictures(t.Context(), link.Owner, []waymark.LinkID{link.ID})
	must(t, err)
	return found[link.ID]
}

func wantSize(t *testing.T, name string, got *waymark.Picture, width, height int) {
	t.Helper()
	if got == nil || got.Width != width || got.Height != height {
		t.Errorf("%s: got %+v, want %d x %d pixels", name, got, width, height)
	}
}

func TestLinksGetPicturesOfTheirPages(t *testing.T) {
	eachWithPictures(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url, icons := pictured(t, send(pngOf(1280, 760)))
		title := "typed"
		first, second := addUnfetched(t, s, ada, url), addLinks(t, s, ada, waymark.LinkInput{URL: url + "2", Title: &title, Description: &title})[0]
		fetchPages(t, svc)
		for _, link := range []waymark.Link{first, second} {
			got := picturesOf(t, s, link)
			wantSize(t, "thumbnail", got.Thumbnail, 640, 380)
			wantSize(t, "icon", got.Icon, 64, 64)
		}
		if n := icons.Load(); n != 1 {
			t.Errorf("got %d requests for the icon, want 1", n)
		}
		if a, b := picturesOf(t, s, first), picturesOf(t, s, second); a.Thumbnail.Hash != b.Thumbnail.Hash || a.Icon.Hash != b.Icon.Hash {
			t.Errorf("got %+v and %+v, want the same pictures", a, b)
		}
		wantWaiting(t, s, 0)
	})
}

func TestSavingALinkDoesNotWaitForPictures(t *testing.T) {
	eachWithPictures(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		svc.set(func(o *crawl.Options) {
			o.Wait, o.Tries, o.Timeout, o.Parallel, o.Pictures = 30*time.Second, 3, 30*time.Second, 1, pictureOptions()
		})
		ada := storetest.User(t, s, "ada")
		saved := make(chan struct{})
		url, _ := pictured(t, func(w http.ResponseWriter, _ *http.Request) {
			<-saved
			w.Write(pngOf(640, 380))
		})
		link := save(t, svc, s, ada, waymark.LinkInput{URL: url})
		if link.Title != "A page" {
			t.Errorf("got title %q", link.Title)
		}
		if got := picturesOf(t, s, link); got.Thumbnail != nil || got.Icon != nil {
			t.Errorf("got pictures %+v before the link was saved", got)
		}
		wantWaiting(t, s, 1)
		close(saved)
		for waiting := 1; waiting > 0; {
			queue, err := s.Queue.PageQueue(t.Context())
			must(t, err)
			waiting = queue.Waiting
		}
		if got := picturesOf(t, s, link); got.Thumbnail == nil || got.Icon == nil {
			t.Errorf("got pictures %+v, want both", got)
		}
	})
}

func TestPartsOfPagesAreCounted(t *testing.T) {
	eachWithPictures(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url, _ := pictured(t, sendStatus(http.StatusBadGateway))
		addUnfetched(t, s, ada, url)
		since := c.Now()
		c.advance(time.Second)
		fetchPages(t, svc)
		waiting, err := s.Queue.PageQueue(t.Context())
		want := map[waymark.PageParts]queue.PartQueue{waymark.ThumbnailPart: {Waiting: 1, Oldest: since}}
		if err != nil || !maps.Equal(waiting.Parts, want) {
			t.Errorf("got what waits %v, %v, want %v", waiting.Parts, err, want)
		}
		parts := svc.Stats().Parts
		if parts[waymark.TextParts].Done != 1 || parts[waymark.IconPart].Done != 1 || parts[waymark.ThumbnailPart].Done != 0 {
			t.Errorf("got the counts %v, want a text and an icon that are done, and no thumbnail", parts)
		}
		wantFailure(t, "thumbnail", parts[waymark.ThumbnailPart].Failed, "status_5xx")
	})
}

// The image of a page waits for the pause of its host, which is longer than the time limit of the page.
func TestPageThatRanOutOfItsTimeIsNotFetchedAgain(t *testing.T) {
	eachWithPictures(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		svc.set(func(o *crawl.Options) {
			o.HostPause, o.Timeout, o.Parallel = 50*time.Second, 200*time.Millisecond, 1
			o.FullSnapshots.Time = time.Millisecond
		})
		ada := storetest.User(t, s, "ada")
		var images atomic.Int32
		url, icons := pictured(t, func(http.ResponseWriter, *http.Request) { images.Add(1) })
		link := addUnfetched(t, s, ada, url)
		fetchPages(t, svc)
		if got := picturesOf(t, s, link); got.Thumbnail != nil || got.Icon != nil || images.Load() != 0 || icons.Load() != 0 {
			t.Errorf("got the pictures %+v after %d and %d requests, want none", got, images.Load(), icons.Load())
		}
		wantLink(t, s, link.ID, "A page", "A text", url+"image") // what was done before the limit is kept
		wantWaiting(t, s, 0)
		c.advance(24 * time.Hour)
		fetchPages(t, svc)
		if n := images.Load() + icons.Load(); n != 0 {
			t.Errorf("got %d requests for images a day later, want none", n)
		}
	})
}

func TestNobodyFillsTheSpaceOfPicturesForAll(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, _ *crawler, s *store.Store) {
		svc := newWithPictures(s, waymark.TextParts|waymark.ThumbnailPart, pictureOptions())
		fetch := func(user waymark.User, shades ...int) (pictures int) {
			for _, shade := range shades {
				url, _ := pictured(t, send(shaded(64, 64, uint8(shade))))
				link := addUnfetched(t, s, user, url)
				fetchPages(t, svc)
				if picturesOf(t, s, link).Thumbnail != nil {
					pictures++
				}
				c.advance(2 * time.Minute)
			}
			return pictures
		}
		ada, ben := storetest.User(t, s, "ada"), storetest.User(t, s, "ben")
		if got := fetch(ada, 100); got != 1 {
			t.Fatalf("got %d pictures, want 1", got)
		}
		first, err := s.Snapshots.PictureBytes(t.Context())
		must(t, err)
		svc.set(func(o *crawl.Options) { o.Pictures.Space = 4*first + first/2 })
		for _, step := range []struct {
			user   waymark.User
			shades []int
			want   int
		}{
			{ada, []int{101, 102, 103, 104, 105}, 3}, // all the space
			{ben, []int{120, 121, 122}, 2},           // ada has given some up
			{ada, []int{130}, 0},                     // ben has no more than twice as many
		} {
			if got := fetch(step.user, step.shades...); got != step.want {
				t.Errorf("%s got %d pictures more, want %d", step.user.Name, got, step.want)
			}
		}
	})
}
