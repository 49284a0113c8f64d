package searchindex

import (
	"testing"

	"waymark/internal/store/linkindex"
	"waymark/internal/waymark"
)

func TestMalformedLinksAreNotDecoded(t *testing.T) {
	const integers = "1:2:3:1:0:0:5:100:200:"
	decode := func(text string) ([]linkindex.Link, error) {
		var b batch
		err := b.decode(text)
		return b.links, err
	}
	if links, err := decode(integers + "3:0:1:url:::" + integers + "1:1:0:a:b:"); err != nil || len(links) != 2 ||
		links[0].URL != "url" || links[0].LinkFlags != (waymark.LinkFlags{Unread: true, Favorite: true}) || links[0].Title != "" || links[0].Description != ":" || links[1].URL != "a" || links[1].Title != "b" {
		t.Errorf("got %v, error %v", links, err)
	}
	for _, text := range []string{"1", ":", integers, integers + "3:0:1:url::", integers + "-1:0:0:url::", integers + "3:0:0:url:::", integers + "1:1:0:ab:"} {
		if links, err := decode(text); err == nil {
			t.Errorf("%q was decoded as %v, want an error", text, links)
		}
	}
}
