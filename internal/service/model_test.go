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

// modelTest compares a service with the reference model.
type modelTest struct {
	*referenceModel
	*rapid.T
	ctx     context.Context
	store   *store.Store
	service *service.Service
	names   int // number of users that were added
}

// TestRandomWritesMatchReferenceModel runs random writes of several users. After each write
// it compares one random read with the reference model, and at the end all reads of all
// users. Run more of them with go test -run Random -rapid.checks=1000 ./internal/service.
func TestRandomWritesMatchReferenceModel(t *testing.T) {
	storetest.Each(t, checkRandomWrites)
}

func checkRandomWrites(t *testing.T, s *store.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		mt := &modelTest{referenceModel: newReferenceModel(), T: rt, ctx: t.Context(), store: s, service: service.New(s)}
		defer mt.cleanUp()
		for range 2 {
			mt.addUser()
		}
		for range 3 {
			mt.addLinks()
			mt.addList()
			mt.addTags()
		}
		rt.Repeat(map[string]func(*rapid.T){
			"add link":         mt.step(mt.addLink),
			"add links":        mt.step(mt.addLinks),
			"edit link":        mt.step(mt.editLink),
			"edit links":       mt.step(mt.editLinks),
			"take out":         mt.step(mt.takeOut),
			"add list":         mt.step(mt.addList),
			"edit list":        mt.step(mt.editList),
			"edit lists":       mt.step(mt.editLists),
			"move lists":       mt.step(mt.moveLists),
			"add tags":         mt.step(mt.addTags),
			"edit tag":         mt.step(mt.editTag),
			"edit tags":        mt.step(mt.editTags),
			"add note":         mt.step(mt.addNote),
			"edit note":        mt.step(mt.editNote),
			"delete many":      mt.step(mt.deleteMany),
			"delete one":       mt.step(mt.deleteOne),
			"restore":          mt.step(mt.restore),
			"restore many":     mt.step(mt.restoreMany),
			"edit selection":   mt.step(mt.editSelection),
			"delete selection": mt.step(mt.deleteSelection),
			"clear":            mt.step(mt.clear),
			"visibility":       mt.step(mt.setVisibility),
			"undone change":    mt.step(mt.undoneChange),
			"merge tags":       mt.step(mt.mergeTags),
			"remove user":      mt.step(mt.removeUser),
			"":                 mt.step(mt.checkRandom),
		})
		mt.checkAll()
	})
}

// Few long runs find errors that need many writes. A test must pass with every seed. With this one, the
// same commit has the same result; make fuzz takes others.
var _ = errors.Join(flag.Set("rapid.checks", "10"), flag.Set("rapid.steps", "80"), flag.Set("rapid.seed", "1"))

func (mt *modelTest) step(do func()) func(*rapid.T) {
	return func(t *rapid.T) {
		mt.T = t
		do()
	}
}

// cleanUp removes all users, so that the next run starts with an empty database.
func (mt *modelTest) cleanUp() {
	users, err := mt.store.Accounts.Users(mt.ctx)
	for _, user := range users {
		err = errors.Join(err, storetest.RemoveUser(mt.ctx, mt.store, user.ID))
	}
	if err != nil {
		mt.Error(err)
	}
}

// anyIDOf generates an id of one of the entities, or an unknown id.
func anyIDOf[ID waymark.ID, T any](entities map[ID]T) *rapid.Generator[ID] {
	return rapid.SampledFrom(append(slices.Sorted(maps.Keys(entities)), 1<<40))
}

func (mt *modelTest) anyUser() waymark.User {
	ids := slices.Sorted(maps.Keys(mt.users))
	return mt.users[rapid.SampledFrom(ids).Draw(mt.T, "user")]
}

