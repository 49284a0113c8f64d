package waymark_test

import (
	"fmt"
	"slices"
	"testing"

	"waymark/internal/waymark"
)

func TestSurvivorAndURLOfDuplicates(t *testing.T) {
	link := func(id waymark.LinkID, url string, at waymark.Time, status waymark.Status) waymark.Link {
		return waymark.Link{ID: id, URL: url, CreatedAt: at, Status: status}
	}
	const ok, moved, broken = waymark.StatusOK, waymark.StatusMoved, waymark.StatusBroken
	for name, test := range map[string]struct {
		links []waymark.Link
		keep  waymark.LinkID // 0 to choose
		want  waymark.LinkID
		url   string
	}{
		"the oldest":                        {[]waymark.Link{link(2, "https://b", 5, ok), link(9, "https://a", 4, ok)}, 0, 9, "https://a"},
		"of one time the first":             {[]waymark.Link{link(7, "https://b", 5, ok), link(3, "https://a", 5, moved)}, 0, 3, "https://a"},
		"the oldest that is there":          {[]waymark.Link{link(1, "https://b", 1, broken), link(2, "https://a", 2, ok)}, 0, 2, "https://a"},
		"the oldest if none is there":       {[]waymark.Link{link(1, "https://b", 1, broken), link(2, "https://a", 2, broken)}, 0, 1, "https://b"},
		"https":                             {[]waymark.Link{link(1, "http://a", 1, ok), link(2, "https://a", 2, ok)}, 0, 1, "https://a"},
		"no tracking":                       {[]waymark.Link{link(1, "https://a?b=1&UTM_source=x", 1, ok), link(2, "https://a?b=1", 2, ok)}, 0, 1, "https://a?b=1"},
		"not one that is broken":            {[]waymark.Link{link(1, "http://a", 1, ok), link(2, "https://a", 2, broken)}, 0, 1, "http://a"},
		"a person chose":                    {[]waymark.Link{link(1, "https://a", 1, ok), link(2, "http://a", 2, broken)}, 2, 2, "https://a"},
		"a person chose, and its URL stays": {[]waymark.Link{link(1, "https://a", 1, ok), link(2, "https://b", 2, ok)}, 2, 2, "https://b"},
	} {
		d := waymark.NewDuplicates(test.links, test.keep)
		if d.Keep != test.want || d.URL != test.url || d.Kept().ID != test.want {
			t.Errorf("%s: got %d with %s, want %d with %s", name, d.Keep, d.URL, test.want, test.url)
		}
	}
}

func TestMergedLinkHasTheBestOfAll(t *testing.T) {
	const both = waymark.TitleText | waymark.DescriptionText
	links := []waymark.Link{
		{ID: 1, Owner: 1, URL: "http://a", Title: "page", Description: "of the page", FromPage: both | waymark.ImageText, Visibility: waymark.Public, Status: waymark.StatusOK, CreatedAt: 5, LinkFlags: waymark.LinkFlags{Unread: true, Archived: true}},
		{ID: 2, Owner: 1, URL: "https://a", Title: "typed", Description: "typed too", Visibility: waymark.Internal, Status: waymark.StatusMoved, CreatedAt: 9, SeenAt: 8, LinkFlags: waymark.LinkFlags{Unread: true, Favorite: true}},
		{ID: 3, Owner: 1, URL: "http://a/", Title: "typed later", Description: "of the page", FromPage: waymark.DescriptionText, Visibility: waymark.Public, CreatedAt: 10, LinkFlags: waymark.LinkFlags{Unread: true, Archived: true}},
		{ID: 4, Owner: 2, URL: "http://a/#top", Title: "page", Description: "ben's", FromPage: both, Visibility: waymark.Private, CreatedAt: 3},
	}
	got, notes := waymark.NewDuplicates(links, 1).Merged()
	want := waymark.Link{
		ID: 1, Owner: 1, URL: "https://a", Title: "typed", Description: "typed too", FromPage: waymark.ImageText,
		Visibility: waymark.Internal, Status: waymark.StatusMoved, CreatedAt: 3, SeenAt: 8, LinkFlags: waymark.LinkFlags{Unread: true, Favorite: true},
	}
	got.Lists, got.Tags = nil, nil
	if gotText, wantText := show(got), show(want); gotText != wantText {
		t.Errorf("got  %s\nwant %s", gotText, wantText)
	}
	if want := []string{"ben's", "of the page"}; !slices.Equal(notes, want) {
		t.Errorf("got the notes %q, want %q", notes, want)
	}
}

func TestWeakURLKeyIgnoresMore(t *testing.T) {
	same := func(want bool, urls ...string) {
		t.Helper()
		for _, url := range urls[1:] {
			if got := waymark.WeakURLKey(url) == waymark.WeakURLKey(urls[0]); got != want {
				t.Errorf("%s and %s: got %v, want %v", urls[0], url, got, want)
			}
		}
	}
	same(true, "https://a.example/p", "http://www.a.example/p/", "https://a.example/p#part", "https://a.example/p/index.html", "https://a.example/p/index.php#x")
	same(true, "https://a.example", "https://a.example/index.html", "https://a.example/?utm_source=x#y")
	same(true, "https://a.example/?a=1&b=2", "https://a.example/index.html?b=2&a=1")
	same(false, "https://a.example/p", "https://a.example/p#/route", "https://a.example/p#!route", "https://a.example/p/index", "https://a.example/reindex.html", "https://a.example/p?x#y", "mailto:a.example/p")
	same(false, "x:y", "x:y#z")
}

func show(l waymark.Link) string { return fmt.Sprintf("%+v", l) }
