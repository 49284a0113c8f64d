package waymark_test

import (
	"testing"

	"waymark/internal/waymark"
)

func TestURLsOfOnePageHaveOneKey(t *testing.T) {
	for key, urls := range map[string][]string{
		"example.org": {
			"https://example.org", "http://example.org/", "HTTPS://EXAMPLE.org:443", "http://example.org:80/", "https://www.example.org/",
			"https://ann:secret@example.org/", "https://example.org/#", "https://example.org/?", "https://example.org./", "https://example.org/./a/..",
		},
		"example.org/a/b": {
			"https://example.org/a/b", "https://example.org/a/b/", "https://example.org/%61/b", "https://example.org/a/c/../b", `https://example.org\a\b`,
			"https://example.org/a/b#top", "https://example.org/a/b#readme", "https://example.org/a/b/#README", "https://example.org/a/b#:~:text=word",
			"https://example.org/a/b?utm_source=x&UTM_Medium=y&fbclid=1&", "https://example.org/a/b?gclid",
		},
		"example.org?a=1&b=2":            {"https://example.org/?b=2&a=1", "https://example.org/?a=1&utm_id=3&b=2", "http://www.example.org?b=2&a=1"},
		"example.org?a&q=a%2Fb+c":        {"https://example.org/?q=a/b+c&a", "https://example.org/?a=&q=a%2Fb%20c"},
		"example.org/%C3%A4%2F?q=%C3%A4": {"https://example.org/ä%2f?q=ä", "https://example.org/%c3%a4%2F?q=%C3%a4"},
		"xn--bcher-kva.example":          {"https://bücher.example/", "https://BÜCHER.example", "https://xn--bcher-kva.example/"},
		"example.org:8080":               {"https://example.org:8080/", "http://example.org:8080"},
		"[::1]:80":                       {"https://[::1]:80/"},
		"example.org#backups":            {"https://example.org/#backups"},
		"example.org#!/a":                {"https://example.org/#!/a"},
		"www.org":                        {"https://www.org/"},
		"example.org?ref=x":              {"https://example.org/?ref=x"},
		"mailto:Ann@Example.org":         {"mailto:Ann@Example.org"},
		"HTTPS:example":                  {"HTTPS:example"},
		"":                               {""},
		"example.org/100%":               {"https://example.org/100%"},
	} {
		for _, url := range urls {
			if got := waymark.URLKey(url); got != key {
				t.Errorf("%s: got %q, want %q", url, got, key)
			}
		}
	}
}
