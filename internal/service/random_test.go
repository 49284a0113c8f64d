package service_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// world is a collection beside the model of what it must be.
type world struct {
	*model
	*rapid.T
	ctx   context.Context
	s     *store.Store
	lib   *service.Service
	names int // how many users there have been
}

// Several people do anything at all to one collection, and after every step some
// question is asked that the model must answer alike; in the end, every question for
// everybody. go test -run Random -rapid.checks=1000 ./internal/library looks longer.
func TestRandomChangesMakeWhatThePlainModelMakes(t *testing.T) {
	fewButLong(t)
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(rt *rapid.T) {
			w := &world{model: newModel(), T: rt, ctx: t.Context(), s: s, lib: service.New(s)}
			defer w.leave()
			for range 2 {
				w.addUser()
			}
			for range 3 {
				w.addLinks()
				w.addList()
				w.addTags()
			}
			rt.Repeat(map[string]func(*rapid.T){
				"add link":    w.step(w.addLink),
				"add links":   w.step(w.addLinks),
				"edit link":   w.step(w.editLink),
				"edit links":  w.step(w.editLinks),
				"add list":    w.step(w.addList),
				"edit list":   w.step(w.editList),
				"edit lists":  w.step(w.editLists),
				"add tags":    w.step(w.addTags),
				"edit tag":    w.step(w.editTag),
				"edit tags":   w.step(w.editTags),
				"add note":    w.step(w.addNote),
				"edit note":   w.step(w.editNote),
				"trash":       w.step(w.trash),
				"delete one":  w.step(w.deleteOne),
				"restore":     w.step(w.restore),
				"clear":       w.step(w.clear),
				"visibility":  w.step(w.setVisibility),
				"remove user": w.step(w.removeUser),
				"":            w.step(w.askSomething),
			})
			w.askEverything()
		})
	})
}

