package bookmarks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// jsonItem is a bookmark, or the error of one, that waits for the names of its folders.
type jsonItem struct {
	bookmark Bookmark
	lists    []string // ids or names
	parentID string   // of a list, "" for none
	in       *jsonFolder
	size     int   // of the texts, in bytes
	position int64 // see Reader.Position

	err     *RowError // in place of a bookmark
	unclear bool      // err is only one if the array has bookmarks
}

// jsonQueue keeps the bookmarks whose folders are not known yet.
type jsonQueue struct {
	limits Limits
	yield  yieldFunc
	source *source
	found  bool // the file has a bookmark, or a place for some
	unused unusedNames

	items   []jsonItem
	flushed int // the number of items before items
	memory  int // of items, in bytes

	lists      map[string]*jsonFolder // that bookmarks or folders refer to, by id
	listMemory int

	line    int // of the last item
	tooDeep bool
	late    bool // folders without a name were reported
}

// mark returns the position of the next item.
func (q *jsonQueue) mark() int { return q.flushed + len(q.items) }

// since returns the index of the first item after a mark.
func (q *jsonQueue) since(mark int) int { return max(0, mark-q.flushed) }

// add adds items.
func (q *jsonQueue) add(items ...jsonItem) error {
	for _, item := range items {
		q.found = q.found || item.err == nil
		item.position = q.source.n
		q.items = append(q.items, item)
		if err := q.grow(item.size); err != nil {
			return err
		}
	}
	return nil
}

// grow counts the memory of an item. If there are too many, the names of their folders that are not
// known yet are lost.
func (q *jsonQueue) grow(size int) error {
	const overhead = 512 // of an item in memory, about
	limit := 16 * q.limits.Bookmark
	if q.memory += overhead + size; q.memory <= limit {
		return nil
	}
	if err := q.flush(); err != nil || q.late {
		return err
	}
	q.late = true
	lost := tooDeep(q.line, q.limits.Depth)
	lost.Err = fmt.Errorf("names of folders that follow more than %d bytes of bookmarks are not read", limit)
	return q.yield(Bookmark{}, lost)
}

// settle decides whether objects without a URL after a mark are bookmarks.
func (q *jsonQueue) settle(mark int, areBookmarks bool) {
	start := q.since(mark)
	rest := q.items[start:]
	for i := range rest {
		rest[i].unclear = rest[i].unclear && !areBookmarks
	}
	q.items = append(q.items[:start], slices.DeleteFunc(rest, func(item jsonItem) bool { return item.unclear })...)
}

// addTexts gives the only bookmark of an array its title, as in ["A title", "https://example.com/"]. Other texts beside
// URLs are not used.
func (q *jsonQueue) addTexts(mark int, values []any) {
	items := q.items[q.since(mark):]
	for _, value := range values {
		text, isText := value.(string)
		switch {
		case !isText || nextURL(text) >= 0:
		case len(items) == 1 && items[0].bookmark.Title == "":
			items[0].bookmark.Title = cleanLine(text)
		default:
			q.unused.add(cleanLine(text))
		}
	}
}

// addWithoutURL adds the error of an element of an array if it seems to be a bookmark.
func (q *jsonQueue) addWithoutURL(r *record, in *jsonFolder) error {
	title := cmp.Or(r.bookmark(q.limits).Title, cleanLine(r.text("text")))
	kind := strings.ToLower(r.text("type"))
	isFolder := r.isFolder || strings.Contains(kind, "folder") || strings.Contains(kind, "container") || strings.Contains(kind, "separator")
	if isFolder || in.parent.key == "children" || title == "" && !r.mentions(urlNames...) {
		return nil
	}
	err := noURL(r.line, "the bookmark %.200q has no URL", title)
	return q.add(jsonItem{bookmark: Bookmark{Line: r.line}, in: in, err: err, unclear: true})
}

// strongNames are the members of a bookmark in which bookmarks are more than links of its page.
var strongNames = nameSet("children bookmarks items tabs entries cards urls")

// jsonObject is an object that is being read.
type jsonObject struct {
	record *record
	folder *jsonFolder
	start  int        // where its bookmarks begin in the queue
	links  []jsonItem // of members that are URLs
	others int        // the number of other members that are no objects or arrays
}

// addBookmark adds the bookmark that an object describes. Links of its page are no bookmarks.
func (q *jsonQueue) addBookmark(o *jsonObject, fits bool) error {
	q.found = true
	start := q.since(o.start)
	q.items = append(q.items[:start], slices.DeleteFunc(q.items[start:], func(item jsonItem) bool {
		member := item.in
		for member.parent != o.folder {
			member = member.parent
		}
		return !strongNames[member.key]
	})...)
	r, in := o.record, o.folder.parent
	if in.key != "" {
		in.name = "" // the key of one bookmark is not a folder
	}
	item := jsonItem{in: in, bookmark: r.bookmark(q.limits), lists: r.names(listNames), parentID: r.text(parentNames...)}
	if in.parent != nil && in.parent.key == "pinnedlinks" { // of Linkwarden
		item.bookmark.setFlag(waymark.FlagFavorite, true)
	}
	for _, text := range item.bookmark.texts() {
		item.size += len(text)
	}
	item.position = q.source.n
	q.unused.add(r.unused...)
	if !fits {
		item.err = bookmarkTooLong(&item.bookmark, q.limits)
	}
	q.items = slices.Insert(q.items, start, item)
	return q.grow(item.size)
}

