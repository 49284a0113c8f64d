package bookmarks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"waymark/internal/waymark"
)

// readJSON reads the JSON of browsers and other programs. They have one of these shapes:
//
//   - an array of bookmarks, or an object with such an array as "bookmarks", "items" or
//     similar: Pinboard, wallabag, Omnivore, Shiori, Readeck, buku, linkding, Karakeep, and
//     what NewWriter writes; also one object a line;
//   - an array of "collections" with "links" in each: Linkwarden;
//   - a tree of nodes with "children": Firefox and Chrome.
//
// In a file, the name of a folder can come after the bookmarks in it. So readJSON reads objects
// twice: first the folders, then the bookmarks.
func readJSON(in input, yield yieldFunc) error {
	head, err := peek(in.text)
	if err != nil {
		return err
	}
	folders := &jsonFolders{names: map[int]jsonFolder{}, lists: map[string]jsonFolder{}, left: in.limits.folderMemory()}
	text := in.text
	if firstByte(head) == '{' && !isOwnJSON(head) {
		again, err := in.readTwice()
		if err != nil {
			return err
		}
		defer again.close()
		w := &jsonWalk{jsonReader: newJSONReader(in.text, in.limits), limits: in.limits, folders: folders, firstPass: true}
		if err := w.file(); err != nil {
			return err
		}
		if text, err = again.open(); err != nil {
			return err
		}
	}
	w := &jsonWalk{jsonReader: newJSONReader(text, in.limits), limits: in.limits, folders: folders, yield: yield}
	return w.file()
}

// folderMemory is the maximum memory for all folders of a JSON file, in bytes.
func (l Limits) folderMemory() int { return 16 * l.Value }

// jsonFolders are the folders of a file.
type jsonFolders struct {
	names map[int]jsonFolder    // of the nodes that contain others, by the number of the node
	lists map[string]jsonFolder // that bookmarks or folders refer to, by id
	byID  bool                  // bookmarks refer to lists by id, not by name
	left  int                   // bytes of folderMemory
}

type jsonFolder struct {
	name   string
	id     string // "" for none
	parent string // the id of the folder around it, "" for none
	root   string // what Firefox calls the folders that every profile has
	public bool   // of Linkwarden
	hidden bool   // bookmarks in it do not get its name
}

// jsonWalk reads a file once.
type jsonWalk struct {
	*jsonReader
	limits    Limits
	folders   *jsonFolders
	yield     yieldFunc
	firstPass bool
	nodes     int  // the number of objects so far
	found     bool // the file has a value that can contain bookmarks
	tooDeep   bool // folders below the limit of the depth were reported
}

// place is what surrounds a value.
type place struct {
	path    []string // of the folders
	size    int      // the length of the names in path
	kind    placeKind
	inTags  bool               // the folders are tags
	deleted bool               // in the trash
	unnamed bool               // bookmarks do not get the name of the next folder
	visible waymark.Visibility // of the collection, 0 for none
}

type placeKind int

const (
	inFile       placeKind = iota // the value is the file
	inList                        // a bookmark
	inCollection                  // a collection with links in it
	inTree                        // a node of a tree: a bookmark or a folder
	inRoots                       // the object of the trees of Chrome
)

// file reads all values of the file: one, or one a line.
func (w *jsonWalk) file() error {
	for {
		token, err := w.token(true)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := w.element(token, place{kind: inFile}); err != nil {
			return err
		}
	}
	if !w.found {
		return errors.New("the JSON has no bookmarks in a form that Waymark knows")
	}
	return nil
}

// element reads the value that begins with token.
func (w *jsonWalk) element(token json.Token, at place) error {
	switch token {
	case json.Delim('['):
		if at.kind == inFile {
			at.kind, w.found = inList, true
		}
		return w.elements(at)
	case json.Delim('{'):
		return w.node(at)
	}
	return nil // a string in an array, null: there is nothing in it
}

// elements reads the rest of an array.
func (w *jsonWalk) elements(at place) error {
	for {
		token, err := w.token(false)
		if err != nil || token == json.Delim(']') {
			return err
		}
		// Arrays in arrays have no meaning in any format.
		if token == json.Delim('[') {
			err = w.skip(token)
		} else {
			err = w.element(token, at)
		}
		if err != nil {
			return err
		}
	}
}

// contents returns the place of the elements of an object's value, or false if it contains no
// bookmarks.
func contents(at place, key string) (place, bool) {
	inside := at
	switch at.kind {
	case inFile:
		switch key {
		case "bookmarks", "items", "data", "results", "posts", "entries":
			inside.kind = inList
		case "_embedded": // of the API of wallabag
			inside.kind = inFile
		case "collections":
			inside.kind = inCollection
		case "children":
			inside.kind = inTree
		case "roots":
			inside.kind = inRoots
		default:
			return at, false
		}
	case inCollection:
		inside.kind = inList
		return inside, key == "links"
	case inTree:
		return inside, key == "children"
	case inRoots:
		inside.kind = inTree
		inside.deleted = key == "trash" // of Vivaldi
		inside.unnamed = key == "other" // as in the HTML of Chrome
	case inList:
		return at, false
	}
	return inside, true
}

