// Program docs makes a static site of the documents of Waymark:
//
//	go -C tools/docs run . --out ../../dist/docs
//
// The site needs no server: it works from a folder of files. docs/README.md is its first page and its order; decisions,
// the style of the code and measurements are for readers of the repository and not on it. The program fails on a link
// that leads nowhere, and on another document that is not in the order.
package main

import (
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"waymark/docs"
)

//go:embed page.html site.css site.js
var files embed.FS

// static is the folder with the style sheet and the fonts of Waymark's pages.
const static = "internal/web/page/static"

func main() {
	root := flag.String("root", "../..", "root of the repository")
	out := flag.String("out", "../../dist/docs", "folder of the site")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes the site of the repository at root.
func run(root, out string) error {
	s, err := load(root)
	if err != nil {
		return err
	}
	if err := s.write(out); err != nil {
		return err
	}
	fmt.Println("The site is in", out)
	return nil
}

// site is all pages.
type site struct {
	root   string
	pages  map[string]*document // by the path of the document in the repository, also those that are not on the site
	images map[string]bool      // paths in the repository
	order  []group
}

// document is one page.
type document struct {
	docs.Page
	Path  string // in the site: "tutorials/first-hour.html", "" for a document that is not on it
	Group string // its heading in the order
	links []link
	// The pages before and after it in the order, nil at its ends.
	Previous, Next *listed
}

// contentsFrom is the number of headings from which a page has a list of them.
const contentsFrom = 5

// Contents returns the headings of the second level, none for a short page.
func (d *document) Contents() []docs.Section {
	headings := slices.Collect(func(yield func(docs.Section) bool) {
		for _, section := range d.Sections {
			if section.Level == 2 && !yield(section) {
				return
			}
		}
	})
	if len(headings) < contentsFrom || d.Path == sitePath(first) {
		return nil
	}
	return headings
}

// link leads from a document to a heading of another one.
type link struct{ document, heading string }

// group is a heading of the order, with its pages.
type group struct {
	Title string
	Pages []listed
}

// listed is a page in the order, with the name that it has there.
type listed struct {
	Name string
	*document
}

// first is the document with the order.
const first = "docs/README.md"

// load reads all documents and checks the links between them.
func load(root string) (*site, error) {
	s := &site{root: root, pages: map[string]*document{}, images: map[string]bool{}}
	names := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(name string, entry fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s.pages[name] = &document{}
		if onSite(name) {
			s.pages[name].Path = sitePath(name)
		}
	}
	var problems []error
	for _, name := range names {
		if err := s.parse(name); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		}
	}
	problems = append(problems, s.checkHeadings(), s.readOrder())
	return s, errors.Join(problems...)
}

// onSite reports whether a document is for people who use or run Waymark, or begin to change it.
func onSite(name string) bool {
	return !strings.HasPrefix(name, "docs/decisions/") && !slices.Contains([]string{"README.md", "docs/style.md", "docs/performance.md"}, name)
}

// sitePath returns the path of a document in the site.
func sitePath(name string) string {
	dir, file := path.Split(strings.TrimPrefix(name, "docs/"))
	if file == "README.md" && strings.HasPrefix(name, "docs/") {
		return dir + "index.html"
	}
	return dir + strings.ToLower(strings.TrimSuffix(file, ".md")) + ".html"
}

// parse makes HTML of a document.
func (s *site) parse(name string) error {
	source, err := os.ReadFile(filepath.Join(s.root, name))
	if err != nil {
		return err
	}
	d := s.pages[name]
	d.Page, err = docs.Parse(source, func(destination string) (string, error) { return s.resolve(name, destination) })
	return err
}

// resolve returns the URL in the site for a link of a document: "" for a file that is not in the site.
func (s *site) resolve(name, destination string) (string, error) {
	if strings.Contains(destination, "://") || strings.HasPrefix(destination, "mailto:") {
		return destination, nil
	}
	d := s.pages[name]
	file, heading, _ := strings.Cut(destination, "#")
	target := name
	if file != "" {
		target = path.Join(path.Dir(name), file)
	}
	if to := s.pages[target]; to != nil {
		d.links = append(d.links, link{target, heading})
		if to.Path == "" {
			return "", nil
		}
		url := relative(d.Path, to.Path)
		if heading != "" {
			url += "#" + heading
		}
		return url, nil
	}
	if _, err := os.Stat(filepath.Join(s.root, target)); err != nil {
		return "", fmt.Errorf("the link to %s leads nowhere", destination)
	}
	if slices.Contains([]string{".png", ".webp", ".svg"}, path.Ext(target)) {
		s.images[target] = true
		return relative(d.Path, strings.TrimPrefix(target, "docs/")), nil
	}
	return "", nil
}