var (
	anyText       = rapid.SampledFrom([]string{"", "Straße", "STRASSE", "tea & Ärger", "ärger", "100%", "a_b", "東京都", "It's \"so\"", "A", "a", "b"})
	anyName       = rapid.SampledFrom([]string{"red", "RED", "b", "ÄRGER", "ärger"})
	anyURL        = rapid.SampledFrom([]string{"https://a.example/", "https://A.example/", "https://b.example/Straße", "https://b.example/strasse", "https://c.example/?q=100%", "mailto:a@b.example", "https://d.example/", "https://e.example/", "not a URL"})
	anyVisibility = rapid.SampledFrom([]waymark.Visibility{waymark.Public, waymark.Internal, waymark.Private})
	anyRefsMode   = rapid.SampledFrom([]waymark.RefsMode{waymark.AppendRefs, waymark.ReplaceRefs, waymark.RemoveRefs})
	anyStatus     = rapid.SampledFrom([]waymark.Status{waymark.StatusOK, waymark.StatusMoved, waymark.StatusBroken})
	anyKind       = rapid.SampledFrom([]waymark.EntityKind{waymark.Links, waymark.Lists, waymark.Tags, waymark.Notes})
)

func optional[T any](mt *modelTest, g *rapid.Generator[T], what string) *T {
	return rapid.Ptr(g, true).Draw(mt.T, what)
}

func (mt *modelTest) visibilityInput() waymark.VisibilityInput {
	return waymark.VisibilityInput{Visibility: optional(mt, anyVisibility, "visibility"), Private: optional(mt, rapid.Bool(), "private")}
}

// refs generates references by id and by name to existing and missing entities, including
// those of other users.
func refs[ID waymark.ID, T any](entities map[ID]T) *rapid.Generator[[]waymark.Ref] {
	one := rapid.Custom(func(t *rapid.T) waymark.Ref {
		if rapid.Bool().Draw(t, "by name") {
			return waymark.Ref{Name: anyName.Draw(t, "name")}
		}
		return waymark.Ref{ID: int64(anyIDOf(entities).Draw(t, "id")), Name: rapid.SampledFrom([]string{"", "", "b"}).Draw(t, "name")}
	})
	return rapid.SliceOfN(one, 0, 4)
}

func (mt *modelTest) linkInput() waymark.LinkInput {
	return waymark.LinkInput{
		URL:             anyURL.Draw(mt.T, "url"),
		Title:           optional(mt, anyText, "title"),
		Description:     optional(mt, anyText, "description"),
		Status:          optional(mt, anyStatus, "status"),
		CheckDisabled:   optional(mt, rapid.Bool(), "check disabled"),
		FlagsInput:      mt.flags(),
		Lists:           optional(mt, refs(mt.lists), "lists"),
		Tags:            optional(mt, refs(mt.tags), "tags"),
		VisibilityInput: mt.visibilityInput(),
	}
}

func (mt *modelTest) flags() waymark.FlagsInput {
	return waymark.FlagsInput{
		Unread:   optional(mt, rapid.Bool(), "unread"),
		Archived: optional(mt, rapid.Bool(), "archived"),
		Favorite: optional(mt, rapid.Bool(), "favorite"),
	}
}

func (mt *modelTest) bulkEdit() waymark.BulkEdit {
	return waymark.BulkEdit{
		FlagsInput: mt.flags(),
		Visibility: optional(mt, anyVisibility, "visibility"),
		Lists:      refs(mt.lists).Draw(mt.T, "lists"),
		Tags:       refs(mt.tags).Draw(mt.T, "tags"),
		ListsMode:  anyRefsMode.Draw(mt.T, "mode of lists"),
		TagsMode:   anyRefsMode.Draw(mt.T, "mode of tags"),
	}
}

func deref[T any](p *[]T) []T {
	if p == nil {
		return nil
	}
	return *p
}

// errInvalid represents any ValidationError.
var errInvalid = errors.New("validation error")

func (mt *modelTest) wantError(what string, got, want error) {
	mt.Helper()
	var invalid *waymark.ValidationError
	if errors.As(got, &invalid) {
		got = errInvalid
	}
	if !errors.Is(got, want) {
		mt.Fatalf("%s: got error %v, want %v", what, got, want)
	}
}

