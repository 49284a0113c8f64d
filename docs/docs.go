// Package docs has the documents of Waymark, and makes HTML of them: the help in the program, and the site that
// make docs builds. It imports no other package of Waymark.
package docs

import (
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
)

//go:embed search.md keyboard.md reading.md sharing.md files.md clients.md
var helpFiles embed.FS

// helpNames are the documents that are the help of a person who is signed in, in their order.
var helpNames = []string{"search", "keyboard", "reading", "sharing", "files", "clients"}

// HelpPage is a document that is part of the program.
type HelpPage struct {
	Name    string // of the file, without .md
	Title   string
	Summary string // the first paragraph, as text
	HTML    template.HTML
}

// Help returns the help in its order. Its links to each other are relative to the URL of a page of the help; a link to
// a document that is not part of the program becomes text.
var Help = sync.OnceValues(func() ([]HelpPage, error) {
	var pages []HelpPage
	for _, name := range helpNames {
		source, err := helpFiles.ReadFile(name + ".md")
		if err != nil {
			return nil, err
		}
		page, err := Parse(source, helpLink)
		if err != nil {
			return nil, fmt.Errorf("%s.md: %w", name, err)
		}
		pages = append(pages, HelpPage{name, page.Title, page.Summary, page.HTML})
	}
	return pages, nil
})

// helpLink returns the URL of a link in the help.
func helpLink(destination string) (string, error) {
	file, heading, hasHeading := strings.Cut(destination, "#")
	name := strings.TrimSuffix(file, ".md")
	switch {
	case file == "" || strings.Contains(file, "://"):
		return destination, nil
	case !slices.Contains(helpNames, name):
		return "", nil
	case hasHeading:
		return name + "#" + heading, nil
	}
	return name, nil
}
