package singlefile

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// lazySources are attributes with the URL of an image that a script loads later.
var lazySources = []string{"data-src", "data-original", "data-lazy-src", "data-lazy", "data-actualsrc", "data-url", "data-hi-res-src"}

// lazySets are such attributes with several images, in the format of srcset.
var lazySets = []string{"data-srcset", "data-lazy-srcset"}

// source returns the reference of the image that an <img> shows, or that a script would load into it.
func (d *document) source(node *html.Node, before []html.Attribute) string {
	for _, key := range lazySources {
		if value := attributeOf(before, key); d.usable(value) {
			return value
		}
	}
	for _, key := range lazySets {
		if value := bestCandidate(attributeOf(before, key)); d.usable(value) {
			return value
		}
	}
	src := attributeOf(before, "src")
	srcset := attributeOf(before, "srcset")
	if d.usable(src) && !hasWidths(srcset) {
		return src // the images of srcset are for other pixel densities
	}
	if value := bestCandidate(srcset); d.usable(value) {
		return value
	}
	if !d.usable(src) && node.Parent == d.picture && d.pictureSource != "" {
		return d.pictureSource
	}
	return src
}

// startPicture keeps the reference of the first <source> of a <picture> that can be downloaded, for the
// <img> after it: the <source> elements are removed.
func (d *document) startPicture(picture *html.Node) {
	d.picture, d.pictureSource = picture, ""
	for child := range picture.ChildNodes() {
		if child.Type != html.ElementNode || child.DataAtom != atom.Source {
			continue
		}
		for _, key := range append(slices.Clone(lazySets), "srcset") {
			if value := bestCandidate(attribute(child, key)); d.usable(value) {
				d.pictureSource = value
				return
			}
		}
	}
}

// usable reports whether a reference is the URL of an image that can be downloaded, not a data URL or a
// placeholder such as {url}.
func (d *document) usable(reference string) bool {
	if d.loader == nil || strings.TrimSpace(reference) == "" || strings.HasPrefix(strings.TrimSpace(reference), "{") {
		return false
	}
	u := d.resolve(reference)
	return u != nil && (u.Scheme == "http" || u.Scheme == "https")
}

// preferredWidth is the width in pixels that an image of a srcset should have at least.
const preferredWidth = 800

// hasWidths reports whether a srcset has widths, such as 640w, instead of pixel densities, such as 2x.
func hasWidths(srcset string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(srcset, func(r rune) bool { return unicode.IsSpace(r) || r == ',' }), func(part string) bool {
		digits, ok := strings.CutSuffix(part, "w")
		_, err := strconv.ParseUint(digits, 10, 32)
		return ok && err == nil
	})
}

// bestCandidate returns the URL of one image of a srcset: the smallest one with at least
// preferredWidth or density 1, or else the largest one. It returns "" if there is none.
func bestCandidate(srcset string) string {
	best, bestSize := "", 0.0
	for rest := srcset; ; {
		rest = strings.TrimLeft(rest, " \t\n\r\f,")
		if rest == "" {
			return best
		}
		end := strings.IndexAny(rest, " \t\n\r\f")
		if end < 0 {
			end = len(rest)
		}
		rawURL, size := rest[:end], 1.0
		rest = rest[end:]
		if trimmed := strings.TrimRight(rawURL, ","); trimmed != rawURL {
			rawURL = trimmed
		} else {
			var descriptor string
			descriptor, rest, _ = strings.Cut(rest, ",")
			size = sizeOf(strings.TrimSpace(descriptor))
		}
		if best == "" || size >= 1 && (bestSize < 1 || size < bestSize) || bestSize < 1 && size > bestSize {
			best, bestSize = rawURL, size
		}
	}
}

// sizeOf returns the size of an image from its descriptor in a srcset: its density, or its width
// divided by preferredWidth. It returns 0 if the descriptor is invalid.
func sizeOf(descriptor string) float64 {
	if descriptor == "" {
		return 1
	}
	n, err := strconv.ParseFloat(descriptor[:len(descriptor)-1], 64)
	switch {
	case err != nil:
		return 0
	case strings.HasSuffix(descriptor, "w"):
		return n / preferredWidth
	}
	return n
}
