package bookmarks_test

import (
	"errors"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
)

func TestYAMLIsRefused(t *testing.T) {
	for _, file := range []string{
		"- url: https://a.example/1\n  title: One\n",
		"bookmarks:\n  Reading:\n    - name: One\r\n      href: \"https://a.example/1\"\r\n",
	} {
		_, err := bookmarks.Open(strings.NewReader(file), bookmarks.Limits{})
		if format, ok := errors.AsType[*bookmarks.FormatError](err); !ok || format.Kind != bookmarks.KindYAML {
			t.Errorf("%q: got error %v, want one about YAML", file, err)
		}
	}
}

func TestXMLOfOtherProgramsIsRefused(t *testing.T) {
	for _, file := range []string{
		`<?xml version="1.0"?><!-- <a> --><rss version="2.0"><channel><item><link>https://a.example/</link><description><![CDATA[<a href="https://b.example/">b</a>]]></description></item></channel></rss>`,
		"<?xml version=\"1.0\"?>\n<!DOCTYPE xbel>\n<xbel version=\"1.0\"><bookmark href=\"https://a.example/\"><desc><a href=\"x\"></desc></bookmark></xbel>",
	} {
		if _, err := bookmarks.Open(strings.NewReader(file), bookmarks.Limits{}); err == nil || !strings.Contains(err.Error(), "unknown format") {
			t.Errorf("%s: got %v, want an error", file, err)
		}
	}
}
