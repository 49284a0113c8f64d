package page

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed texts
var textFiles embed.FS

// texts are all sentences of the pages in one language. The key of a sentence is the name
// of its file, a dot, and its name there: links.empty-title.
type texts struct {
	tag     language.Tag
	all     map[string]text
	numbers *message.Printer
}

// text is a sentence with placeholders such as {name}. It has several forms if it depends
// on the number n.
type text struct {
	usual string                 // of plural.Other
	forms map[plural.Form]string // the other forms
}

func loadTexts(all fs.FS, name string) (*texts, error) {
	tag, err := language.Parse(name)
	if err != nil {
		return nil, err
	}
	digits, err := tag.SetTypeForKey("nu", "latn") // those of dates and short numbers
	if err != nil {
		return nil, err
	}
	t := &texts{tag: tag, all: map[string]text{}, numbers: message.NewPrinter(digits)}
	dir := path.Join("texts", name)
	files, err := fs.ReadDir(all, dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		body, err := fs.ReadFile(all, path.Join(dir, file.Name()))
		if err != nil {
			return nil, err
		}
		var sentences map[string]text
		if err := json.Unmarshal(body, &sentences); err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(dir, file.Name()), err)
		}
		for key, sentence := range sentences {
			t.all[strings.TrimSuffix(file.Name(), "json")+key] = sentence
		}
	}
	return t, nil
}

// pluralForms are the names of the forms in the files. They are from Unicode's CLDR.
var pluralForms = map[string]plural.Form{
	"zero": plural.Zero, "one": plural.One, "two": plural.Two, "few": plural.Few, "many": plural.Many, "other": plural.Other,
}

// UnmarshalJSON reads a sentence, or an object of its forms.
func (t *text) UnmarshalJSON(body []byte) error {
	if body[0] != '{' {
		return json.Unmarshal(body, &t.usual)
	}
	var forms map[string]string
	if err := json.Unmarshal(body, &forms); err != nil {
		return err
	}
	t.forms = map[plural.Form]string{}
	for name, sentence := range forms {
		form, ok := pluralForms[name]
		if !ok {
			return fmt.Errorf("unknown plural form %q", name)
		}
		t.forms[form] = sentence
	}
	if t.usual = t.forms[plural.Other]; t.usual == "" {
		return fmt.Errorf("the form \"other\" is missing: %s", body)
	}
	delete(t.forms, plural.Other)
	return nil
}

// Get returns the sentence of a key. pairs are names of placeholders and their values; the
// value of n selects the plural form, and numbers have the separators of the language. A key that
// does not exist is returned itself; a test checks that the pages use no such key.
func (t *texts) Get(key string, pairs ...any) string {
	found, ok := t.all[key]
	if !ok {
		return key
	}
	sentence := found.usual
	for i := 0; i+1 < len(pairs) && len(found.forms) > 0; i += 2 {
		if n, ok := pairs[i+1].(int); ok && pairs[i] == "n" {
			sentence = cmp.Or(found.forms[plural.Cardinal.MatchPlural(t.tag, n, 0, 0, 0, 0)], sentence)
		}
	}
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(sentence, "{")
		b.WriteString(before)
		name, after, found := strings.Cut(rest, "}")
		if !found {
			return b.String()
		}
		b.WriteString(t.value(name, pairs))
		sentence = after
	}
}

func (t *texts) value(name string, pairs []any) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if n, ok := pairs[i+1].(int); ok && pairs[i] == name {
			return t.number(n)
		} else if pairs[i] == name {
			return fmt.Sprint(pairs[i+1])
		}
	}
	return "{" + name + "}"
}

// Has reports whether there is a sentence with this key.
func (t *texts) Has(key string) bool {
	_, ok := t.all[key]
	return ok
}

// number returns n with the separators of the language. Spanish has none in four digits.
func (t *texts) number(n int) string {
	if base, _ := t.tag.Base(); base.String() == "es" && -10_000 < n && n < 10_000 {
		return strconv.Itoa(n)
	}
	return t.numbers.Sprintf("%d", n)
}

// Size returns a size in bytes with its largest unit and the separators of the language, such
// as 23.4 MiB or 256 MiB.
func (t *texts) Size(bytes int64) string {
	size, unit := float64(bytes)/1024, 0
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	number, whole := strings.CutSuffix(strconv.FormatFloat(size, 'f', 1, 64), ".0")
	if !whole {
		number = t.numbers.Sprintf("%.1f", size)
	}
	return t.Get("size."+units[unit], "size", number)
}

// Cut returns the first n characters of a text, with an ellipsis if there are more.
func Cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// Quoted returns a name or an input as sentences quote it: the first 80 characters.
func Quoted(text string) string { return Cut(text, 80) }
