package migrate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// acePerPage is the number of entities in a page.
const acePerPage = 100

// get requests a path below the prefix and reports progress.
func (l *LinkAce) get(ctx context.Context, path string, into any) error {
	err := l.Client.get(ctx, l.prefix+"/"+path, into)
	l.done++
	l.all = max(l.all, l.done)
	if l.Progress != nil && err == nil {
		l.Progress(l.done, l.all)
	}
	return err
}

// pagePath returns the path of page n of a listing. In the order of ids, entities that are added
// meanwhile do not move others to another page.
func pagePath(path string, n int) string {
	return fmt.Sprintf("%s?order_by=id&order_dir=asc&per_page=%d&page=%d", path, acePerPage, n)
}

func (l *LinkAce) linkPage(ctx context.Context, n int) (p acePage[aceLink], err error) {
	err = l.get(ctx, pagePath("links", n), &p)
	return p, err
}

// pages returns all entities of a listing.
func pages[T interface{ id() int64 }](ctx context.Context, l *LinkAce, path string) ([]T, error) {
	var all []T
	seen := map[int64]bool{}
	for n := 1; ; n++ {
		var p acePage[T]
		if err := l.get(ctx, pagePath(path, n), &p); err != nil {
			return nil, err
		}
		before := len(seen)
		for _, e := range p.Data {
			seen[e.id()] = true
		}
		if len(p.Data) > 0 && len(seen) == before {
			return nil, samePageError(l.prefix+"/"+path, l.Client)
		}
		all = append(all, p.Data...)
		if n >= int(p.LastPage) || len(p.Data) == 0 {
			return all, nil
		}
		l.all++
	}
}

// labels returns the lists or the tags, in the order of their ids.
func (l *LinkAce) labels(ctx context.Context, kind string) ([]aceList, error) {
	all, err := pages[aceList](ctx, l, kind)
	all = unique(all)
	l.listed[kind] = len(all)
	return all, err
}

// unique sorts entities by id and removes duplicates, which occur if entities are added or deleted
// between the requests for two pages.
func unique[T interface{ id() int64 }](all []T) []T {
	slices.SortFunc(all, func(a, b T) int { return cmp.Compare(a.id(), b.id()) })
	return slices.CompactFunc(all, func(a, b T) bool { return a.id() == b.id() })
}

// readTrash reads the trash. The API of LinkAce before 1.10 does not have it.
func (l *LinkAce) readTrash(ctx context.Context) error {
	for _, part := range []struct {
		kind string
		into any
	}{{"links", &l.trash.links}, {"lists", &l.trash.lists}, {"tags", &l.trash.tags}, {"notes", &l.trash.notes}} {
		err := l.get(ctx, "trash/"+part.kind, part.into)
		if isNotFound(err) && part.kind == "links" {
			l.notice("the API of this version of LinkAce does not have the trash: it is left out")
			return nil
		}
		if err != nil {
			return err
		}
	}
	for i := range l.trash.links {
		l.trash.links[i].inTrash()
	}
	for i := range l.trash.lists {
		l.trash.lists[i].inTrash()
	}
	for i := range l.trash.tags {
		l.trash.tags[i].inTrash()
	}
	for i := range l.trash.notes {
		l.trash.notes[i].inTrash()
	}
	return nil
}
