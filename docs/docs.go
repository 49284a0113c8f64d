// Package docs has the documents of Waymark, and makes HTML of them: the help in the program, and the site that
// make docs builds. It imports no other package of Waymark.
package docs

import (
	"embed"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed search.md reading.md sharing.md devices.md clients.md keyboard.md second-factors.md files.md
//go:embed tutorials/browser.md tutorials/link*.md tutorials/karakeep.md tutorials/pocket.md tutorials/raindrop.md
var documents embed.FS

// help are the documents that are the help of a person who is signed in, in their order.
var help = []string{
	"search.md", "reading.md", "sharing.md", "devices.md", "clients.md", "keyboard.md", "second-factors.md", "tutorials/browser.md",
	"tutorials/linkace.md", "tutorials/linkding.md", "tutorials/karakeep.md", "tutorials/pocket.md", "tutorials/raindrop.md", "files.md",
}

// HelpPage is a document that is part of the program.
type HelpPage struct {
	Name    string // of the file, without its folder and .md
	Title   string
	Summary string // the first paragraph, as text
	HTML    template.HTML
}

// Help returns the help in its order. Its links to each other are relative to the URL of a page of the help; a link to
// a document that is not part of the program becomes text.
var Help = sync.OnceValues(func() ([]HelpPage, error) {
	var pages []HelpPage
	for _, name := range help {
		source, err := documents.ReadFile(name)
		if err != nil {
			return nil, err
		}
		page, err := Parse(source, helpLink)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		pages = append(pages, HelpPage{helpName(name), page.Title, page.Summary, page.HTML})
	}
	return pages, nil
})

// helpName returns the name of a document in URLs of the help.
func helpName(file string) string { return strings.TrimSuffix(path.Base(file), ".md") }

// helpLink returns the URL of a link in the help.
func helpLink(destination string) (string, error) {
	file, heading, hasHeading := strings.Cut(destination, "#")
	isHelp := func(document string) bool { return path.Base(document) == path.Base(file) }
	switch {
	case file == "" || strings.Contains(file, "://"):
		return destination, nil
	case !slices.ContainsFunc(help, isHelp):
		return "", nil
	case hasHeading:
		return helpName(file) + "#" + heading, nil
	}
	return helpName(file), nil
}
