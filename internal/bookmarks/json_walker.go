package bookmarks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// jsonWalker finds the bookmarks in values of JSON. An object with a URL is a bookmark; its fields can be in objects in it. What
// contains bookmarks is a folder if it has a name.
type jsonWalker struct {
	limits Limits
	yield  yieldFunc
	found  bool                // the file has a bookmark, or a place for some
	lists  map[string]jsonList // to which bookmarks or folders refer, by id
	unused unusedNames
	line   int // of the last bookmark
	count  int // of the bookmarks
}

func newJSONWalker(in input, yield yieldFunc) *jsonWalker {
	return &jsonWalker{limits: in.limits, yield: yield, lists: map[string]jsonList{}, line: 1}
}

// maxLists is the maximum number of lists with ids in a file.
const maxLists = 20_000

var errTooManyLists = fmt.Errorf("the file has more than %d lists", maxLists)

// jsonList is a list with an id, in an array beside that of the bookmarks.
type jsonList struct{ name, parentID string }

// jsonPlace is what a value gets from the values around it.
type jsonPlace struct {
	path    []string
	key     string // of the member that is the value, or the array with it
	isTop   bool   // the value is all of the file
	isArray bool   // the value is in an array
	inRoots bool   // the value is one of Chrome's trees
	tags    bool   // the folders in it are tags
	deleted bool
	public  waymark.Visibility
}

// keyName returns the key as normalName does.
func (p jsonPlace) keyName() string { return normalName(p.key) }

// The names of members.
var (
	pageNames     = nameSet("url uri href canonical alternate")
	wrapperNames  = nameSet("url uri href canonical alternate content bookmark link node data attributes item tab repo repository uridictionary readinglist")
	bookmarkNames = nameSet("children bookmarks items tabs entries cards urls")
	pagingNames   = nameSet("next previous prev first last self nextpage nextlink schema")
	// mediaNames are the names of parts of a page, such as a video in several sizes, and of settings.
	mediaNames = nameSet("media mediaattachments extendedentities videoinfo variants enclosure enclosures thumbnails rsssubscriptions sync")
	// partNames are the names of arrays whose elements need no URL: folders and bookmarks, and the parts of a message of Telegram.
	partNames = nameSet("children text textentities")
	// listKeys are the names of arrays of lists that have ids.
	listKeys = nameSet("lists collections folders")
)

// browserNames are the names that the HTML files of Firefox and Safari have for the folders of every profile, by the titles in
// other files. The menu of Firefox is not a folder in HTML. Its older JSON files have the titles that people see, in their
// language: those are kept.
var browserNames = map[string]string{
	"toolbar": "Bookmarks Toolbar", "unfiled": "Other Bookmarks", "mobile": "Mobile Bookmarks",
	"BookmarksBar": "Favourites", "BookmarksMenu": "Bookmarks Menu", "com.apple.ReadingList": "Reading List",
}

// root yields the bookmarks of a file.
func (w *jsonWalker) root(root any, line int) error {
	v := jsonValue{line: line, value: root}
	if w.findLists(v, ""); len(w.lists) > maxLists {
		return errTooManyLists
	}
	return w.value(v, jsonPlace{isTop: true})
}

// element yields the bookmarks in an element of an array around everything, or under a key in the object around everything.
func (w *jsonWalker) element(v jsonValue, key string) error {
	if w.findLists(jsonValue{value: []jsonValue{v}}, key); len(w.lists) > maxLists {
		return errTooManyLists
	}
	in := jsonPlace{key: key}
	return w.elements([]jsonValue{v}, in, true)
}

// end yields the lists, and reports which keys were not used.
func (w *jsonWalker) end() error {
	for _, id := range slices.Sorted(maps.Keys(w.lists)) {
		if err := w.folder(w.line, w.listPath(id), false); err != nil {
			return err
		}
	}
	return w.unused.report(w.line, w.yield)
}

// folder yields a folder.
func (w *jsonWalker) folder(line int, path []string, ordered bool) error {
	if len(path) == 0 {
		return nil
	}
	return w.yield(Bookmark{Line: line, Folders: [][]string{path}, Ordered: ordered}, nil)
}