// adoptCreated adds the lists and tags to the model that a write created from names, and
// checks that these are exactly the wanted ones.
func (mt *modelTest) adoptCreated(user waymark.User, lists, tags []string) {
	mt.Helper()
	foundTags, err := mt.store.SuggestTags(user.ID, "", 0).Page(mt.ctx)
	mt.wantError("suggest tags", err, nil)
	var newTags, newLists []string
	for _, tag := range foundTags.Entities {
		if mt.tags[tag.ID] == nil {
			newTags = append(newTags, tag.Name)
			if tag.Owner != user.ID || tag.Visibility != user.DefaultVisibility.Tags {
				mt.Fatalf("new tag %+v of user %+v", tag, user)
			}
			mt.tags[tag.ID] = &tag
		}
	}
	foundLists, err := mt.store.SuggestLists(user.ID, "", 0).Page(mt.ctx)
	mt.wantError("suggest lists", err, nil)
	for _, list := range foundLists.Entities {
		if mt.lists[list.ID] == nil {
			newLists = append(newLists, list.Name)
			if list.Owner != user.ID || list.Visibility != user.DefaultVisibility.Lists {
				mt.Fatalf("new list %+v of user %+v", list, user)
			}
			mt.lists[list.ID] = &list
		}
	}
	for _, names := range [][]string{newTags, newLists, lists, tags} {
		slices.Sort(names)
	}
	if !slices.Equal(newTags, tags) || !slices.Equal(newLists, lists) {
		mt.Fatalf("created tags %q and lists %q, want %q and %q", newTags, newLists, tags, lists)
	}
}

func (mt *modelTest) addUser() {
	mt.names++
	user, err := mt.store.Accounts.CreateUser(mt.ctx, waymark.User{Name: fmt.Sprint("user", mt.names), DefaultVisibility: waymark.DefaultsTo(waymark.Private)}, "")
	mt.wantError("add user", err, nil)
	mt.users[user.ID] = user
}

func (mt *modelTest) removeUser() {
	if mt.names > 6 || rapid.IntRange(0, 3).Draw(mt.T, "one of four") > 0 {
		mt.Skip("too few users")
	}
	user := mt.anyUser()
	mt.wantError("remove user", storetest.RemoveUser(mt.ctx, mt.store, user.ID), nil)
	mt.deleteUser(user.ID)
	mt.addUser()
}

func (mt *modelTest) setVisibility() {
	edit := waymark.DefaultVisibility{
		Links: anyVisibility.Draw(mt.T, "links"),
		Lists: anyVisibility.Draw(mt.T, "lists"),
		Tags:  anyVisibility.Draw(mt.T, "tags"),
		Notes: anyVisibility.Draw(mt.T, "notes"),
	}
	user, err := mt.store.Accounts.ChangeUser(mt.ctx, mt.anyUser().Name, func(user *waymark.User) error {
		user.DefaultVisibility = user.DefaultVisibility.Edit(edit)
		return nil
	}, func(waymark.User, int) error { return nil })
	mt.wantError("set visibility", err, nil)
	mt.users[user.ID] = user
}

// adoptLink adds a link to the model that was added to the service, with its lists and tags.
func (mt *modelTest) adoptLink(user waymark.User, link, got waymark.Link, in waymark.LinkInput) {
	link.ID, link.CreatedAt, link.UpdatedAt = got.ID, got.CreatedAt, got.UpdatedAt
	mt.links[got.ID] = &referenceLink{link, map[waymark.ListID]bool{}, map[waymark.TagID]bool{}}
	mt.attach(user.ID, mt.links[got.ID], deref(in.Lists), deref(in.Tags), waymark.AppendRefs, waymark.AppendRefs)
	mt.wantLink("added", got, user.ID, mt.links[got.ID])
}

func (mt *modelTest) addLink() {
	user, in := mt.anyUser(), mt.linkInput()
	link, err := waymark.NewLink(user, in)
	if err == nil && mt.ownURL(user.ID, in.URL) != nil {
		err = errInvalid
	}
	got, refused := mt.service.AddLink(mt.ctx, user, in)
	if err != nil {
		mt.wantError("add link", refused, errInvalid)
		mt.adoptCreated(user, nil, nil)
		return
	}
	mt.wantError("add link", refused, nil)
	mt.adoptCreated(user, mt.newListNames(user.ID, deref(in.Lists)), mt.newTagNames(user.ID, deref(in.Tags)))
	mt.adoptLink(user, link, got, in)
}

