package page

import (
	_ "embed" // for iconFile
	"encoding/xml"
	"html/template"
	"strings"
)

// iconFile has a symbol with the shapes of each icon. scripts/web_assets.sh writes it.
//
//go:embed icons.svg
var iconFile []byte

// icons holds the icons by name. Their shapes are in each page: a reference to a file would
// be drawn later than the rest of the page, and takes browsers longer in total.
var icons = readIcons()

func readIcons() map[string]template.HTML {
	var file struct {
		Symbols []struct {
			ID     string        `xml:"id,attr"`
			Shapes template.HTML `xml:",innerxml"`
		} `xml:"symbol"`
	}
	if err := xml.Unmarshal(iconFile, &file); err != nil {
		panic(err) // it is part of the program
	}
	all := map[string]template.HTML{}
	for _, symbol := range file.Symbols {
		all[symbol.ID] = BuiltHTML("icon", symbol.Shapes)
	}
	return all
}

func icon(name string) template.HTML { return icons[name] }

// fragments are the templates of HTML that code needs.
var fragments = template.Must(template.ParseFS(templateFiles, "templates/_fragments.html"))

// BuiltHTML returns a template of _fragments.html with these data.
func BuiltHTML(name string, data any) template.HTML {
	var b strings.Builder
	if err := fragments.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // writing to b does not fail
	}
	return template.HTML(b.String()) //nolint:gosec // package template has escaped it
}
