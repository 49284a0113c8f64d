package page

import (
	"strconv"
	"strings"

	"waymark/internal/fetch/picture"
)

// The assumed widths in pixels of icons that declare none.
const (
	plainIconSide = 16
	appleIconSide = 180
)

// link reads a <link> element: the image or the icon that it names.
func (h *head) link(a map[string]string) {
	href := strings.TrimSpace(a["href"])
	path, _, _ := strings.Cut(strings.ToLower(href), "?")
	for rel := range strings.FieldsSeq(strings.ToLower(a["rel"])) {
		side := plainIconSide
		switch rel {
		case "image_src":
			set(&h.image, href)
			continue
		case "apple-touch-icon", "apple-touch-icon-precomposed":
			side = appleIconSide
		case "icon":
		default:
			continue
		}
		if href == "" || strings.HasPrefix(path, "data:") || strings.HasSuffix(path, ".svg") || strings.Contains(a["type"], "svg") {
			continue // package picture does not support SVG
		}
		if declared := largestSide(a["sizes"]); declared > 0 {
			side = declared
		}
		if h.icon == "" || picture.BetterIconSide(side, h.iconSide) {
			h.icon, h.iconSide = href, side
		}
	}
}

// largestSide returns the largest width in the attribute sizes, such as "16x16 32x32", or 0.
func largestSide(sizes string) (largest int) {
	for size := range strings.FieldsSeq(strings.ToLower(sizes)) {
		width, _, _ := strings.Cut(size, "x")
		if n, err := strconv.Atoi(width); err == nil {
			largest = max(largest, n)
		}
	}
	return largest
}
