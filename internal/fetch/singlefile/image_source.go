package singlefile

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// imageSources are attributes with the URL of the image that an <img> shows, or that a script loads into it. The
// first usable one counts. Those that end in srcset have several images.
var imageSources = []string{
	"data-src", "data-original", "data-lazy-src", "data-lazy", "data-actualsrc", "data-url", "data-hi-res-src",
	"data-srcset", "data-lazy-srcset", "src", "srcset",
}

// source returns the reference of the image that an <img> or <source> shows, or that a script would load into
// it, "" if none can be downloaded.
func (d *document) source(attributes []html.Attribute) string {
	for _, key := range imageSources {
		reference := attributeOf(attributes, key)
		if strings.HasSuffix(key, "srcset") {
			reference = firstCandidate(reference)
		}
		if d.usable(reference) {
			return reference
		}
	}
	return ""
}

// startPicture keeps the reference of the first <source> of a <picture> that can be downloaded, for the
// <img> after it: the <source> elements are removed.
func (d *document) startPicture(picture *html.Node) {
	d.picture, d.pictureSource = picture, ""
	for child := range picture.ChildNodes() {
		if child.Type == html.ElementNode && child.DataAtom == atom.Source && d.pictureSource == "" {
			d.pictureSource = d.source(child.Attr)
		}
	}
}

// usable reports whether a reference is the URL of an image that can be downloaded, not a data URL or a
// placeholder such as {url}.
func (d *document) usable(reference string) bool {
	return !strings.HasPrefix(strings.TrimSpace(reference), "{") && d.downloadable(d.base, reference) != nil
}

// firstCandidate returns the URL of the first image of a srcset, "" if there is none.
func firstCandidate(srcset string) string {
	candidates := strings.Fields(srcset)
	if len(candidates) == 0 {
		return ""
	}
	return strings.TrimRight(candidates[0], ",")
}
