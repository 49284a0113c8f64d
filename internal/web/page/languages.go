package page

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	neturl "net/url"
	"sync"

	"golang.org/x/text/language"
)

//go:embed templates/*
var templateFiles embed.FS

// Locale is one language of the pages: its texts, and the templates with these texts.
type Locale struct {
	*texts
	Name string
	// templates parses the templates when they are first used, since most servers use few of the languages. They are
	// "main/NAME" for the content of each page, and the parts of all pages.
	templates func() (*template.Template, error)
}

// unreviewedText is the sentence that a language has until a native speaker has read its texts.
const unreviewedText = "appearance.unreviewed"

// languages are the languages of the pages. The first one is the default.
type languages struct {
	all     []*Locale
	matcher language.Matcher
}

// defaultLanguage is the language for browsers whose languages the pages do not have.
const defaultLanguage = "en"

// languagesWithoutBase loads the languages of sites without a base path. All sites of a process share them: parsing
// and escaping the templates takes most of the time of a new site, of which tests have hundreds.
var languagesWithoutBase = sync.OnceValues(func() (languages, error) {
	assets, err := loadAssets()
	if err != nil {
		return languages{}, err
	}
	return (&Site{assets: assets}).loadLanguages(textFiles)
})

// loadLanguages loads the languages that have a folder in texts.
func (s *Site) loadLanguages(all fs.FS) (languages, error) {
	folders, err := fs.ReadDir(all, "texts")
	if err != nil {
		return languages{}, err
	}
	names := []string{defaultLanguage}
	for _, folder := range folders {
		if folder.Name() != defaultLanguage {
			names = append(names, folder.Name())
		}
	}
	var l languages
	var tags []language.Tag
	for _, name := range names {
		texts, err := loadTexts(all, name)
		if err != nil {
			return languages{}, err
		}
		loaded := &Locale{texts: texts, Name: name}
		// The templates of all pages are in one set: a set for each page would need its own copy of the shared templates,
		// 15 MB in all.
		loaded.templates = sync.OnceValues(func() (*template.Template, error) {
			return template.New("").Funcs(s.templateFunctions(loaded)).ParseFS(templateFiles, "templates/*.html")
		})
		l.all = append(l.all, loaded)
		tags = append(tags, texts.tag)
	}
	l.matcher = language.NewMatcher(tags)
	return l, nil
}

// Locales returns the languages of the pages, the default one first.
func (s *Site) Locales() []*Locale { return s.languages.all }

// OwnName returns the name of the language in itself, with the remark if no native speaker has read the texts.
func (l *Locale) OwnName() string {
	name := l.Get("appearance.language-name")
	if l.Has(unreviewedText) {
		return l.Get(unreviewedText, "name", name)
	}
	return name
}

// find returns the language with this name, or else the one that the browser prefers.
func (l languages) find(name string, r *http.Request) *Locale {
	for _, known := range l.all {
		if known.Name == name {
			return known
		}
	}
	_, index := language.MatchStrings(l.matcher, r.Header.Get("Accept-Language"))
	return l.all[index]
}

// templateFunctions are the functions of the templates in one language:
//
//	t KEY NAME VALUE …     a sentence
//	number N               with the separators of the language
//	url PATH VALUE …       a URL on this server; with values, PATH is a format of package fmt
//	asset NAME             the URL of a file below /static
//	hue NAME               the number of the colour of a name
//	initial NAME           the first letter of a name
//	pathEscape NAME        a name as a segment of a path
//	icon NAME              an icon
//	values NAME VALUE …    a map, to pass several values to a template
//	list VALUE …           a list, likewise
func (s *Site) templateFunctions(l *Locale) template.FuncMap {
	return template.FuncMap{
		"t":      l.Get,
		"number": l.number,
		"url": func(path string, values ...any) string {
			if len(values) > 0 {
				path = fmt.Sprintf(path, values...)
			}
			return s.URL(path)
		},
		"asset":      s.AssetURL,
		"hue":        Hue,
		"initial":    Initial,
		"pathEscape": neturl.PathEscape,
		"icon":       icon,
		"list":       func(items ...any) []any { return items },
		"values": func(pairs ...any) map[string]any {
			all := make(map[string]any, len(pairs)/2)
			for i := 0; i+1 < len(pairs); i += 2 {
				all[pairs[i].(string)] = pairs[i+1]
			}
			return all
		},
	}
}
