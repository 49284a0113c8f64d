package migrate

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/archive"
	"waymark/internal/waymark"
)

// LinkAce reads the data of a user of LinkAce 1 or 2 through its API.
type LinkAce struct {
	Client *Client
	// User is the id in LinkAce of the user who owns the key; 0 to detect it.
	User int64
	// NoNotes leaves out the notes, which need a request for each link.
	NoNotes bool
	// Progress is called after each request with the number of requests so far and an estimate of
	// their total; nil for none.
	Progress func(done, all int)
	// Notice is called with a sentence about what cannot be migrated; nil for none.
	Notice func(text string)

	Totals Totals // of the entities that Records has yielded so far

	prefix    string // api/v1 or api/v2
	done, all int    // requests
	lists     labelNumbers
	tags      labelNumbers
	trash     struct {
		lists []aceList
		tags  []aceList
		links []aceLink
		notes []aceNote
	}
	others int            // the number of entities of other users that were left out
	listed map[string]int // the number of entities in each listing, including those of other users
}

// labelNumbers are the numbers of the lists, or of the tags, of one user.
type labelNumbers struct {
	known  map[int]bool
	byLink map[int64][]int // empty if the API sends links with their lists and tags
}

func newLabelNumbers() labelNumbers { return labelNumbers{map[int]bool{}, map[int64][]int{}} }

