package bookmarks

import (
	"strings"
	"unicode"

	"waymark/internal/waymark"
)

// jsonFolder is an object of a file, or a member of one that can contain bookmarks.
type jsonFolder struct {
	parent *jsonFolder // nil for the file
	key    string      // of a member, as normalName returns it
	name   string      // "" if bookmarks in it do not get one

	id       string // "" for none
	parentID string // of the list around it, "" for none
	smart    bool   // a search
	tags     bool   // the folders in it are tags
	public   waymark.Visibility

	path *jsonPath // nil until it is needed
}

// jsonPath is what bookmarks get from the folders around them.
type jsonPath struct {
	names   []string // shared by the bookmarks: never changed
	tags    bool
	deleted bool
	public  waymark.Visibility
	tooDeep bool // names were left out
}

// containerNames are the names of members that say nothing about the bookmarks in them.
var containerNames = nameSet(`bookmarks bookmark items data results result posts entries roots children embedded links link
	collections collection folders folder lists list groups group tabs windows sessions session cards urls pages documents articles
	records stacks spaces workspaces tabgroups pinnedlinks savedtabs savedlinks readinglist feeds sites history nodes content
	allbookmarks rows values objects elements tags user node edges viewer account profile response body`)

// folderName returns the name of the folder for a member of an object: its key, if people chose it.
func folderName(key string) string {
	isIdentifier := strings.Contains(key, "_") || key != "" && unicode.IsLower(rune(key[0])) && strings.ToLower(key) != key
	isNumber := strings.Trim(key, "0123456789-") == ""
	if isIdentifier || isNumber || containerNames[normalName(key)] || isWebURL(key) {
		return ""
	}
	return cutFolderName(cleanLine(key))
}

// firefoxNames are the names that the HTML files of Firefox have for the folders of every profile, by
// the titles in its newer JSON files. The menu is not a folder in HTML. Older JSON files have the titles
// that people see, in their language: those are kept.
var firefoxNames = map[string]string{"toolbar": "Bookmarks Toolbar", "unfiled": "Other Bookmarks", "mobile": "Mobile Bookmarks"}

// describe sets what an object says about the folder that it is.
func (f *jsonFolder) describe(r *record) {
	f.name, f.id, f.parentID = cutFolderName(cleanLine(r.text(titleNames...))), r.text("id"), r.text(parentNames...)
	f.smart, f.public = r.text("type") == "smart", r.visibility()
	root := r.text("root")
	f.tags = root == "tagsFolder"
	switch {
	case root == "placesRoot", root == "bookmarksMenuFolder" && f.name == "menu", f.tags, f.parent.key == "other" && f.parent.inRoots():
		f.name = "" // as in the HTML of Firefox and Chrome
	case root != "" && firefoxNames[f.name] != "":
		f.name = firefoxNames[f.name]
	}
	if f.parent.key != "" && (f.name != "" || f.parent.inRoots()) {
		f.parent.name = "" // the object has a better name than its key
	}
}

// inRoots reports whether a member is a tree of Chrome.
func (f *jsonFolder) inRoots() bool {
	return f.parent != nil && f.parent.parent != nil && f.parent.parent.key == "roots"
}
