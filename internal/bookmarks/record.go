package bookmarks

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"waymark/internal/waymark"
)

// record is one row of a table, or one JSON object.
type record struct {
	line    int
	values  map[string]any // string, json.Number, bool, []any, *record
	unused  []string       // names that are not known
	keys    []string       // names whose values are objects or true
	isTable bool
	isJSON  bool

	onlyCommas bool // other separators belong to names
}

// set sets the value of a name, if it has none.
func (r *record) set(name string, value any) {
	text, isText := value.(string)
	if isText && strings.TrimSpace(text) == "" {
		value = nil
	}
	key := knownName(name)
	if _, isObject := value.(*record); isObject || value == true {
		r.keys = append(r.keys, cleanLine(name))
	}
	if key == "" {
		if value != nil && value != false && !technicalNames[normalName(name)] {
			r.unused = append(r.unused, cleanLine(name))
		}
		return
	}
	if r.values == nil {
		r.values = map[string]any{}
	}
	if r.values[key] == nil {
		r.values[key] = value
	}
}

// text returns the first of the named values that is a text or a number.
func (r *record) text(names ...string) string {
	for _, name := range names {
		switch value := r.values[name].(type) {
		case string:
			return value
		case json.Number:
			return value.String()
		case []any:
			if text, isText := value[0].(string); isText && len(value) == 1 {
				return text
			}
		}
	}
	return ""
}

// present returns those of the names that have a value.
func (r *record) present(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return r.values[name] == nil })
}

// has reports whether one of the named values is not empty.
func (r *record) has(names ...string) bool {
	return len(r.present(names)) > 0
}

// mentions reports whether there is a value with one of the names, which can be empty.
func (r *record) mentions(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, found := r.values[name]; return found })
}

// is reports whether one of the named values is true, or means yes.
func (r *record) is(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		yes, _ := r.values[name].(bool)
		return yes || isTrue(r.text(name))
	})
}

// names returns the names in the named values: texts with separators, arrays of texts or of objects
// with a name, or the keys of an object, as in the API of Pocket.
func (r *record) names(names []string) []string {
	var all []string
	for _, name := range names {
		switch value := r.values[name].(type) {
		case string:
			all = append(all, r.split(value)...)
		case []any:
			all = append(all, elementNames(value, !r.isJSON)...)
		case *record:
			all = append(all, value.keys...)
		}
	}
	return all
}

// elementNames returns the names in an array. Anybox has arrays in it. Numbers are ids in JSON, and no names.
func elementNames(values []any, numbers bool) []string {
	var names []string
	for _, element := range values {
		switch element := element.(type) {
		case string:
			names = append(names, element)
		case json.Number:
			if numbers {
				names = append(names, element.String())
			}
		case *record:
			if name := element.text(slices.Concat(titleNames, []string{"label", "tag"})...); name != "" {
				names = append(names, name)
			}
		case []any:
			names = append(names, elementNames(element, numbers)...)
		}
	}
	return names
}

// quotedNames are the names in a text such as ['go', "it's"], as Python and JSON write lists.
var quotedNames = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`)

// hashTags are tags such as #go #web.
var hashTags = regexp.MustCompile(`^#[^\s#,;|]+(?:[\s,;]+#[^\s#,;|]+)*$`)

// bracketedNames are names such as [go, web], as YAML writes lists, or {go,web}, as PostgreSQL does.
var bracketedNames = regexp.MustCompile(`^[\[{]([^\[\]{}]*,[^\[\]{}]*)[\]}]$`)

// quotedWords is a name in quotation marks between others with spaces, such as go "two words".
var quotedWords = regexp.MustCompile(`(?:^|\s)"[^",;|]+"(?:\s|$)`)