// isEmptyFolder reports whether an object without bookmarks is a folder of Chrome or Firefox, and not one of every
// profile.
func (o *jsonObject) isEmptyFolder() bool {
	kind := o.record.text("type")
	return o.folder.name != "" && (kind == "folder" || kind == "text/x-moz-place-container") && !o.record.has("root") && !o.folder.parent.inRoots()
}

// addFolder yields a folder.
func (q *jsonQueue) addFolder(line int, path []string, ordered bool) error {
	if len(path) == 0 {
		return nil
	}
	return q.yield(Bookmark{Line: line, Folders: [][]string{path}, Ordered: ordered}, nil)
}

// addList remembers a list that bookmarks can refer to.
func (q *jsonQueue) addList(f *jsonFolder) error {
	const overhead = 128 // of a folder in memory, about
	array := f.parent
	if f.id == "" || f.smart || array.parent == nil || !listKeys[array.parent.key] {
		return nil
	}
	q.lists[f.id] = f
	q.listMemory += overhead + len(f.name) + len(f.id) + len(f.parentID)
	if limit := 16 * q.limits.Value; q.listMemory > limit {
		return fmt.Errorf("the lists of the file need more than %d bytes", limit)
	}
	return nil
}

// listKeys are the names of arrays of lists that have ids.
var listKeys = nameSet("lists collections folders")

// listPath returns the names of a list and of the lists around it, the outermost first. It stops at
// Limits.Depth lists, also because lists can contain each other.
func (q *jsonQueue) listPath(id string) []string {
	var path []string
	for range q.limits.Depth {
		list, found := q.lists[id]
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

// path returns what bookmarks get from a folder and those around it.
func (q *jsonQueue) path(f *jsonFolder) *jsonPath {
	if f.path != nil {
		return f.path
	}
	p := jsonPath{}
	if f.parent != nil {
		p = *q.path(f.parent)
		p.deleted = p.deleted || f.key == "trash" && f.inRoots() // of Vivaldi
	}
	if f.public != 0 {
		p.public = f.public
	}
	if path := q.listPath(f.parentID); len(path) > 0 {
		p.names = path
	}
	p.tags = p.tags || f.tags
	switch {
	case f.name == "":
	case len(p.names) < q.limits.Depth:
		p.names = append(slices.Clip(p.names), f.name)
	default:
		p.tooDeep = true
	}
	f.path = &p
	return f.path
}

// flush yields the items.
func (q *jsonQueue) flush() error {
	items := q.items
	q.flushed += len(items)
	q.items, q.memory = nil, 0
	for _, item := range items {
		if item.unclear {
			continue
		}
		q.line, q.source.yielded = item.bookmark.Line, item.position
		path := q.path(item.in)
		if path.tooDeep && !q.tooDeep {
			q.tooDeep = true
			if err := q.yield(Bookmark{}, tooDeep(q.line, q.limits.Depth)); err != nil {
				return err
			}
		}
		if item.bookmark.IsFolder() && item.err == nil {
			if path.tags || path.deleted {
				continue
			}
			if err := q.addFolder(item.bookmark.Line, path.names, true); err != nil {
				return err
			}
			continue
		}
		b := item.bookmark
		b.Ordered = len(q.lists) == 0 && len(path.names) > 0
		if item.err == nil && !q.addFolders(&b, path, item) {
			item.err = bookmarkTooLong(&b, q.limits)
		}
		var err error
		if item.err != nil {
			err = q.yield(Bookmark{}, item.err)
		} else {
			err = q.yield(b, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addFolders adds the folders of a bookmark. It returns false if their names are longer than
// Limits.Bookmark: a bookmark contains only the ids of lists, so a short one can have many long paths.
func (q *jsonQueue) addFolders(b *Bookmark, path *jsonPath, item jsonItem) bool {
	b.Deleted = b.Deleted || path.deleted
	b.Visibility = cmp.Or(b.Visibility, path.public)
	if path.tags {
		b.Tags = append(b.Tags, path.names...)
		return true
	}
	paths := [][]string{path.names}
	if list := q.listPath(item.parentID); !slices.Equal(list, path.names) {
		paths = append(paths, list)
	}
	const overhead = 16 // of a name in memory
	left := q.limits.Bookmark
	for _, name := range item.lists {
		list := q.listPath(name)
		if len(q.lists) == 0 {
			list = splitListPath(name, q.limits.Depth)
		}
		for _, name := range list {
			left -= overhead + len(name)
		}
		if left < 0 {
			return false
		}
		paths = append(paths, list)
	}
	paths = append(paths, b.Folders...)
	b.Folders = nil
	for _, path := range paths {
		if len(path) > 0 && path[0] != "" {
			b.Folders = append(b.Folders, path)
		}
	}
	return true
}

// end yields what is left, and which keys were not used.
func (q *jsonQueue) end() error {
	if err := q.flush(); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(q.lists)) {
		if err := q.addFolder(max(q.line, 1), q.listPath(id), false); err != nil {
			return err
		}
	}
	return q.unused.report(max(q.line, 1), q.yield)
}

// bookmarkTooLong returns the error of a bookmark that is longer than Limits.Bookmark.
func bookmarkTooLong(b *Bookmark, limits Limits) *RowError {
	return rowTooLong(b.Line, limits.Bookmark, fmt.Sprintf("the bookmark %.200q", cmp.Or(b.Title, b.URL)))
}