// findLists finds the lists with ids in a value, which is not a bookmark. A list that is a search has no name.
func (w *jsonWalker) findLists(v jsonValue, key string) {
	switch value := v.value.(type) {
	case []jsonValue:
		for _, element := range value {
			o, isObject := element.value.(*jsonObject)
			isFolder := isObject && o.has("childrenIds") && newJSONItem(o, jsonPlace{isArray: true}).record.url() == "" // of Arc
			if isObject && listKeys[normalName(key)] || isFolder {
				r := newJSONRecord(o.line, o.members, 0)
				if id := r.text("id"); id != "" && r.text("type") != "smart" {
					w.lists[id] = jsonList{cutFolderName(cleanLine(r.text(titleNames...))), r.text(parentNames...)}
				}
			}
			w.findLists(element, "")
		}
	case *jsonObject:
		for _, m := range value.members {
			if slices.Contains(urlNames, knownName(m.key)) {
				return
			}
		}
		for _, m := range value.members {
			w.findLists(m, m.key)
		}
	}
}

// listPath returns the names of a list and of the lists around it, the outermost first. It stops at
// Limits.Depth lists, also because lists can contain each other.
func (w *jsonWalker) listPath(id string) []string {
	var path []string
	for range w.limits.Depth {
		list, found := w.lists[id]
		if !found {
			break
		}
		if list.name != "" {
			path = append(path, list.name)
		}
		id = list.parentID
	}
	slices.Reverse(path)
	return path
}

// value yields the bookmarks in a value.
func (w *jsonWalker) value(v jsonValue, in jsonPlace) error {
	switch value := v.value.(type) {
	case *jsonObject:
		return w.object(newJSONItem(value, in), in, false)
	case []jsonValue:
		w.found = w.found || in.isTop || topNames[in.keyName()] // it can be empty
		return w.elements(value, in, false)
	}
	return nil
}

// jsonItem is an object with the values of those in it that contain a part of it.
type jsonItem struct {
	*jsonObject
	members []jsonValue
	hasURL  bool // one of the members is a URL
	record  *record
}

func newJSONItem(o *jsonObject, in jsonPlace) jsonItem {
	item := jsonItem{jsonObject: o}
	item.members = o.members
	if !in.isTop && !slices.Contains(tagNames, in.keyName()) {
		item.members = nil
		item.unwrap(o.members)
	}
	item.record = newJSONRecord(o.line, item.members, 0)
	text := item.record.text("text", "content")
	switch {
	case item.record.url() != "":
	case isWebURL(in.key) && !in.isArray:
		item.record.set("url", in.key)
	case isWebURL(text) && !strings.ContainsAny(text, " \n"): // of Telegram
		item.record.set("url", text)
	}
	return item
}

// add adds a member.
func (o *jsonItem) add(m jsonValue) {
	text, _ := m.value.(string)
	o.hasURL = o.hasURL || text != "" && slices.Contains(urlNames, knownName(m.key))
	o.members = append(o.members, m)
}

// unwrap adds members, and those of the objects among them that contain a part of a bookmark.
func (o *jsonItem) unwrap(members []jsonValue) {
	for _, m := range members {
		name := normalName(m.key)
		object, _ := m.value.(*jsonObject)
		elements, _ := m.value.([]jsonValue)
		switch {
		case o.hasURL || !wrapperNames[name] || object == nil && (elements == nil || !pageNames[name]):
			o.add(m)
		case object != nil:
			o.unwrap(object.members)
		}
		if o.hasURL || !pageNames[name] {
			continue
		}
		for _, element := range elements {
			switch page := element.value.(type) {
			case *jsonObject:
				o.unwrap(page.members)
			case string:
				o.add(jsonValue{element.line, "url", page})
			}
		}
	}
}

// hasAny reports whether a member with one of the names is an array or an object that is not empty.
func (o jsonItem) hasAny(names map[string]bool) bool {
	return slices.ContainsFunc(o.members, func(m jsonValue) bool {
		elements, isArray := m.value.([]jsonValue)
		return names[normalName(m.key)] && m.isContainer() && (!isArray || len(elements) > 0)
	})
}