// split returns the names in a text. Programs separate them by commas, Pocket by vertical bars, Matter
// by semicolons, Pinboard by spaces; Instapaper and Readwise write a list in brackets.
func (r *record) split(value string) []string {
	value = strings.TrimSpace(value)
	if r.onlyCommas || r.mentions("visibility") { // Waymark's own names can have the other separators
		return splitQuoted(value)
	}
	if strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") {
		var names []string
		if json.Unmarshal([]byte(value), &names) == nil {
			return names
		}
		for _, match := range quotedNames.FindAllStringSubmatch(value, -1) {
			names = append(names, strings.ReplaceAll(match[1]+match[2], `\`, ""))
		}
		if len(names) > 0 {
			return names
		}
	}
	value = bracketedNames.ReplaceAllString(value, "$1")
	switch {
	case hashTags.MatchString(value):
		return strings.FieldsFunc(value, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("#,;", c) })
	case r.mentions("extended"):
		return strings.Fields(value)
	case value == "no_tag": // of Diigo
		return nil
	case strings.Contains(value, ","):
		return splitQuoted(value)
	case quotedWords.MatchString(value), r.isTable && r.mentions("comments") && r.mentions("annotations"): // Diigo
		return splitRow(value, ' ')
	}
	return strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune("|;、，\n", c) })
}

// url returns the URL of the bookmark, "" for none.
func (r *record) url() string {
	if source := r.text("sourceurl"); source != "" && strings.HasPrefix(r.text("url"), readwiseURL) {
		return source
	}
	return r.text(urlNames...)
}

// readwiseURL begins the URLs at which Readwise shows documents, in its API.
const readwiseURL = "https://read.readwise.io/"

// bookmark returns the bookmark of a record, without its lists.
func (r *record) bookmark(limits Limits) Bookmark {
	if r.mentions(foreignNames...) {
		r.forgetForeign()
	}
	b := Bookmark{
		Line:       r.line,
		URL:        cleanURL(r.url()),
		Visibility: r.visibility(),
		Deleted:    r.is(deletedNames...) || r.inState(deletedStates...),
		ImageURL:   cleanImageURL(r.text(imageNames...)),
	}
	title, description := r.text(titleNames...), r.text(descriptionNames...)
	switch {
	case r.mentions("extended"): // Pinboard
		title, description = r.text("description"), r.text("extended")
	case r.has("fulltext"): // of X, where the name is that of the author
		title = r.text("fulltext")
	case title == "" && r.text("text") != r.url():
		title = r.text("text")
	}
	if description == "" {
		description = r.annotation()
	}
	b.Title, b.Description = cleanLine(title), cleanText(description)
	b.CreatedAt, b.UpdatedAt = r.time(&b, createdNames), r.time(&b, updatedNames)
	if b.CreatedAt == 0 && !r.isTable || r.mentions("lastinteractiondate") {
		b.CreatedAt = b.UpdatedAt // the only date of Matter, and of Shiori until 2024
	}
	b.Tags = splitTags(strings.Join(r.names(tagNames), ","))
	b.Flags = r.flags()
	b.readReaderTags()
	b.Notes = r.notes(&b)
	r.addUnused(b.URL)
	isRaindrop := r.mentions("excerpt") && r.mentions("cover")
	for _, name := range pathNames {
		for _, path := range elementNames([]any{r.values[name]}, r.isTable) {
			switch flag, ok := flagFolders[path]; {
			case ok && r.mentions("selection"):
				b.setFlag(flag, true)
			case isRaindrop && path == unsorted:
			default:
				if names := splitPath(path, limits.Depth); len(names) > 0 {
					b.Folders = append(b.Folders, names)
				}
			}
		}
	}
	return b
}

// unsorted is the folder in files of Raindrop with what is in no collection.
const unsorted = "Unsorted"

// forgetForeign removes what a repository or a post says about itself, and not about the bookmark: who can see it, whether it is
// archived, and its dates, except when the user marked it.
func (r *record) forgetForeign() {
	for _, name := range slices.Concat(privateNames, publicNames, archivedNames, createdNames, updatedNames, []string{"visibility"}) {
		if name != "starredat" {
			delete(r.values, name)
		}
	}
}

// readReaderTags replaces the tags that feed readers write as paths: user/-/label/go and user/-/state/com.google/starred.
func (b *Bookmark) readReaderTags() {
	var tags []string
	for _, tag := range b.Tags {
		parts := strings.SplitN(tag, "/", 4)
		switch {
		case len(parts) < 4 || parts[0] != "user":
			tags = append(tags, tag)
		case parts[2] == "label" || parts[2] == "tag":
			tags = append(tags, strings.Join(parts[3:], "/"))
		case parts[2] == "state" && strings.HasSuffix(parts[3], "/starred"):
			b.setFlag(waymark.FlagFavorite, true)
		case parts[2] != "state":
			tags = append(tags, tag)
		}
	}
	b.Tags = tags
}

// addUnused adds the names of other URLs.
func (r *record) addUnused(rawURL string) {
	for _, name := range r.present(urlNames) {
		if other := cleanURL(r.text(name)); isWebURL(other) && other != rawURL {
			r.unused = append(r.unused, name)
		}
	}
}

// time returns the time of the first of the named values that is one.
func (r *record) time(b *Bookmark, names []string) waymark.Time {
	for _, name := range names {
		t := parseTime(r.text(name))
		if _, isNumber := r.values[name].(json.Number); isNumber && t < before2000 && t > 0 {
			t += appleEpoch
		}
		if t != 0 {
			return t
		}
	}
	return b.date(r.text(names...))
}

// visibility returns the visibility, 0 if the record says nothing about it.
func (r *record) visibility() waymark.Visibility {
	if v := parseVisibility(r.text("visibility")); v != 0 {
		return v
	}
	isPrivate := r.is(privateNames...)
	switch {
	case r.has(privateNames...):
	case r.has(publicNames...):
		isPrivate = !r.is(publicNames...)
	default:
		return 0
	}
	if isPrivate {
		return waymark.Private
	}
	return waymark.Public
}

// inState reports whether the state has one of the names.
func (r *record) inState(names ...string) bool {
	return slices.ContainsFunc(stateNames, func(name string) bool { return slices.Contains(names, strings.ToLower(r.text(name))) })
}

// flags returns the flags that the record has.
func (r *record) flags() (flags waymark.FlagsInput) {
	set := func(flag waymark.LinkFlag, names []string, inState bool) {
		if r.mentions(names...) || inState {
			*flags.Of(flag) = new(r.is(names...) || inState)
		}
	}
	leftQueue := r.has("inqueue") && !r.is("inqueue") // of Matter
	if r.mentions(readNames...) {
		flags.Unread = new(!r.is(readNames...) && !leftQueue)
	}
	set(waymark.FlagUnread, unreadNames, r.inState("unread"))
	set(waymark.FlagArchived, archivedNames, r.inState(archivedStates...) || leftQueue)
	set(waymark.FlagFavorite, favoriteNames, false)
	return flags
}

// flagFolders are the flags of the folders of Instapaper and Pocket that are none.
var flagFolders = map[string]waymark.LinkFlag{
	"Unread": waymark.FlagUnread, "Archive": waymark.FlagArchived, "Read Archive": waymark.FlagArchived, "Starred": waymark.FlagFavorite,
}

// annotation returns the description in a JSON file of Firefox until 2018.
func (r *record) annotation() string {
	annotations, _ := r.values["annos"].([]any)
	for _, element := range annotations {
		if anno, ok := element.(*record); ok && anno.text("name") == "bookmarkProperties/description" {
			return anno.text("value")
		}
	}
	return ""
}

// highlightStart is before each text that was marked, in a CSV file of Raindrop.
var highlightStart = regexp.MustCompile(`(?m)^Highlight:`)

// notes returns the notes of a bookmark: texts, objects with a text, and what was marked in a page
// with the comment about it.
func (r *record) notes(b *Bookmark) []Note {
	var notes []Note
	add := func(n Note) {
		if n.Quote, n.Text = cleanText(n.Quote), cleanText(n.Text); n.Quote+n.Text != "" {
			notes = append(notes, n)
		}
	}
	for _, name := range noteNames {
		elements, isArray := r.values[name].([]any)
		if !isArray {
			elements = []any{r.values[name]}
		}
		for _, element := range elements {
			switch element := element.(type) {
			case string:
				switch {
				case name == "highlight": // of Readwise, with the column Note
					comment := r.text("note")
					notes = slices.DeleteFunc(notes, func(n Note) bool { return n.Text == cleanText(comment) })
					add(Note{Quote: element, Text: comment})
				case strings.HasPrefix(element, "Highlight:"): // of Raindrop
					for _, marked := range highlightStart.Split(element, -1) {
						quote, comment, _ := strings.Cut(marked, "\nNote:")
						add(Note{Quote: quote, Text: comment})
					}
				case r.isTable:
					notes = append(notes, splitCSVNotes(cleanText(element))...)
				default:
					add(Note{Text: element})
				}
			case json.Number:
				add(Note{Text: element.String()})
			case *record:
				quote, text, marked := element.text("quote"), element.text("note", "annotation", "comment"), element.text("text", "content")
				isMarked := strings.HasPrefix(name, "highlight") || strings.HasPrefix(name, "annotation")
				switch {
				case quote == "" && (text != "" || isMarked):
					quote = marked
				case text == "":
					text = marked
				}
				add(Note{quote, text, element.visibility(), element.time(b, createdNames)})
			}
		}
	}
	return notes
}
