package bookmarks

import (
	"encoding/json"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// jsonObject are the values of an object that jsonKeys names.
type jsonObject map[string]any

// jsonKeys are the names of the values that are read. Others, such as the content of pages,
// are skipped.
var jsonKeys = func() map[string]bool {
	keys := map[string]bool{}
	for _, name := range strings.Fields(`
		url given_url uri link href content
		title name description excerpt extended annos note notes annotations highlights
		tags labels tag_names lists list folder collection id parentId root
		created_at createdAt created savedAt saved_at time date_added dateAdded time_added importDate
		updated_at updatedAt updated modifiedAt modified date_modified lastModified lastUpdate
		visibility is_private private shared public is_public isPublic
		is_archived archived isArchived state is_starred is_marked favorite favourite favourited important
		toread unread is_deleted deleted deleted_at
		thumbnail preview_picture imageURL cover image`) {
		keys[name] = true
	}
	return keys
}()

// text returns the first of the named values that is a text or a number and not empty.
func (o jsonObject) text(names ...string) string {
	for _, name := range names {
		switch value := o[name].(type) {
		case string:
			if strings.TrimSpace(value) != "" {
				return value
			}
		case json.Number:
			return value.String()
		}
	}
	return ""
}

// time returns the time of the first of the named values that is one, for the bookmark b.
func (o jsonObject) time(b *Bookmark, names ...string) waymark.Time {
	for _, name := range names {
		if t := parseTime(o.text(name)); t != 0 {
			return t
		}
	}
	return b.date(o.text(names...))
}

// is reports whether one of the named values is true, or means yes.
func (o jsonObject) is(names ...string) bool {
	for _, name := range names {
		switch value := o[name].(type) {
		case bool:
			if value {
				return true
			}
		case string, json.Number:
			if isTrue(o.text(name)) {
				return true
			}
		}
	}
	return false
}

// has reports whether one of the named values is there and not null.
func (o jsonObject) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return o[name] != nil })
}

// names returns the names in the value of a key: an array of texts or of objects with a name,
// or one text with separators.
func (o jsonObject) names(key, separator string) []string {
	var names []string
	switch value := o[key].(type) {
	case string:
		names = strings.Split(value, separator)
	case []any:
		for _, element := range value {
			switch element := element.(type) {
			case string:
				names = append(names, element)
			case json.Number:
				names = append(names, element.String())
			case map[string]any:
				names = append(names, jsonObject(element).text("name", "label", "title"))
			}
		}
	}
	return names
}

// folder returns the folder that an object describes.
func (o jsonObject) folder() jsonFolder {
	f := jsonFolder{
		name:   cleanLine(o.text("title", "name")),
		id:     o.text("id"),
		parent: o.text("parentId"),
		root:   o.text("root"),
		public: o.is("isPublic"),
	}
	// Firefox has the same root names in every language. The bookmarks get the folders that
	// they have in its HTML files, in which the menu is not a folder.
	switch f.root {
	case "placesRoot", "bookmarksMenuFolder", "tagsFolder":
		f.hidden = true
	case "toolbarFolder":
		f.name = "Bookmarks Toolbar"
	case "unfiledBookmarksFolder":
		f.name = "Other Bookmarks"
	case "mobileFolder":
		f.name = "Mobile Bookmarks"
	}
	return f
}

// content returns the object that has the URL of a bookmark of Karakeep.
func (o jsonObject) content() jsonObject {
	content, _ := o["content"].(map[string]any)
	return content
}

func (o jsonObject) url() string {
	if rawURL := o.text("url", "given_url", "uri", "link", "href"); rawURL != "" {
		return rawURL
	}
	return o.content().text("url")
}

// bookmark yields the bookmark that an object describes.
func (w *jsonWalk) bookmark(at place, o jsonObject, line int) error {
	b := Bookmark{
		Line:       line,
		URL:        cleanURL(o.url()),
		Visibility: o.visibility(at),
		Deleted:    at.deleted || o.is("is_deleted", "deleted", "deleted_at") || strings.EqualFold(o.text("state"), "deleted"),
		Thumbnail:  cleanThumbnail(o.text("thumbnail", "preview_picture", "imageURL", "cover", "image")),
	}
	b.CreatedAt = o.time(&b, "importDate", "created_at", "createdAt", "created", "savedAt", "saved_at", "time", "date_added", "dateAdded", "time_added")
	b.UpdatedAt = o.time(&b, "updated_at", "updatedAt", "updated", "modifiedAt", "modified", "date_modified", "lastModified", "lastUpdate")
	title, description, tagSeparator := o.text("title", "name"), o.text("description", "excerpt"), ","
	if o.has("extended") { // Pinboard
		title, description, tagSeparator = o.text("description"), o.text("extended"), " "
	}
	if b.CreatedAt == 0 {
		b.CreatedAt = b.UpdatedAt // the only date of Shiori until 2024
	}
	if annos, ok := o["annos"].([]any); ok && description == "" { // Firefox until 2018
		for _, anno := range annos {
			if anno, ok := anno.(map[string]any); ok && anno["name"] == "bookmarkProperties/description" {
				description = jsonObject(anno).text("value")
			}
		}
	}
	b.Title, b.Description = cleanLine(title), cleanText(description)
	switch {
	case b.URL == "" && at.kind == inTree: // an empty folder, a separator
		return nil
	case b.URL == "" && at.kind == inFile: // a file without bookmarks
		return nil
	case b.URL == "":
		if b.Title == "" {
			b.Title = cleanLine(o.content().text("text"))
		}
		return w.yield(Bookmark{}, noURL(line, "the bookmark %.200q has no URL", b.Title))
	}
	w.found = true
	for _, key := range []string{"tags", "labels", "tag_names"} {
		b.Tags = append(b.Tags, splitTags(strings.Join(o.names(key, tagSeparator), ","))...)
	}
	b.Tags = append(b.Tags, o.states()...)
	b.Notes = o.notes(&b)
	folders, ok := w.bookmarkFolders(at, o, &b)
	if !ok {
		return w.tooLong(o, line)
	}
	b.Folders = folders
	return w.yield(b, nil)
}