// fewButLong sets how much is looked at, where the flags do not say: what goes wrong
// only after much has happened would not be found by many short lives.
func fewButLong(t *testing.T) {
	t.Helper()
	for name, usual := range map[string]string{"rapid.checks": "10", "rapid.steps": "80"} {
		if f := flag.Lookup(name); f.Value.String() == f.DefValue {
			if err := f.Value.Set(usual); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (w *world) step(do func()) func(*rapid.T) {
	return func(t *rapid.T) {
		w.T = t
		do()
	}
}

// leave empties the database: what users leave behind would be the next check's.
func (w *world) leave() {
	users, err := w.s.Users(w.ctx)
	for _, user := range users {
		err = errors.Join(err, w.s.DeleteUser(w.ctx, user.ID))
	}
	if err != nil {
		w.Error(err)
	}
}

// What is drawn.

// idsOf are the ids of what there is, and one of nothing.
func idsOf[ID waymark.ID, T any](entries map[ID]T) *rapid.Generator[ID] {
	return rapid.SampledFrom(append(slices.Sorted(maps.Keys(entries)), 1<<40))
}

func (w *world) someone() waymark.User {
	ids := slices.Sorted(maps.Keys(w.users))
	return w.users[rapid.SampledFrom(ids).Draw(w.T, "user")]
}

var (
	someText       = rapid.SampledFrom([]string{"", "Straße", "STRASSE", "tea & Ärger", "ärger", "100%", "a_b", "東京都", "It's \"so\"", "A", "a", "b"})
	someName       = rapid.SampledFrom([]string{"red", "RED", "b", "ÄRGER", "ärger"})
	someURL        = rapid.SampledFrom([]string{"https://a.example/", "https://A.example/", "https://b.example/Straße", "https://b.example/strasse", "https://c.example/?q=100%", "mailto:a@b.example", "https://d.example/", "https://e.example/", "no address"})
	someVisibility = rapid.SampledFrom([]waymark.Visibility{waymark.Public, waymark.Internal, waymark.Private})
	someStatus     = rapid.SampledFrom([]waymark.Status{waymark.StatusOK, waymark.StatusMoved, waymark.StatusBroken})
	someKind       = rapid.SampledFrom([]waymark.EntityKind{waymark.Links, waymark.Lists, waymark.Tags, waymark.Notes})
)

func maybe[T any](w *world, g *rapid.Generator[T], what string) *T {
	return rapid.Ptr(g, true).Draw(w.T, what)
}

func (w *world) sharing() waymark.VisibilityInput {
	return waymark.VisibilityInput{Visibility: maybe(w, someVisibility, "visibility"), Private: maybe(w, rapid.Bool(), "private")}
}

// refs name and number what there is, what there is not, and what is another's.
func refs[ID waymark.ID, T any](entries map[ID]T) *rapid.Generator[[]waymark.Ref] {
	one := rapid.Custom(func(t *rapid.T) waymark.Ref {
		if rapid.Bool().Draw(t, "by name") {
			return waymark.Ref{Name: someName.Draw(t, "name")}
		}
		return waymark.Ref{ID: int64(idsOf(entries).Draw(t, "id"))}
	})
	return rapid.SliceOfN(one, 0, 4)
}

func (w *world) linkInput() waymark.LinkInput {
	return waymark.LinkInput{
		URL:             someURL.Draw(w.T, "url"),
		Title:           maybe(w, someText, "title"),
		Description:     maybe(w, someText, "description"),
		Status:          maybe(w, someStatus, "status"),
		CheckDisabled:   maybe(w, rapid.Bool(), "check disabled"),
		Lists:           maybe(w, refs(w.lists), "lists"),
		Tags:            maybe(w, refs(w.tags), "tags"),
		VisibilityInput: w.sharing(),
	}
}

func (w *world) bulkEdit() waymark.BulkEdit {
	return waymark.BulkEdit{
		Visibility:   maybe(w, someVisibility, "visibility"),
		Lists:        refs(w.lists).Draw(w.T, "lists"),
		Tags:         refs(w.tags).Draw(w.T, "tags"),
		ReplaceLists: rapid.Bool().Draw(w.T, "replace lists"),
		ReplaceTags:  rapid.Bool().Draw(w.T, "replace tags"),
	}
}

func deref[T any](p *[]T) []T {
	if p == nil {
		return nil
	}
	return *p
}

// What is expected.

// errInvalid stands for an ValidationError.
var errInvalid = errors.New("a rule is broken")

func (w *world) wantError(what string, got, want error) {
	w.Helper()
	var invalid *waymark.ValidationError
	if errors.As(got, &invalid) {
		got = errInvalid
	}
	if !errors.Is(got, want) {
		w.Fatalf("%s: got error %v, want %v", what, got, want)
	}
}

// learn takes up the lists and tags that a change has made of names: those, and no
// others.
func (w *world) learn(user waymark.User, lists, tags []string) {
	w.Helper()
	foundTags, err := w.s.SuggestTags(w.ctx, user.ID, "", 0)
	w.wantError("names of tags", err, nil)
	var newTags, newLists []string
	for _, tag := range foundTags {
		if w.tags[tag.ID] == nil {
			newTags = append(newTags, tag.Name)
			if tag.Owner != user.ID || tag.Visibility != user.Visibility {
				w.Fatalf("new tag %+v of user %+v", tag, user)
			}
			w.tags[tag.ID] = &tag
		}
	}
	foundLists, err := w.s.SuggestLists(w.ctx, user.ID, "", 0)
	w.wantError("names of lists", err, nil)
	for _, list := range foundLists {
		if w.lists[list.ID] == nil {
			newLists = append(newLists, list.Name)
			if list.Owner != user.ID || list.Visibility != user.Visibility {
				w.Fatalf("new list %+v of user %+v", list, user)
			}
			w.lists[list.ID] = &list
		}
	}
	for _, names := range [][]string{newTags, newLists, lists, tags} {
		slices.Sort(names)
	}
	if !slices.Equal(newTags, tags) || !slices.Equal(newLists, lists) {
		w.Fatalf("made tags %q and lists %q, want %q and %q", newTags, newLists, tags, lists)
	}
}

// What people do.

func (w *world) addUser() {
	w.names++
	user, err := w.lib.AddUser(w.ctx, fmt.Sprint("user", w.names), "")
	w.wantError("add user", err, nil)
	w.users[user.ID] = user
}

func (w *world) removeUser() {
	if w.names > 6 || rapid.IntRange(0, 3).Draw(w.T, "rarely") > 0 {
		w.Skip("somebody must stay")
	}
	user := w.someone()
	w.wantError("remove user", w.lib.RemoveUser(w.ctx, user.Name), nil)
	w.eraseUser(user.ID)
	w.addUser()
}

func (w *world) setVisibility() {
	user, v := w.someone(), someVisibility.Draw(w.T, "visibility")
	w.wantError("set visibility", w.lib.SetDefaultVisibility(w.ctx, user.Name, v), nil)
	user.Visibility = v
	w.users[user.ID] = user
}

// keepLink takes up a link that was added, filed as its input says.
func (w *world) keepLink(user waymark.User, link, got waymark.Link, in waymark.LinkInput) {
	link.ID, link.CreatedAt, link.UpdatedAt = got.ID, got.CreatedAt, got.UpdatedAt
	w.links[got.ID] = &modelLink{link, map[waymark.ListID]bool{}, map[waymark.TagID]bool{}}
	w.file(user.ID, w.links[got.ID], deref(in.Lists), deref(in.Tags), false, false)
	w.wantLink("added", got, user.ID, w.links[got.ID])
}

func (w *world) addLink() {
	user, in := w.someone(), w.linkInput()
	link, err := waymark.NewLink(user, in)
	if err == nil && w.ownURL(user.ID, in.URL) != nil {
		err = errInvalid
	}
	got, refused := w.lib.AddLink(w.ctx, user, in)
	if err != nil {
		w.wantError("add link", refused, errInvalid)
		w.learn(user, nil, nil)
		return
	}
	w.wantError("add link", refused, nil)
	w.learn(user, w.newListNames(user.ID, deref(in.Lists)), w.newTagNames(user.ID, deref(in.Tags)))
	w.keepLink(user, link, got, in)
}

func (w *world) addLinks() {
	user := w.someone()
	var inputs []waymark.LinkInput
	var links []waymark.Link
	var lists, tags []waymark.Ref
	bad, urls := false, map[string]bool{}
	for range rapid.IntRange(1, 4).Draw(w.T, "links") {
		in := w.linkInput()
		link, err := waymark.NewLink(user, in)
		bad = bad || err != nil || urls[in.URL] || w.ownURL(user.ID, in.URL) != nil
		urls[in.URL] = true
		inputs, links = append(inputs, in), append(links, link)
		lists, tags = append(lists, deref(in.Lists)...), append(tags, deref(in.Tags)...)
	}
	got, err := w.lib.AddLinks(w.ctx, user, inputs)
	if bad {
		w.wantError("add links", err, errInvalid)
		w.learn(user, nil, nil)
		return
	}
	w.wantError("add links", err, nil)
	w.learn(user, w.newListNames(user.ID, lists), w.newTagNames(user.ID, tags))
	for i := range got {
		w.keepLink(user, links[i], got[i], inputs[i])
	}
}

func (w *world) editLink() {
	user, id, in := w.someone(), idsOf(w.links).Draw(w.T, "link"), w.linkInput()
	link := w.links[id]
	var want error
	var edited waymark.Link
	switch {
	case link == nil || link.DeletedAt != 0:
		want = waymark.ErrNotFound
	case link.Owner != user.ID:
		want = waymark.ErrForbidden
	default:
		edited = link.Link
		other := w.ownURL(user.ID, in.URL)
		if in.Apply(&edited) != nil || other != nil && other != link {
			want = errInvalid
		}
	}
	got, err := w.lib.EditLink(w.ctx, user, id, in)
	w.wantError("edit link", err, want)
	if want != nil {
		w.learn(user, nil, nil)
		return
	}
	w.learn(user, w.newListNames(user.ID, deref(in.Lists)), w.newTagNames(user.ID, deref(in.Tags)))
	edited.UpdatedAt = got.UpdatedAt
	link.Link = edited
	w.file(user.ID, link, deref(in.Lists), deref(in.Tags), in.Lists != nil, in.Tags != nil)
	w.wantLink("edited", got, user.ID, link)
}

func (w *world) editLinks() {
	user, edit := w.someone(), w.bulkEdit()
	ids := rapid.SliceOfN(idsOf(w.links), 1, 6).Draw(w.T, "links")
	var own []*modelLink
	want := []waymark.LinkID{} // 0 for nil
	for i, id := range ids {
		link := w.links[id]
		switch {
		case link == nil || link.DeletedAt != 0 || slices.Contains(ids[:i], id):
		case link.Owner != user.ID:
			want = append(want, 0)
		default:
			want = append(want, id)
			own = append(own, link)
		}
	}
	got, err := w.lib.EditLinks(w.ctx, user, plain(ids), edit)
	w.wantError("edit links", err, nil)
	if len(own) == 0 {
		w.learn(user, nil, nil)
	} else {
		w.learn(user, w.newListNames(user.ID, edit.Lists), w.newTagNames(user.ID, edit.Tags))
	}
	for _, link := range own {
		link.Visibility = edit.ApplyVisibility(link.Visibility)
		w.file(user.ID, link, edit.Lists, edit.Tags, edit.ReplaceLists, edit.ReplaceTags)
	}
	if len(got) != len(want) {
		w.Fatalf("edit links %v: %d come back, want %v", ids, len(got), want)
	}
	for i, link := range got {
		switch {
		case (link == nil) != (want[i] == 0):
			w.Fatalf("edit links %v: place %d is %v, want %d", ids, i, link, want[i])
		case link != nil:
			w.wantLink("edited", *link, user.ID, w.links[want[i]])
		}
	}
}

func plain[ID waymark.ID](ids []ID) []int64 {
	all := make([]int64, len(ids))
	for i, id := range ids {
		all[i] = int64(id)
	}
	return all
}