// node reads the rest of an object: a bookmark, a folder, or the file.
func (w *jsonWalk) node(at place) error {
	number, line := w.nodes, w.line()
	w.nodes++
	folder, isFolder := w.folders.names[number]
	inside := at
	if isFolder && !w.firstPass {
		var err error
		if inside, err = w.enter(at, folder, line); err != nil {
			return err
		}
	}
	budget := w.limits.Bookmark
	bookmark, container := jsonObject{}, false
	for {
		key, end, err := w.key()
		if err != nil {
			return err
		}
		if end {
			break
		}
		token, err := w.token(false)
		if err != nil {
			return err
		}
		next, found := contents(inside, key)
		delim, _ := token.(json.Delim)
		isObject := next.kind == inRoots || at.kind == inRoots || key == "_embedded"
		if found && (delim == '[' || delim == '{' && isObject) {
			container = true
			err = w.element(token, next)
		} else if at.kind == inFile && key == "lists" && token == json.Delim('[') && w.firstPass {
			err = w.lists()
		} else if jsonKeys[key] {
			bookmark[key], err = w.value(token, &budget)
		} else {
			err = w.skip(token)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case container:
		w.found = true
		if w.firstPass {
			return w.remember(number, at, bookmark)
		}
		return nil
	case w.firstPass, at.kind == inRoots:
		w.found = w.found || bookmark.url() != ""
		return nil
	case budget < 0:
		return w.tooLong(bookmark, line)
	}
	return w.bookmark(at, bookmark, line)
}

// tooLong reports a bookmark that is longer than Limits.Bookmark.
func (w *jsonWalk) tooLong(o jsonObject, line int) error {
	err := fmt.Errorf("the bookmark %.200q is longer than %d bytes", o.text("title", "name", "url"), w.limits.Bookmark)
	return w.yield(Bookmark{}, rowTooLong(line, w.limits.Bookmark, err))
}

// remember keeps the folder that an object describes.
func (w *jsonWalk) remember(number int, at place, o jsonObject) error {
	folder := o.folder()
	switch at.kind {
	case inFile, inRoots: // the file is not a folder
		return nil
	case inCollection:
		if err := w.addList(folder); err != nil {
			return err
		}
	}
	w.folders.names[number] = folder
	return w.charge(folder)
}

// lists reads the lists that the bookmarks of Karakeep refer to.
func (w *jsonWalk) lists() error {
	w.folders.byID = true
	for {
		token, err := w.token(false)
		if err != nil || token == json.Delim(']') {
			return err
		}
		budget := w.limits.Value
		value, err := w.value(token, &budget)
		if err != nil {
			return err
		}
		if o, ok := value.(map[string]any); ok && o["type"] != "smart" { // a search
			if err := w.addList(jsonObject(o).folder()); err != nil {
				return err
			}
		}
	}
}

func (w *jsonWalk) addList(f jsonFolder) error {
	if f.id == "" {
		return nil
	}
	w.folders.lists[f.id] = f
	return w.charge(f)
}

func (w *jsonWalk) charge(f jsonFolder) error {
	const overhead = 128 // of a folder in memory, about
	w.folders.left -= overhead + len(f.name) + len(f.id) + len(f.parent)
	if w.folders.left < 0 {
		return fmt.Errorf("line %d: the folders of the file need more than %d bytes", w.line(), w.limits.folderMemory())
	}
	return nil
}

// enter returns the place of what is in a folder.
func (w *jsonWalk) enter(at place, folder jsonFolder, line int) (place, error) {
	if at.kind == inCollection {
		at.path = w.folders.path(folder.id, w.limits)
		at.visible = waymark.Private
		if folder.public {
			at.visible = waymark.Public
		}
		return at, nil
	}
	at.inTags = at.inTags || folder.root == "tagsFolder"
	unnamed := at.unnamed || folder.hidden || folder.name == ""
	at.unnamed = false
	switch {
	case unnamed:
		return at, nil
	case len(at.path) < w.limits.Depth && at.size+len(folder.name) <= w.limits.Value:
		at.path = append(slices.Clip(at.path), folder.name)
		at.size += len(folder.name)
		return at, nil
	case w.tooDeep:
		return at, nil
	}
	w.tooDeep = true
	err := fmt.Errorf("more than %d folders are inside each other, or their names are longer than %d bytes: deeper ones are ignored",
		w.limits.Depth, w.limits.Value)
	return at, w.yield(Bookmark{}, tooDeep(line, w.limits.Depth, err))
}

// path returns the names of a list and of the lists that contain it, the outermost first. It stops
// at Limits.Depth lists, also because lists can contain each other, and at Limits.Value bytes.
func (f *jsonFolders) path(id string, limits Limits) []string {
	var path []string
	size := 0
	for range limits.Depth {
		list, found := f.lists[id]
		if size += len(list.name); !found || size > limits.Value {
			break
		}
		if list.name != "" {
			path = append(path, list.name)
		}
		if id = list.parent; id == "" {
			break
		}
	}
	slices.Reverse(path)
	return path
}