// bookmarkFolders returns the paths of the folders of a bookmark. Folders in Firefox's folder
// of tags become tags. It returns false if the paths are longer than Limits.Bookmark: a bookmark
// contains only the ids of lists, so a short bookmark can have many long paths.
func (w *jsonWalk) bookmarkFolders(at place, o jsonObject, b *Bookmark) (folders [][]string, ok bool) {
	if at.inTags {
		b.Tags = append(b.Tags, at.path...)
		return nil, true
	}
	if len(at.path) > 0 {
		folders = append(folders, at.path)
	}
	const overhead = 16 // of a name in memory
	left := w.limits.Bookmark
	for _, name := range o.names("lists", ",") {
		path := w.folders.path(name, w.limits)
		if name = cleanLine(name); name != "" && !w.folders.byID {
			path = []string{name}
		}
		for _, name := range path {
			left -= overhead + len(name)
		}
		if left < 0 {
			return nil, false
		}
		if len(path) > 0 {
			folders = append(folders, path)
		}
	}
	collection, _ := o["collection"].(map[string]any) // of Raindrop
	for _, name := range []string{o.text("list", "folder"), jsonObject(collection).text("title", "name")} {
		if path := splitPath(name, w.limits.Depth); len(path) > 0 {
			folders = append(folders, path)
		}
	}
	return folders, true
}

// visibility returns the visibility of an object, or that of its place if the object has none.
func (o jsonObject) visibility(at place) waymark.Visibility {
	if v := parseVisibility(o.text("visibility")); v != 0 {
		return v
	}
	switch {
	case o.has("is_private", "private"):
		if o.is("is_private", "private") {
			return waymark.Private
		}
		return waymark.Public
	case o.has("shared", "public", "is_public", "isPublic"):
		if o.is("shared", "public", "is_public", "isPublic") {
			return waymark.Public
		}
		return waymark.Private
	}
	return at.visible
}

// states returns the tags for states that Waymark does not have.
func (o jsonObject) states() []string {
	var tags []string
	if o.is("is_archived", "archived", "isArchived") || strings.EqualFold(o.text("state"), "archived") {
		tags = append(tags, TagArchived)
	}
	if o.is("is_starred", "is_marked", "favorite", "favourite", "favourited", "important") {
		tags = append(tags, TagFavorite)
	}
	if o.is("toread", "unread") {
		tags = append(tags, TagToRead)
	}
	return tags
}

// notes returns the notes of a bookmark: texts, objects with a text, and what was marked in a
// page with the comment about it.
func (o jsonObject) notes(b *Bookmark) []Note {
	var notes []Note
	add := func(n Note) {
		if n.Text = cleanText(n.Text); n.Text != "" {
			notes = append(notes, n)
		}
	}
	add(Note{Text: o.text("note")})
	for _, key := range []string{"notes", "annotations", "highlights"} {
		switch value := o[key].(type) {
		case string:
			add(Note{Text: value})
		case []any:
			for _, element := range value {
				switch element := element.(type) {
				case string:
					add(Note{Text: element})
				case map[string]any:
					note := jsonObject(element)
					text := note.text("text", "note", "annotation")
					if quote := note.text("quote"); quote != "" {
						text = "> " + strings.ReplaceAll(cleanText(quote), "\n", "\n> ") + "\n\n" + text
					}
					add(Note{text, parseVisibility(note.text("visibility")), note.time(b, "created_at", "createdAt", "created")})
				}
			}
		}
	}
	return notes
}

// firstByte returns the first byte that is not white space, or 0.
func firstByte(head []byte) byte {
	for _, c := range head {
		if c > ' ' {
			return c
		}
	}
	return 0
}

// isOwnJSON reports whether a file that begins with head was written by NewWriter. Bookmarks
// in it have the names of their lists.
func isOwnJSON(head []byte) bool { return hasFormat(head, "waymark-bookmarks") }

// hasFormat reports whether a file begins with an object whose first value is the name of a
// format.
func hasFormat(head []byte, format string) bool {
	var compact []byte
	for _, c := range head[:min(len(head), 200)] {
		if c > ' ' {
			compact = append(compact, c)
		}
	}
	return strings.HasPrefix(string(compact), `{"format":"`+format+`"`)
}
