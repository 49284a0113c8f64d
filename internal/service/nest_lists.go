package service

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// IsPath reports whether a list stands in no list, and its name is the path of a folder: "Parent / Child".
func IsPath(list waymark.List) bool {
	parts := strings.Split(list.Name, waymark.FolderSeparator)
	return list.Parent == 0 && len(parts) > 1 && len(parts) <= waymark.MaxListDepth &&
		!slices.ContainsFunc(parts, func(part string) bool { return strings.Trim(part, "/ ") != part || part == "" })
}

// NestLists puts the user's own lists whose names are paths into the lists that the paths name, and leaves only the
// last part in their names. Lists that are missing are added. It returns how many lists it has moved. Call it
// within WithUndo.
func (s *Service) NestLists(ctx context.Context, user waymark.User) (moved int, err error) {
	all, err := s.ListTree(ctx, user.ID)
	if err != nil {
		return 0, err
	}
	byPath, paths := map[string]waymark.ListID{}, map[string]waymark.List{}
	for _, list := range all {
		if list.Owner != user.ID || list.Parent != 0 {
			continue
		}
		if _, known := byPath[list.Name]; known {
			continue // of several with one name, the first one
		}
		byPath[list.Name] = list.ID
		if IsPath(list) {
			paths[list.Name] = list
		}
	}
	sorted := slices.SortedFunc(maps.Keys(paths), func(a, b string) int {
		return cmp.Or(strings.Count(a, waymark.FolderSeparator)-strings.Count(b, waymark.FolderSeparator), strings.Compare(a, b))
	})
	var parents []waymark.ListID
	children := map[waymark.ListID][]waymark.ListID{}
	for _, path := range sorted {
		at := strings.LastIndex(path, waymark.FolderSeparator)
		parent, err := s.ensurePath(ctx, user, byPath, path[:at])
		if err != nil {
			return 0, err
		}
		list := paths[path]
		if _, err := s.EditList(ctx, user, list.ID, waymark.ListInput{Name: path[at+len(waymark.FolderSeparator):]}); err != nil {
			return 0, err
		}
		if len(children[parent]) == 0 {
			parents = append(parents, parent)
		}
		children[parent] = append(children[parent], list.ID)
		moved++
	}
	for _, parent := range parents {
		if err := s.MoveLists(ctx, user, children[parent], waymark.ListPlace{Parent: parent}); err != nil {
			return 0, err
		}
	}
	return moved, nil
}

// ensurePath returns the list with a path, and adds it, and those in which it stands, if there is none.
func (s *Service) ensurePath(ctx context.Context, user waymark.User, byPath map[string]waymark.ListID, path string) (waymark.ListID, error) {
	if id, ok := byPath[path]; ok {
		return id, nil
	}
	in := waymark.ListInput{Name: path}
	if at := strings.LastIndex(path, waymark.FolderSeparator); at > 0 {
		parent, err := s.ensurePath(ctx, user, byPath, path[:at])
		if err != nil {
			return 0, err
		}
		in = waymark.ListInput{Name: path[at+len(waymark.FolderSeparator):], Parent: &parent}
	}
	list, err := s.AddList(ctx, user, in)
	byPath[path] = list.ID
	return list.ID, err
}
