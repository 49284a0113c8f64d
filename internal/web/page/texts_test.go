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
)

func TestAllLanguagesHaveTheSameTexts(t *testing.T) {
	english := load(t, defaultLanguage)
	folders, err := fs.ReadDir(textFiles, "texts")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		other := load(t, folder.Name())
		for key, text := range english.all {
			translated, ok := other.all[key]
			if !ok {
				t.Errorf("%s: %s is missing", folder.Name(), key)
				continue
			}
			if got, want := placeholders(translated), placeholders(text); !slices.Equal(got, want) {
				t.Errorf("%s: %s has the placeholders %q, want %q", folder.Name(), key, got, want)
			}
		}
		for key := range other.all {
			if !english.Has(key) {
				t.Errorf("%s: %s is not in %s", folder.Name(), key, defaultLanguage)
			}
		}
	}
}

// usedKey matches a key in a template or in the code.
var usedKey = regexp.MustCompile(`(?:\bt|\.T|\.[Gg]et)[ (]"([a-z-]+\.[A-Za-z0-9.-]+)"`)

// composedKeys are the beginnings of keys that the code puts together.
var composedKeys = []string{"bulk.", "date.month-", "date.short-", "error.", "field.", "filter.", "flags.", "import-state.", "link.check-", "links.offer-", "order.", "place-lists.", "problem.", "server.part-", "server.reason-", "trash."}

func TestEachTextIsUsedAndEachUsedTextExists(t *testing.T) {
	english := load(t, defaultLanguage)
	used := map[string]bool{}
	for _, pattern := range []string{"*.go", "../*.go", "../settings/*.go", "templates/*.html"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue // a text that only a test uses is not used
			}
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
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
	for language, want := range map[string]string{"de": "18.070 1.234.567 999 -1.000 1.000", "en": "18,070 1,234,567 999 -1,000 1,000"} {
		numbers := load(t, language).number
		if got := strings.Join([]string{numbers(18070), numbers(1234567), numbers(999), numbers(-1000), numbers(1000)}, " "); got != want {
			t.Errorf("%s: got %q, want %q", language, got, want)
		}
	}
}

func load(t *testing.T, language string) *texts {
	t.Helper()
	loaded, err := loadTexts(language)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// placeholders returns the sorted names of the placeholders of a text.
func placeholders(t text) []string {
	var names []string
	for _, s := range t.usual {
		if s.placeholder != "" {
			names = append(names, s.placeholder)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestSizesHaveUnits(t *testing.T) {
	for size, want := range map[int64]string{0: "0 KiB", 1536: "1.5 KiB", 5 << 20: "5 MiB", 3 << 40: "3 TiB", 5000 << 40: "5000 TiB"} {
		if got := load(t, "en").Size(size); got != want {
			t.Errorf("%d: got %s, want %s", size, got, want)
		}
	}
	if got, want := load(t, "de").Size(1536), "1,5 KiB"; got != want {
		t.Errorf("in German: got %s, want %s", got, want)
	}
}
