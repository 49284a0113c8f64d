package waymark_test

import (
	"testing"

	"waymark/internal/waymark"
)

func TestBookmarkKeyIsTheSameForURLsThatLinkdingTakesForOne(t *testing.T) {
	same := [][]string{
		{"https://example.com", "https://example.com/", " HTTPS://EXAMPLE.com// ", "https://example.com/?", "https://example.com:/#"},
		{"https://EXAMPLE.COM/path/?z=1&a=2", "https://example.com/path?a=2&z=1", "https://example.com/path/?&a=2&z=1"},
		{"https://example.com/?q=a+b&q=%C3%A4", "https://example.com/?q=%c3%a4&q=a%20b"},
		{"https://User@example.com/a", "https://User@EXAMPLE.com/a/"},
		{"https://example.com/A"}, {"https://example.com/a"}, {"http://example.com"}, {"https://www.example.com"}, {"https://example.com/?utm_source=a"},
		{"https://example.com/#top"}, {"https://example.com/#a"}, {"https://example.com:443/"}, {"https://user@example.com/a"}, {"mailto:a@example.com"}, {"not a URL"}, {""},
	}
	keys := map[string]int{}
	for i, urls := range same {
		for _, url := range urls {
			key := waymark.BookmarkKey(url)
			if other, ok := keys[key]; ok && other != i {
				t.Errorf("%q has the key %q of %q", url, key, same[other])
			}
			keys[key] = i
		}
		if len(keys) != i+1 {
			t.Fatalf("%q: got several keys in %v", urls, keys)
		}
	}
}
