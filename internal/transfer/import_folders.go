package transfer

import (
	"context"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// importedFolders are the folders of a file that become lists.
type importedFolders struct {
	own    map[waymark.ListID]bool // lists that this import created
	ofStep []stepFolder
	flat   bool // it was reported that the lists stand in no list

	path, names []string // the last path, and its names: bookmarks of a folder follow each other
}

// stepFolder is the folder of a link of the step, or one without links.
type stepFolder struct {
	store.ImportedFolder
	link int // its index, or noLink
	line int
}

const noLink = -1

// save creates the lists that are missing, and sets the lists of the links. Lists of links that are skipped are not
// created.
func (f *importedFolders) save(ctx context.Context, s *store.Store, owner waymark.User, links []waymark.LinkImport, imported []store.ImportedLink) (store.NestedFolders, error) {
	for i := range links {
		links[i].ListIDs = nil
	}
	var wanted []store.ImportedFolder
	var of []int // the links of these
	for _, folder := range f.ofStep {
		if folder.link == noLink || imported[folder.link].Outcome != store.LinkSkipped {
			wanted, of = append(wanted, folder.ImportedFolder), append(of, folder.link)
		}
	}
	nested, err := s.NestFolders(ctx, owner, wanted, f.own)
	for i, list := range nested.Lists {
		if of[i] != noLink {
			links[of[i]].ListIDs = append(links[of[i]].ListIDs, list)
		}
	}
	return nested, err
}
