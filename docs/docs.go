// Package docs has the documents of Waymark, and makes HTML of them: the help in the program, and the site that
// make docs builds. It imports no other package of Waymark.
package docs

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed search.md reading.md sharing.md devices.md clients.md keyboard.md second-factors.md files.md de fr
//go:embed tutorials/browser.md tutorials/link*.md tutorials/karakeep.md tutorials/pocket.md tutorials/raindrop.md
var documents embed.FS

// english are the documents that are the help of a person who is signed in, in their order. The folders of other
// languages have some of them, as NAME.markdown.
var english = []string{
	"search.md", "reading.md", "sharing.md", "devices.md", "clients.md", "keyboard.md", "second-factors.md", "tutorials/browser.md",
	"tutorials/linkace.md", "tutorials/linkding.md", "tutorials/karakeep.md", "tutorials/pocket.md", "tutorials/raindrop.md", "files.md",
}

// HelpPage is a document that is part of the program.
type HelpPage struct {
	Name     string // of the file, without its folder and its ending
	Language string // a BCP 47 tag
	Title    string
	Summary  string // the first paragraph, as text
	HTML     template.HTML
}

// Help returns the help in its order, each page in a language if it is translated, and otherwise in English. Links to
// each other are relative to the URL of a page of the help; a link to a document that is not part of the program
// becomes text.
func Help(language string) ([]HelpPage, error) {
	pages, err := help()
	if err != nil {
		return nil, err
	}
	chosen := slices.Clone(pages["en"])
	for i, page := range chosen {
		if n := slices.IndexFunc(pages[language], func(other HelpPage) bool { return other.Name == page.Name }); n >= 0 {
			chosen[i] = pages[language][n]
		}
	}
	return chosen, nil
}

// help returns the pages in each language.
var help = sync.OnceValues(func() (map[string][]HelpPage, error) {
	pages := map[string][]HelpPage{}
	translated, err := fs.Glob(documents, "*/*.markdown")
	if err != nil {
		return nil, err
	}
	for _, file := range append(slices.Clone(english), translated...) {
		source, err := documents.ReadFile(file)
		if err != nil {
			return nil, err
		}
		page, err := Parse(source, helpLink)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		language := "en"
		if path.Ext(file) == ".markdown" {
			language = path.Dir(file)
		}
		pages[language] = append(pages[language], HelpPage{helpName(file), language, page.Title, page.Summary, page.HTML})
	}
	return pages, nil
})

// helpName returns the name of a document in URLs of the help.
func helpName(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

// helpLink returns the URL of a link in the help.
func helpLink(destination string) (string, error) {
	file, heading, hasHeading := strings.Cut(destination, "#")
	isHelp := func(document string) bool { return helpName(document) == helpName(file) }
	switch {
	case file == "" || strings.Contains(file, "://"):
		return destination, nil
	case !slices.ContainsFunc(english, isHelp):
		return "", nil
	case hasHeading:
		return helpName(file) + "#" + heading, nil
	}
	return helpName(file), nil
}