// relative returns the URL of a page of the site on another one.
func relative(from, to string) string { return strings.Repeat("../", strings.Count(from, "/")) + to }

// checkHeadings checks that the links between documents lead to headings that exist.
func (s *site) checkHeadings() error {
	var problems []error
	for name, d := range s.pages {
		for _, l := range d.links {
			exists := slices.ContainsFunc(s.pages[l.document].Sections, func(section docs.Section) bool { return section.ID == l.heading })
			if l.heading != "" && !exists {
				problems = append(problems, fmt.Errorf("%s: %s has no heading #%s", name, l.document, l.heading))
			}
		}
	}
	return errors.Join(problems...)
}

// readOrder makes the order of the links under each heading of the first page.
func (s *site) readOrder() error {
	source, err := os.ReadFile(filepath.Join(s.root, first))
	if err != nil {
		return err
	}
	known := map[string]bool{first: true}
	var before *listed
	for line := range strings.Lines(string(source)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			s.order = append(s.order, group{Title: strings.TrimSpace(title)})
		}
		_, rest, ok := strings.Cut(line, "- [")
		title, destination, ok2 := strings.Cut(rest, "](")
		destination, _, _ = strings.Cut(destination, ")")
		name := path.Join("docs", destination)
		if ok && ok2 && len(s.order) > 0 && s.pages[name] != nil {
			known[name] = true
			page, last := &listed{title, s.pages[name]}, &s.order[len(s.order)-1]
			page.Group, page.Previous = last.Title, before
			if before != nil {
				before.Next = page
			}
			last.Pages, before = append(last.Pages, *page), page
		}
	}
	var problems []error
	for name, page := range s.pages {
		if !known[name] && page.Path != "" {
			problems = append(problems, fmt.Errorf("%s does not list %s", first, name))
		}
	}
	return errors.Join(problems...)
}

// write writes the pages, the index of the search and the files that they need.
func (s *site) write(out string) error {
	layout, err := template.New("page.html").Funcs(template.FuncMap{"relative": relative}).ParseFS(files, "page.html")
	if err != nil {
		return err
	}
	for _, d := range s.pages {
		if d.Path == "" {
			continue
		}
		var b strings.Builder
		if err := layout.Execute(&b, map[string]any{"Page": d, "Order": s.order}); err != nil {
			return err
		}
		if err := writeFile(filepath.Join(out, d.Path), []byte(b.String())); err != nil {
			return err
		}
	}
	if err := s.writeIndex(out); err != nil {
		return err
	}
	return s.copyFiles(out)
}

// entry is a section in the index of the search.
type entry struct {
	URL   string `json:"url"`
	Page  string `json:"page"`
	Title string `json:"title,omitempty"` // of the section
	Text  string `json:"text"`
	Late  bool   `json:"late,omitempty"` // what others find comes first
}

// late are the groups of the order that most people do not look for.
var late = []string{"Reference", "Change Waymark"}

// writeIndex writes the index as a script, because a page in a folder may not read other files.
func (s *site) writeIndex(out string) error {
	var entries []entry
	for _, name := range slices.Sorted(maps.Keys(s.pages)) {
		d := s.pages[name]
		if d.Group == "" { // the list of pages, and what is not on the site
			continue
		}
		for _, section := range d.Sections {
			e := entry{URL: d.Path, Page: d.Title, Text: section.Text, Late: slices.Contains(late, d.Group) || d.Path == "comparison.html"}
			if section.ID != "" {
				e.URL, e.Title = d.Path+"#"+section.ID, section.Title
			}
			entries = append(entries, e)
		}
	}
	index, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(out, "search-index.js"), append([]byte("const searchIndex = "), index...))
}

// copyFiles copies images, and the style sheet and fonts of Waymark's pages.
func (s *site) copyFiles(out string) error {
	for image := range s.images {
		if err := copyFile(filepath.Join(s.root, image), filepath.Join(out, strings.TrimPrefix(image, "docs/"))); err != nil {
			return err
		}
	}
	shared, err := filepath.Glob(filepath.Join(s.root, static, "*.woff2"))
	if err != nil {
		return err
	}
	for _, name := range []string{"waymark.css", "favicon.svg"} {
		shared = append(shared, filepath.Join(s.root, static, name))
	}
	for _, file := range shared {
		if err := copyFile(file, filepath.Join(out, filepath.Base(file))); err != nil {
			return err
		}
	}
	for _, name := range []string{"site.css", "site.js"} {
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(out, name), content); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, content)
}

func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // a site is for everyone
		return err
	}
	return os.WriteFile(name, content, 0o644) //nolint:gosec // as above
}
