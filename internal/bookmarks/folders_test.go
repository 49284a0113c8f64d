package bookmarks_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/bookmarks"
)

// Folders without links, their order, and names that look like paths come back from a file.
func TestFilesGiveBackFolders(t *testing.T) {
	paths := [][]string{{"Zoo"}, {"Zoo", "Cats / Dogs"}, {"Zoo", "Empty"}, {"/", `\/`, "a / / b", "/x/"}, {"Art"}, {"Art", "Empty"}}
	for _, format := range []bookmarks.Format{bookmarks.FormatHTML, bookmarks.FormatCSV, bookmarks.FormatJSON} {
		var all []bookmarks.Bookmark
		for _, path := range paths {
			all = append(all, bookmarks.Bookmark{Folders: [][]string{path}})
		}
		for _, path := range [][]string{paths[1], paths[3]} {
			all = append(all, bookmarks.Bookmark{URL: "https://example.com/" + path[1], Folders: [][]string{path}})
		}
		r, err := bookmarks.Open(strings.NewReader(write(t, format, all...)), bookmarks.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var folders, ofLinks [][]string
		for b, err := range r.All() {
			switch {
			case err != nil:
				t.Errorf("%s: %v", format, err)
			case b.IsFolder():
				folders = append(folders, b.Folders...)
			default:
				ofLinks = append(ofLinks, b.Folders...)
			}
		}
		want := map[bookmarks.Format][][]string{
			bookmarks.FormatHTML: {paths[1], paths[2], paths[3], paths[5]}, // the others have folders in them
			bookmarks.FormatJSON: paths,
		}[format]
		if diff := cmp.Diff(want, folders); diff != "" {
			t.Errorf("%s: folders (-want +got):\n%s", format, diff)
		}
		if diff := cmp.Diff([][]string{paths[1], paths[3]}, ofLinks); diff != "" {
			t.Errorf("%s: folders of links (-want +got):\n%s", format, diff)
		}
	}
}
