package store

import (
	"context"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// ImportedFolder is a folder of a file that becomes a list.
type ImportedFolder struct {
	Path    []string // see waymark.NewFolder
	Ordered bool     // the file has its folders in an order that people chose
}

// NestedFolders are the lists for folders.
type NestedFolders struct {
	Lists   []waymark.ListID // one for each folder
	Created []waymark.ListID
	Flat    bool // owner has too many lists to put some into others
}

// NestFolders returns owner's lists with the paths of folders, in any case, and creates missing ones. New lists that
// are ordered keep the order of folders among lists that this import has created: own ones. Where there are others,
// they stand where a new list would.
func (s *Store) NestFolders(ctx context.Context, owner waymark.User, folders []ImportedFolder, own map[waymark.ListID]bool) (nested NestedFolders, err error) {
	if len(folders) == 0 {
		return nested, nil
	}
	err = s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		t, err := readListTree(ctx, q, owner.ID)
		if err != nil {
			return err
		}
		nested = NestedFolders{Flat: len(t.lists) > waymark.MaxNestedLists}
		if nested.Flat {
			folders = slices.Clone(folders)
			for i := range folders {
				folders[i].Path = []string{waymark.JoinFolder(folders[i].Path)}
			}
		}
		in := folderImport{t, folders, map[waymark.ListID]bool{}, map[listName]*treeList{}, make([]waymark.ListID, len(folders))}
		maps.Copy(in.own, own)
		in.index()
		for depth := range waymark.MaxListDepth {
			created, err := in.createLevel(ctx, q, owner, depth, s.now())
			if err != nil {
				return err
			}
			nested.Created = append(nested.Created, created...)
		}
		nested.Lists = in.lists
		if err := recordInserted(ctx, s, q, &lists, table.PlainIDs(nested.Created), true); err != nil {
			return err
		}
		return s.writeTree(ctx, q, t)
	})
	return nested, err
}

// folderImport finds and creates the lists for folders.
type folderImport struct {
	tree    *listTree
	folders []ImportedFolder
	own     map[waymark.ListID]bool
	byName  map[listName]*treeList
	lists   []waymark.ListID // of each folder, as deep as it is known
}

// listName is what finds a list in a tree.
type listName struct {
	parent waymark.ListID
	folded string
}

// index finds the names of all lists. Of several with one name, the oldest counts.
func (in *folderImport) index() {
	for _, l := range in.tree.lists {
		name := listName{l.at.Parent, l.folded}
		if known := in.byName[name]; known == nil || l.id < known.id {
			in.byName[name] = l
		}
	}
}

// createLevel finds or creates the lists at one depth, from 0.
func (in *folderImport) createLevel(ctx context.Context, q database.Querier, owner waymark.User, depth int, now waymark.Time) ([]waymark.ListID, error) {
	var rows []waymark.List
	var ordered []bool
	missing := map[listName]bool{}
	for i, folder := range in.folders {
		if depth >= len(folder.Path) {
			continue
		}
		name := listName{in.lists[i], waymark.Fold(folder.Path[depth])}
		if in.byName[name] == nil && !missing[name] {
			missing[name] = true
			ordered = append(ordered, folder.Ordered)
			rows = append(rows, waymark.List{
				Owner: owner.ID, Parent: name.parent, Name: folder.Path[depth], Visibility: owner.DefaultVisibility.Lists, CreatedAt: now, UpdatedAt: now,
			})
		}
	}
	created, err := table.InsertBatches[waymark.ListID](ctx, q, &lists.Table, rows)
	if err != nil {
		return nil, err
	}
	for i, id := range created {
		l := &treeList{id: id, name: rows[i].Name, folded: waymark.Fold(rows[i].Name), key: waymark.SortKey(rows[i].Name)}
		l.at.Parent = rows[i].Parent
		l.stored = l.at
		in.place(l, ordered[i])
	}
	for i, folder := range in.folders {
		if depth < len(folder.Path) {
			in.lists[i] = in.byName[listName{in.lists[i], waymark.Fold(folder.Path[depth])}].id
		}
	}
	return created, nil
}

// place adds a new list to the tree.
func (in *folderImport) place(l *treeList, ordered bool) {
	in.tree.lists[l.id], in.own[l.id], in.byName[listName{l.at.Parent, l.folded}] = l, true, l
	siblings := in.tree.sublists[l.at.Parent]
	l.at.Position = in.tree.nextPosition(l.at.Parent)
	isOther := func(s *treeList) bool { return !in.own[s.id] }
	if ordered && len(siblings) > 0 && siblings[len(siblings)-1].compare(l) > 0 && !slices.ContainsFunc(siblings, isOther) {
		in.tree.setOrder(l.at.Parent, append(slices.Clone(siblings), l))
		return
	}
	in.tree.insert(l)
}