// numbers returns the numbers of the lists or tags of a link that belong to the user, in ascending
// order. sent is nil if the API sends links without lists and tags.
func (n labelNumbers) numbers(link int64, sent *[]aceList) []int {
	numbers := n.byLink[link]
	if sent != nil {
		numbers = nil
		for _, label := range *sent {
			if n.known[int(label.ID)] {
				numbers = append(numbers, int(label.ID))
			}
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// Records yields the lists, the tags, and the links with their notes. It stops after an error.
func (l *LinkAce) Records(ctx context.Context) iter.Seq2[archive.Record, error] {
	return records(&l.Totals, func(emit func(archive.Entity) error) error { return l.read(ctx, emit) })
}

func (l *LinkAce) read(ctx context.Context, emit func(archive.Entity) error) error {
	l.lists, l.tags, l.listed = newLabelNumbers(), newLabelNumbers(), map[string]int{}
	lists, tags, first, err := l.begin(ctx)
	if err != nil {
		return err
	}
	l.plan(lists, tags, first)
	if err := l.emitLabels(ctx, lists, tags, first, emit); err != nil {
		return err
	}
	if err := l.emitLinks(ctx, first, emit); err != nil {
		return err
	}
	if l.others > 0 {
		l.notice(fmt.Sprintf("%d entities of other users were left out: each user migrates their own, with their own key", l.others))
	}
	return nil
}

// Compare requests the numbers of lists, tags and links again, and returns a sentence for each one
// that has changed since Records read it.
func (l *LinkAce) Compare(ctx context.Context) (differences []string, err error) {
	fresh := *l.Client
	fresh.Journal = nil
	for _, kind := range []string{"lists", "tags", "links"} {
		var p acePage[aceEntity]
		if err := fresh.get(ctx, l.prefix+"/"+kind+"?per_page=1", &p); err != nil {
			return nil, err
		}
		if now, read := int(p.Total), l.listed[kind]; now != read {
			differences = append(differences, fmt.Sprintf("LinkAce has %d %s now, and had %d when they were read", now, kind, read))
		}
	}
	return differences, nil
}

// begin finds the version of the API, reads the trash and finds the user. It returns the lists, the
// tags and the first page of links.
func (l *LinkAce) begin(ctx context.Context) (lists, tags []aceList, first acePage[aceLink], err error) {
	l.prefix = "api/v2"
	first, err = l.linkPage(ctx, 1)
	if isNotFound(err) {
		l.prefix = "api/v1"
		first, err = l.linkPage(ctx, 1)
	}
	if isNotFound(err) {
		return nil, nil, first, fmt.Errorf("there is no LinkAce at %s: check --url, which is the address of its first page", l.Client.URL)
	}
	if err != nil {
		return nil, nil, first, err
	}
	l.all = 6 // an estimate until plan is called
	if lists, err = l.labels(ctx, "lists"); err != nil {
		return nil, nil, first, err
	}
	if tags, err = l.labels(ctx, "tags"); err != nil {
		return nil, nil, first, err
	}
	if err = l.readTrash(ctx); err != nil {
		return nil, nil, first, err
	}
	err = l.findUser(lists, tags, first.Data)
	return lists, tags, first, err
}

// plan estimates the total number of requests.
func (l *LinkAce) plan(lists, tags []aceList, first acePage[aceLink]) {
	l.all = l.done + max(0, int(first.LastPage)-1)
	if !withLabels(first) {
		l.all += len(lists) + len(tags)
	}
	if !l.NoNotes {
		l.all += int(first.Total)
	}
}

// withLabels reports whether links are sent with their lists and tags, as Waymark does.
func withLabels(page acePage[aceLink]) bool {
	return len(page.Data) > 0 && page.Data[0].Lists != nil && page.Data[0].Tags != nil
}

func (l *LinkAce) notice(text string) {
	if l.Notice != nil {
		l.Notice(text)
	}
}

// findUser finds the user who owns the key, because listings also contain entities that other users
// share. Private entities and those in the trash belong to the user.
func (l *LinkAce) findUser(lists, tags []aceList, links []aceLink) error {
	if l.User != 0 {
		return nil
	}
	seen := map[int64]int{}
	look := func(e aceEntity, own bool) {
		if own && l.User == 0 {
			l.User = e.owner()
		}
		seen[e.owner()]++
	}
	for _, all := range [][]aceList{lists, tags} {
		for _, e := range all {
			look(e.aceEntity, e.private())
		}
	}
	for _, e := range links {
		look(e.aceEntity, e.private())
	}
	for _, all := range [][]aceList{l.trash.lists, l.trash.tags} {
		for _, e := range all {
			look(e.aceEntity, true)
		}
	}
	for _, e := range l.trash.links {
		look(e.aceEntity, true)
	}
	if l.User != 0 || len(seen) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(seen))
	if len(ids) > 1 {
		var texts []string
		for _, id := range ids {
			texts = append(texts, fmt.Sprintf("%d (%d entities)", id, seen[id]))
		}
		return fmt.Errorf("this LinkAce has several users, and their entities do not show who owns the key: set --linkace-user to one of %s", strings.Join(texts, ", "))
	}
	l.User = ids[0]
	return nil
}

// ownEntities returns the entities of the user, and counts those of other users.
func ownEntities[T interface{ owner() int64 }](l *LinkAce, all []T) []T {
	mine := slices.DeleteFunc(slices.Clone(all), func(e T) bool { return e.owner() != l.User })
	l.others += len(all) - len(mine)
	return mine
}

// emitLabels emits the lists and the tags. Unless links are sent with their lists and tags, it
// requests the links of each list and tag.
func (l *LinkAce) emitLabels(ctx context.Context, lists, tags []aceList, first acePage[aceLink], emit func(archive.Entity) error) error {
	request := !withLabels(first)
	lists, tags = ownEntities(l, lists), ownEntities(l, tags)
	allLists, allTags := unique(slices.Concat(lists, l.trash.lists)), unique(slices.Concat(tags, l.trash.tags))
	for _, list := range allLists {
		entity := archive.List{Number: int(list.ID), Name: list.Name, Description: list.Description, Visibility: list.visibility(), Times: list.times()}
		l.lists.known[entity.Number] = true
		if err := emit(entity); err != nil {
			return err
		}
	}
	for _, tag := range allTags {
		entity := archive.Tag{Number: int(tag.ID), Name: tag.Name, Visibility: tag.visibility(), Times: tag.times()}
		l.tags.known[entity.Number] = true
		if err := emit(entity); err != nil {
			return err
		}
	}
	if !request {
		return nil
	}
	for _, part := range []struct {
		kind   string
		labels []aceList
		into   map[int64][]int
	}{{"lists", lists, l.lists.byLink}, {"tags", tags, l.tags.byLink}} {
		for _, label := range part.labels {
			links, err := pages[aceLink](ctx, l, part.kind+"/"+strconv.FormatInt(label.id(), 10)+"/links")
			if err != nil {
				return err
			}
			for _, link := range unique(links) {
				part.into[link.id()] = append(part.into[link.id()], int(label.ID))
			}
		}
	}
	return nil
}

// emitLinks emits the links, each with its notes, in the order of their ids.
func (l *LinkAce) emitLinks(ctx context.Context, first acePage[aceLink], emit func(archive.Entity) error) error {
	trashed, last := unique(l.trash.links), int64(0)
	notes := map[int64][]aceNote{} // in the trash, by link
	for _, note := range l.trash.notes {
		notes[int64(note.LinkID)] = append(notes[int64(note.LinkID)], note)
	}
	each := func(link aceLink) error {
		if link.id() <= last {
			return nil
		}
		last = link.id()
		return l.emitLink(ctx, link, notes[link.id()], emit)
	}
	listed := int64(0) // the highest id in the pages so far
	for n, p := 1, first; ; n++ {
		if !slices.IsSortedFunc(p.Data, func(a, b aceLink) int { return cmp.Compare(a.id(), b.id()) }) {
			return &PagesError{l.Client.URL + " does not send links in the order of their ids: migrate from its database instead (--from-database)"}
		}
		before := listed
		for _, link := range p.Data {
			if link.id() > listed {
				listed = link.id()
				l.listed["links"]++
			}
		}
		if len(p.Data) > 0 && listed == before {
			return samePageError(l.prefix+"/links", l.Client)
		}
		for _, link := range ownEntities(l, p.Data) {
			for len(trashed) > 0 && trashed[0].id() < link.id() {
				if err := each(trashed[0]); err != nil {
					return err
				}
				trashed = trashed[1:]
			}
			if err := each(link); err != nil {
				return err
			}
		}
		if n >= int(p.LastPage) || len(p.Data) == 0 {
			break
		}
		var err error
		if p, err = l.linkPage(ctx, n+1); err != nil {
			return err
		}
	}
	for _, link := range trashed {
		if err := each(link); err != nil {
			return err
		}
	}
	return nil
}

func (l *LinkAce) emitLink(ctx context.Context, link aceLink, notes []aceNote, emit func(archive.Entity) error) error {
	if err := emit(link.entity(l.lists.numbers(link.id(), link.Lists), l.tags.numbers(link.id(), link.Tags))); err != nil {
		return err
	}
	if link.DeletedAt == nil && !l.NoNotes {
		active, err := pages[aceNote](ctx, l, "links/"+strconv.FormatInt(link.id(), 10)+"/notes")
		if err != nil && !isNotFound(err) { // not found: the link was deleted meanwhile
			return err
		}
		notes = append(ownEntities(l, active), notes...)
	}
	for _, note := range unique(notes) {
		if err := emit(archive.Note{Link: int(link.ID), Text: note.Note, Visibility: note.visibility(), Times: note.times()}); err != nil {
			return err
		}
	}
	return nil
}

// entity returns the link as an entity of an archive.
func (link aceLink) entity(lists, tags []int) archive.Link {
	e := archive.Link{
		Number: int(link.ID), URL: link.URL, Title: link.Title, Description: link.Description, Thumbnail: link.Thumbnail,
		Visibility: link.visibility(), CheckDisabled: bool(link.CheckDisabled), Lists: lists, Tags: tags,
		Times: link.times(),
	}
	if waymark.Status(link.Status).Valid() {
		e.Status = archive.Status(link.Status)
	}
	return e
}