func (mt *modelTest) addLinks() {
	user := mt.anyUser()
	var inputs []waymark.LinkInput
	var links []waymark.Link
	var lists, tags []waymark.Ref
	invalid, urls := false, map[string]bool{}
	for range rapid.IntRange(1, 4).Draw(mt.T, "links") {
		in := mt.linkInput()
		link, err := waymark.NewLink(user, in)
		invalid = invalid || err != nil || urls[in.URL] || mt.ownURL(user.ID, in.URL) != nil
		urls[in.URL] = true
		inputs, links = append(inputs, in), append(links, link)
		lists, tags = append(lists, deref(in.Lists)...), append(tags, deref(in.Tags)...)
	}
	added, err := mt.service.AddLinks(mt.ctx, user, inputs)
	if invalid {
		mt.wantError("add links", err, errInvalid)
		mt.adoptCreated(user, nil, nil)
		return
	}
	mt.wantError("add links", err, nil)
	got, err := storetest.All(mt.ctx, mt.store, added)
	mt.wantError("read the new links", err, nil)
	mt.adoptCreated(user, mt.newListNames(user.ID, lists), mt.newTagNames(user.ID, tags))
	for i := range got {
		mt.adoptLink(user, links[i], got[i], inputs[i])
	}
}

func (mt *modelTest) editLink() {
	user, id, in := mt.anyUser(), anyIDOf(mt.links).Draw(mt.T, "link"), mt.linkInput()
	link := mt.links[id]
	var want error
	var edited waymark.Link
	switch {
	case link == nil || link.DeletedAt != 0:
		want = waymark.ErrNotFound
	case link.Owner != user.ID:
		want = waymark.ErrForbidden
	default:
		edited = link.Link
		other := mt.ownURL(user.ID, in.URL)
		if in.Apply(&edited) != nil || other != nil && other != link || mt.unusableLists(user.ID, deref(in.Lists)) || mt.unusableTags(user.ID, deref(in.Tags)) {
			want = errInvalid
		}
	}
	got, err := mt.service.EditLink(mt.ctx, user, id, in)
	mt.wantError("edit link", err, want)
	if want != nil {
		mt.adoptCreated(user, nil, nil)
		return
	}
	mt.adoptCreated(user, mt.newListNames(user.ID, deref(in.Lists)), mt.newTagNames(user.ID, deref(in.Tags)))
	edited.UpdatedAt = got.UpdatedAt
	link.Link = edited
	mt.attach(user.ID, link, deref(in.Lists), deref(in.Tags), replaceIf(in.Lists), replaceIf(in.Tags))
	mt.wantLink("edited", got, user.ID, link)
}

func (mt *modelTest) editLinks() {
	user, edit := mt.anyUser(), mt.bulkEdit()
	ids := rapid.SliceOfN(anyIDOf(mt.links), 1, 6).Draw(mt.T, "links")
	var own []*referenceLink
	for i, id := range ids {
		link := mt.links[id]
		if link != nil && link.DeletedAt == 0 && link.Owner == user.ID && !slices.Contains(ids[:i], id) {
			own = append(own, link)
		}
	}
	changed, err := mt.service.EditLinks(mt.ctx, user, plainIDs(ids), edit)
	if edit.ListsMode == waymark.ReplaceRefs && mt.unusableLists(user.ID, edit.Lists) || edit.TagsMode == waymark.ReplaceRefs && mt.unusableTags(user.ID, edit.Tags) {
		mt.wantError("edit links", err, errInvalid)
		mt.adoptCreated(user, nil, nil)
		return
	}
	mt.wantError("edit links", err, nil)
	got, err := storetest.All(mt.ctx, mt.store, changed)
	mt.wantError("read the edited links", err, nil)
	if len(own) == 0 {
		mt.adoptCreated(user, nil, nil)
	} else {
		mt.adoptNamed(user, edit)
	}
	for _, link := range own {
		link.Visibility = edit.ApplyVisibility(link.Visibility)
		edit.ApplyTo(&link.LinkFlags)
		mt.attach(user.ID, link, edit.Lists, edit.Tags, edit.ListsMode, edit.TagsMode)
	}
	if len(got) != len(own) {
		mt.Fatalf("edit links %v: got %d, want %d", ids, len(got), len(own))
	}
	for i, link := range got {
		mt.wantLink("edited", link, user.ID, own[i])
	}
}

func plainIDs[ID waymark.ID](ids []ID) []int64 {
	all := make([]int64, len(ids))
	for i, id := range ids {
		all[i] = int64(id)
	}
	return all
}
