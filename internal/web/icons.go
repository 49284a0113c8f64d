package web

import (
	_ "embed" // for iconFile
	"html/template"
	"regexp"
)

// iconFile has a symbol with the shapes of each icon. scripts/web_assets.sh writes it.
//
//go:embed icons.svg
var iconFile string

// icons holds the icons by name. Their shapes are in each page: a reference to a file would
// be drawn later than the rest of the page, and takes browsers longer in total.
var icons = readIcons(iconFile)

func readIcons(file string) map[string]template.HTML {
	all := map[string]template.HTML{}
	for _, symbol := range regexp.MustCompile(`<symbol id="([^"]+)" viewBox="0 0 24 24">(.*)</symbol>`).FindAllStringSubmatch(file, -1) {
		all[symbol[1]] = template.HTML(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">` + symbol[2] + `</svg>`) //nolint:gosec // part of the program
	}
	return all
}

// icon returns the icon with this name.
func icon(name string) template.HTML { return icons[name] }
