package migrate

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"waymark/internal/archive"
	"waymark/internal/waymark"
)

// LinkAce reads the data of a user of LinkAce 1 or 2 through its API, without the trash.
type LinkAce struct {
	Client *Client
	// User is the id in LinkAce of the user who owns the key; 0 to detect it.
	User int64
	// NoNotes leaves out the notes, which need a request for each link.
	NoNotes bool
	// Progress is called after each link with the number of links so far and of all; nil for none.
	Progress func(done, all int)

	Totals Totals // of the entities that Records has yielded so far

	prefix string // api/v1 or api/v2
}

// Records yields the lists, the tags, and the links with their notes. It stops after an error.
func (l *LinkAce) Records(ctx context.Context) iter.Seq2[archive.Record, error] {
	return records(&l.Totals, func(emit func(archive.Entity) error) error { return l.read(ctx, emit) })
}

func (l *LinkAce) read(ctx context.Context, emit func(archive.Entity) error) error {
	l.prefix = "api/v2"
	links, err := pages[aceLink](ctx, l, "links")
	if isNotFound(err) {
		l.prefix = "api/v1"
		links, err = pages[aceLink](ctx, l, "links")
	}
	if isNotFound(err) {
		return fmt.Errorf("there is no LinkAce at %s: check --url, which is the URL of its first page", l.Client.URL)
	}
	if err != nil {
		return err
	}
	lists, err := pages[aceList](ctx, l, "lists")
	if err != nil {
		return err
	}
	tags, err := pages[aceList](ctx, l, "tags")
	if err != nil {
		return err
	}
	if err := l.findUser(links, lists, tags); err != nil {
		return err
	}
	links, lists, tags = ownEntities(l, links), ownEntities(l, lists), ownEntities(l, tags)
	for _, list := range lists {
		if err := emit(archive.List{Number: int(list.ID), Name: list.Name, Description: list.Description, Visibility: list.visibility(), Times: list.times()}); err != nil {
			return err
		}
	}
	for _, tag := range tags {
		if err := emit(archive.Tag{Number: int(tag.ID), Name: tag.Name, Visibility: tag.visibility(), Times: tag.times()}); err != nil {
			return err
		}
	}
	listsOf, err := l.labelsByLink(ctx, "lists", lists)
	if err != nil {
		return err
	}
	tagsOf, err := l.labelsByLink(ctx, "tags", tags)
	if err != nil {
		return err
	}
	for i, link := range links {
		err := emit(link.entity(listsOf[link.id()], tagsOf[link.id()]))
		if err == nil && !l.NoNotes {
			err = l.emitNotes(ctx, link, emit)
		}
		if err != nil {
			return err
		}
		if l.Progress != nil {
			l.Progress(i+1, len(links))
		}
	}
	return nil
}

// labelsByLink returns the numbers of each link's lists, or tags, in ascending order: there is a listing of
// the links of each.
func (l *LinkAce) labelsByLink(ctx context.Context, kind string, labels []aceList) (map[int64][]int, error) {
	numbers := map[int64][]int{}
	for _, label := range labels {
		links, err := pages[aceLink](ctx, l, kind+"/"+strconv.FormatInt(label.id(), 10)+"/links")
		if err != nil {
			return nil, err
		}
		for _, link := range links {
			numbers[link.id()] = append(numbers[link.id()], int(label.ID))
		}
	}
	return numbers, nil
}

func (l *LinkAce) emitNotes(ctx context.Context, link aceLink, emit func(archive.Entity) error) error {
	notes, err := pages[aceNote](ctx, l, "links/"+strconv.FormatInt(link.id(), 10)+"/notes")
	if err != nil && !isNotFound(err) { // not found: the link was deleted meanwhile
		return err
	}
	for _, note := range ownEntities(l, notes) {
		if err := emit(archive.Note{Link: int(link.ID), Text: note.Note, Visibility: note.visibility(), Times: note.times()}); err != nil {
			return err
		}
	}
	return nil
}

// findUser finds the user who owns the key, because listings also contain entities that other users
// share. Private entities belong to the user.
func (l *LinkAce) findUser(links []aceLink, lists, tags []aceList) error {
	if l.User != 0 {
		return nil
	}
	var all []aceEntity
	for _, e := range links {
		all = append(all, e.aceEntity)
	}
	for _, e := range slices.Concat(lists, tags) {
		all = append(all, e.aceEntity)
	}
	owners := map[int64]bool{}
	for _, e := range all {
		if e.private() {
			l.User = e.owner()
			return nil
		}
		owners[e.owner()] = true
	}
	ids := slices.Sorted(maps.Keys(owners))
	switch len(ids) {
	case 0:
		return nil
	case 1:
		l.User = ids[0]
		return nil
	}
	return fmt.Errorf("this LinkAce has several users, and their entities do not show who owns the key: set --linkace-user to one of %v", ids)
}

// ownEntities returns the entities of the user.
func ownEntities[T interface{ owner() int64 }](l *LinkAce, all []T) []T {
	return slices.DeleteFunc(all, func(e T) bool { return e.owner() != l.User })
}

// acePerPage is the number of entities in a page.
const acePerPage = 100

// pages returns all entities of a listing in the order of their ids, so that new entities do not
// move others to another page meanwhile.
func pages[T interface{ id() int64 }](ctx context.Context, l *LinkAce, path string) ([]T, error) {
	var all []T
	for n := 1; ; n++ {
		var p acePage[T]
		if err := l.Client.get(ctx, fmt.Sprintf("%s/%s?order_by=id&order_dir=asc&per_page=%d&page=%d", l.prefix, path, acePerPage, n), &p); err != nil {
			return nil, err
		}
		before := len(all)
		all = unique(append(all, p.Data...))
		if len(p.Data) > 0 && len(all) == before {
			return nil, samePageError(l.prefix+"/"+path, l.Client)
		}
		if n >= int(p.LastPage) || len(p.Data) == 0 {
			return all, nil
		}
	}
}

// unique sorts entities by id and removes duplicates, which occur if entities are added or deleted
// between the requests for two pages.
func unique[T interface{ id() int64 }](all []T) []T {
	slices.SortFunc(all, func(a, b T) int { return cmp.Compare(a.id(), b.id()) })
	return slices.CompactFunc(all, func(a, b T) bool { return a.id() == b.id() })
}

// entity returns the link as an entity of an archive.
func (link aceLink) entity(lists, tags []int) archive.Link {
	e := archive.Link{
		Number: int(link.ID), URL: link.URL, Title: link.Title, Description: link.Description, ImageURL: link.Thumbnail,
		Visibility: link.visibility(), CheckDisabled: bool(link.CheckDisabled), Lists: lists, Tags: tags,
		Times: link.times(),
	}
	if waymark.Status(link.Status).Valid() {
		e.Status = archive.Status(link.Status)
	}
	return e
}