// topNames are the names of members with the bookmarks of a file, whose URL is that of an API.
var topNames = nameSet("bookmarks items results data posts")

// isBookmark reports whether an object is a bookmark.
func (o jsonItem) isBookmark(in jsonPlace) bool {
	return o.record.url() != "" && (!in.isTop || !o.hasAny(topNames))
}

// elements yields the bookmarks in elements of an array. In an array with bookmarks, objects without a URL are errors. Texts with
// URLs are bookmarks. isTop says that the array is around everything.
func (w *jsonWalker) elements(values []jsonValue, in jsonPlace, isTop bool) error {
	in.isArray, in.isTop = true, false
	haveBookmarks := isTop || slices.ContainsFunc(values, func(v jsonValue) bool {
		o, isObject := v.value.(*jsonObject)
		return isObject && newJSONItem(o, in).isBookmark(in)
	})
	for _, v := range values {
		var err error
		switch value := v.value.(type) {
		case *jsonObject:
			err = w.object(newJSONItem(value, in), in, haveBookmarks)
		case []jsonValue:
			err = w.value(v, in)
		case string:
			links := linksOf(v.line, value)
			if len(links) == 0 && isTop {
				w.unused.add(cleanLine(value))
			}
			for _, b := range links {
				err = cmp.Or(err, w.add(b, in))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withoutURL reports an object in an array that seems to be a bookmark.
func (w *jsonWalker) withoutURL(o jsonItem, in jsonPlace, haveBookmarks bool) error {
	r := o.record
	title, kind := cmp.Or(r.bookmark(w.limits).Title, cleanLine(r.text("text"))), strings.ToLower(r.text("type"))
	isFolder := o.has("children") || o.has("childrenIds") || strings.Contains(kind, "folder") || strings.Contains(kind, "container") || strings.Contains(kind, "separator")
	if isFolder || !haveBookmarks || partNames[in.keyName()] || title == "" && !r.mentions(urlNames...) {
		return nil
	}
	return w.yield(Bookmark{}, noURL(o.line, "the bookmark %.200q has no URL", title))
}

// links returns the members that are URLs under names that are not known, or have a URL as name, and the number of the other
// members that are no objects or arrays.
func (o jsonItem) links() (links []Bookmark, others int) {
	for _, m := range o.members {
		text, _ := m.value.(string)
		_, isArray := m.value.([]jsonValue)
		rawURL, title, name := text, m.key, normalName(m.key)
		if isWebURL(m.key) {
			rawURL, title = m.key, text
		}
		switch {
		case m.isContainer() && (!isArray || rawURL != m.key):
		case isWebURL(rawURL) && !knownNames[name] && !pagingNames[name] && !technicalNames[name]:
			links = append(links, Bookmark{Line: m.line, URL: cleanURL(rawURL), Title: cleanLine(title)})
		default:
			others++
		}
	}
	return links, others
}

// object yields the bookmark that an object is, or those in it. amongBookmarks says that the object is in an array with bookmarks.
func (w *jsonWalker) object(o jsonItem, in jsonPlace, amongBookmarks bool) error {
	if o.isBookmark(in) {
		return w.bookmark(o, in)
	}
	around, before, r := in, w.count, o.record
	if !in.isTop {
		in = w.describe(r, in)
	}
	if err := w.members(o, in, func(jsonValue) bool { return true }); err != nil {
		return err
	}
	links, others := o.links()
	for _, b := range links {
		var err error
		switch {
		case others == 0: // {"A title": "https://example.com/"}
			err = w.add(b, in)
		case !around.isTop:
			err = w.yield(Bookmark{}, noURL(b.Line, "the URL under %.200q is not read: it is no name that Waymark knows", b.Title))
		}
		if err != nil {
			return err
		}
	}
	switch kind := r.text("type"); {
	case w.count > before:
		w.unused.add(r.present(tagNames)...) // of a folder
		return nil
	case len(links) > 0:
		w.unused.add(r.unused...)
		return nil
	case (kind == "folder" || kind == "text/x-moz-place-container") && r.text(titleNames...) != "" && !r.has("root") && !in.inRoots && !in.tags && !in.deleted:
		w.found = true
		return w.folder(o.line, in.path, true)
	case !around.isArray:
		return nil
	}
	return w.withoutURL(o, around, amongBookmarks)
}

// describe returns the place in an object, with what it says about the folder that it is.
func (w *jsonWalker) describe(r *record, in jsonPlace) jsonPlace {
	root, name := r.text("root"), cutFolderName(cleanLine(r.text(titleNames...)))
	tags := root == "tagsFolder"
	switch {
	case root == "placesRoot", root == "bookmarksMenuFolder" && name == "menu", tags, in.keyName() == "other" && in.inRoots:
		name = "" // as in the HTML of Firefox and Chrome
	case (root != "" || r.has("webbookmarktype")) && browserNames[name] != "":
		name = browserNames[name]
	}
	in.tags = in.tags || tags
	in.public = cmp.Or(r.visibility(), in.public)
	if path := w.listPath(r.text(parentNames...)); len(path) > 0 {
		in.path = path
	}
	if name != "" && len(in.path) < w.limits.Depth {
		in.path = append(slices.Clip(in.path), name)
	}
	return in
}

// members yields the bookmarks in the members of an object.
func (w *jsonWalker) members(o jsonItem, in jsonPlace, areRead func(jsonValue) bool) error {
	hasData := o.has("data")
	for _, m := range o.members {
		isPaging := m.key == "_links" || hasData && (m.key == "links" || m.key == "meta")
		if !m.isContainer() || isPaging || mediaNames[normalName(m.key)] || !areRead(m) {
			continue
		}
		place := in
		place.key, place.isTop, place.isArray = m.key, false, false
		place.inRoots = in.keyName() == "roots" || in.keyName() == "customroot" // of Opera
		place.deleted = in.deleted || place.inRoots && m.key == "trash"         // of Vivaldi and Opera
		if err := w.value(m, place); err != nil {
			return err
		}
	}
	return nil
}

// bookmark yields a bookmark, and those that are more than links of its page.
func (w *jsonWalker) bookmark(o jsonItem, in jsonPlace) error {
	r := o.record
	b := r.bookmark(w.limits)
	w.unused.add(r.unused...)
	if in.keyName() == "pinnedlinks" { // of Linkwarden
		b.setFlag(waymark.FlagFavorite, true)
	}
	b.Folders = append(w.listPaths(r, in), b.Folders...)
	if err := w.add(b, in); err != nil {
		return err
	}
	return w.members(o, in, func(m jsonValue) bool { return bookmarkNames[normalName(m.key)] })
}

// listPaths returns the paths of the lists to which a bookmark refers.
func (w *jsonWalker) listPaths(r *record, in jsonPlace) (paths [][]string) {
	if path := w.listPath(r.text(parentNames...)); len(path) > 0 && !slices.Equal(path, in.path) {
		paths = append(paths, path)
	}
	seen := map[string]bool{} // a short file could repeat the id of a list with a long path
	for _, name := range r.names(listNames) {
		path := w.listPath(name)
		if len(w.lists) == 0 {
			path = splitListPath(name, w.limits.Depth)
		}
		if len(path) > 0 && (!seen[name] || len(w.lists) == 0) {
			paths = append(paths, path)
		}
		seen[name] = true
	}
	return paths
}

// add yields a bookmark with what it gets from its place.
func (w *jsonWalker) add(b Bookmark, in jsonPlace) error {
	w.found, w.line = true, b.Line
	w.count++
	b.Deleted = b.Deleted || in.deleted
	b.Visibility = cmp.Or(b.Visibility, in.public)
	switch {
	case in.tags:
		b.Tags = append(b.Tags, in.path...)
	case len(in.path) > 0:
		b.Folders, b.Ordered = append([][]string{in.path}, b.Folders...), len(w.lists) == 0
	}
	return w.yield(b, nil)
}
