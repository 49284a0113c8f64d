package page

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

func TestAllLanguagesHaveTheSameTexts(t *testing.T) {
	english := load(t, defaultLanguage)
	for name, other := range loadAll(t) {
		forms := formsOf(other.tag)
		for key, text := range english.all {
			translated, ok := other.all[key]
			if !ok {
				t.Errorf("%s: %s is missing", name, key)
				continue
			}
			if got, want := placeholders(translated), placeholders(text); !slices.Equal(got, want) {
				t.Errorf("%s: %s has the placeholders %q, want %q", name, key, got, want)
			}
			got := formNames(translated.forms)
			if len(text.forms) > 0 && !slices.Equal(got, forms) {
				t.Errorf("%s: %s has the plural forms %q besides other, want %q", name, key, got, forms)
			}
			if len(text.forms) == 0 && len(got) > 0 {
				t.Errorf("%s: %s has plural forms, but no number", name, key)
			}
		}
		for key := range other.all {
			if !english.Has(key) && key != unreviewedText {
				t.Errorf("%s: %s is not in %s", name, key, defaultLanguage)
			}
		}
		if direction := other.Get("shell.direction"); direction != "ltr" && direction != "rtl" {
			t.Errorf("%s: got the direction %q, want ltr or rtl", name, direction)
		}
	}
}

// formsOf returns the plural forms of a language that whole numbers have, but not plural.Other.
func formsOf(language language.Tag) []string {
	found := map[plural.Form]bool{}
	for n := range 1000 {
		found[plural.Cardinal.MatchPlural(language, n, 0, 0, 0, 0)] = true
	}
	delete(found, plural.Other)
	return formNames(found)
}

// formNames returns the sorted names of plural forms.
func formNames[V any](forms map[plural.Form]V) []string {
	var names []string
	for name, form := range pluralForms {
		if _, ok := forms[form]; ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// badTypography matches what a typewriter has and a typesetter has not.
var badTypography = regexp.MustCompile(`["']|\.\.\.|  |^ | $`)

// wrongSpaces matches what has not the spaces of the language: French has a no-break space beside punctuation, and
// Chinese has a space between Chinese and Latin letters and none beside its punctuation.
var wrongSpaces = map[string]*regexp.Regexp{
	"fr":      regexp.MustCompile(` [:;?!»]|« |[^\x{a0}][;?!»]|«[^\x{a0}]`),
	"zh-Hans": regexp.MustCompile(`\p{Han}[A-Za-z,;:?!()]|[A-Za-z,;:?!()]\p{Han}| [，。：；？！、（）“”]|[，。：；？！、（）“”] `),
}

func TestTextsHaveTheTypographyOfTheirLanguage(t *testing.T) {
	for name, language := range loadAll(t) {
		for key, text := range language.all {
			for _, sentence := range append(slices.Collect(maps.Values(text.forms)), text.usual) {
				if bad := badTypography.FindString(sentence); bad != "" {
					t.Errorf("%s: %s has %q: %s", name, key, bad, sentence)
				}
				if wrongSpaces[name] != nil && wrongSpaces[name].MatchString(sentence) {
					t.Errorf("%s: %s has other spaces than the language: %s", name, key, sentence)
				}
			}
		}
	}
}

// sentenceKey matches the key of a sentence at the beginning of a line.
var sentenceKey = regexp.MustCompile(`(?m)^\t"([^"]+)":`)

func TestKeysAreUnique(t *testing.T) {
	files, err := fs.Glob(textFiles, "texts/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, file := range files {
		body, err := fs.ReadFile(textFiles, file)
		check(t, err)
		seen := map[string]bool{}
		for _, match := range sentenceKey.FindAllStringSubmatch(string(body), -1) {
			if seen[match[1]] {
				t.Errorf("%s has %s twice", file, match[1])
			}
			seen[match[1]] = true
		}
	}
}

// usedKey matches a key in a template or in the code.
var usedKey = regexp.MustCompile(`(?:\bt|\.T|\.[Gg]et)[ (]"([a-z-]+\.[A-Za-z0-9.-]+)"`)

// composedKeys are the beginnings of keys that the code puts together.
var composedKeys = []string{"bulk.", "date.heading-", "date.month-", "date.short-", "error.", "field.", "filter.", "flags.", "guest.n-", "import.", "import-report.", "import-state.", "link.check-", "links.offer-", "lists.edit", "tags.edit", "new-links.", "order.", "place-lists.", "problem.", "provider.problem-", "read.size", "read.theme", "read.width", "round.", "server.part-", "server.reason-", "share.did-", "signin.unsaved-", "size.", "tidy.", "trash."}

func TestEachTextIsUsedAndEachUsedTextExists(t *testing.T) {
	english := load(t, defaultLanguage)
	used := map[string]bool{}
	for _, pattern := range []string{"*.go", "../*.go", "../settings/*.go", "templates/*.html"} {
		files, err := filepath.Glob(pattern)
		check(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue // a text that only a test uses is not used
			}
			body, err := os.ReadFile(file)
			check(t, err)
			for _, match := range usedKey.FindAllStringSubmatch(string(body), -1) {
				used[match[1]] = true
				if !english.Has(match[1]) {
					t.Errorf("%s uses %s, which does not exist", file, match[1])
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(english.all)) {
		composed := slices.ContainsFunc(composedKeys, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
		// The title of a page is found by the name of the page.
		if !used[key] && !composed && !strings.HasSuffix(key, ".title") {
			t.Errorf("%s is not used", key)
		}
	}
}

func TestPluralFormsFollowTheLanguage(t *testing.T) {
	english := load(t, "en")
	for n, want := range map[int]string{1: "1 more", 2: "2 more", 1234: "1,234 more"} {
		if got := english.Get("links.more-names", "n", n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	for language, want := range map[string]string{"de": "18.070 1.234.567 999 -1.000 1.000", "en": "18,070 1,234,567 999 -1,000 1,000", "fr": "18\u00a0070 1\u00a0234\u00a0567 999 -1\u00a0000 1\u00a0000"} {
		numbers := load(t, language).number
		if got := strings.Join([]string{numbers(18070), numbers(1234567), numbers(999), numbers(-1000), numbers(1000)}, " "); got != want {
			t.Errorf("%s: got %q, want %q", language, got, want)
		}
	}
}

// loadAll returns the texts of all languages.
func loadAll(t *testing.T) map[string]*texts {
	t.Helper()
	folders, err := fs.ReadDir(textFiles, "texts")
	check(t, err)
	all := map[string]*texts{}
	for _, folder := range folders {
		all[folder.Name()] = load(t, folder.Name())
	}
	return all
}

func load(t *testing.T, language string) *texts {
	t.Helper()
	loaded, err := loadTexts(textFiles, language)
	check(t, err)
	return loaded
}

// placeholders returns the sorted names of the placeholders of a text.
func placeholders(t text) []string {
	names := regexp.MustCompile(`\{[^}]*\}`).FindAllString(t.usual, -1)
	slices.Sort(names)
	return slices.Compact(names)
}

func TestSizesHaveUnits(t *testing.T) {
	for size, want := range map[int64]string{0: "0 KiB", 1536: "1.5 KiB", 5 << 20: "5 MiB", 3 << 40: "3 TiB", 5000 << 40: "5000 TiB"} {
		if got := load(t, "en").Size(size); got != want {
			t.Errorf("%d: got %s, want %s", size, got, want)
		}
	}
	for language, want := range map[string]string{"de": "1,5 KiB", "fr": "1,5\u00a0Kio"} {
		if got := load(t, language).Size(1536); got != want {
			t.Errorf("%s: got %s, want %s", language, got, want)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
