package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// CommonTag is the name of a tag that every tenth link bears, whosever it is.
const CommonTag = "every tenth"

// Plan says what collection to make. The same plan makes the same collection, its
// keys aside.
type Plan struct {
	Links  int
	Users  int // the first has four fifths of the links, the others share the rest
	Tags   int // of the first user
	Lists  int // of the first user
	Corpus *Corpus
}

// NewPlan returns the plan for that many links.
func NewPlan(links int, corpus *Corpus) Plan {
	return Plan{Links: links, Users: 3, Tags: 5000, Lists: 300, Corpus: corpus}
}

// atOnce is how many links are written in one change.
const atOnce = 5000

// Seed makes a collection in an empty store, and calls progress as it grows. It
// returns the names of the users, the first of whom sees nine tenths of the links.
func Seed(ctx context.Context, options store.Options, plan Plan, progress func(links int)) (names []string, err error) {
	if plan.Links < 1 || plan.Users < 1 || plan.Tags < 1 || plan.Lists < 1 {
		return nil, errors.New("a collection needs at least one link, user, tag and list")
	}
	// Links are a little apart in time, as they are in life.
	var clock atomic.Int64
	clock.Store(int64(waymark.FromTime(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))))
	options.Now = func() waymark.Time { return waymark.Time(clock.Add(time.Minute.Microseconds())) }
	options.Serve = true
	s, err := store.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	f := &field{Plan: plan, store: s, random: rand.New(rand.NewPCG(1, 2))}
	if err := f.addPeople(ctx); err != nil {
		return nil, err
	}
	for _, owner := range f.owners {
		names = append(names, owner.Name)
	}
	return names, f.addLinks(ctx, progress)
}

// field is a collection while it is made.
type field struct {
	Plan
	store  *store.Store
	random *rand.Rand
	common int64 // the id of CommonTag
	owners []owner
}

// owner is a user, and where their links may be filed. What is used most stands first.
type owner struct {
	waymark.User
	tags, lists     []int64
	oftenTag, often *rand.Zipf
}

func (f *field) addPeople(ctx context.Context) error {
	users, err := f.store.Users(ctx)
	if err != nil {
		return err
	}
	if len(users) > 0 {
		return errors.New("somebody has an account in that store: choose an empty one")
	}
	lib := service.New(f.store)
	for i := range f.Users {
		user, err := lib.AddUser(ctx, fmt.Sprintf("user%d", i+1), "")
		if err != nil {
			return err
		}
		share := 1
		if i > 0 {
			share = 10
		}
		o := owner{User: user}
		if err := f.addNames(ctx, &o, max(f.Tags/share, 1), max(f.Lists/share, 1)); err != nil {
			return err
		}
		f.owners = append(f.owners, o)
	}
	common, err := f.store.CreateTags(ctx, f.owners[0].ID, []waymark.Tag{{Name: CommonTag, Visibility: waymark.Internal}})
	if err != nil {
		return err
	}
	f.common = int64(common[0].ID)
	return nil
}

// addNames makes an owner's tags and lists.
func (f *field) addNames(ctx context.Context, o *owner, tags, lists int) error {
	newTags, newLists := make([]waymark.Tag, tags), make([]waymark.List, lists)
	for i := range newTags {
		newTags[i] = waymark.Tag{Name: f.Corpus.name(f.random, i+1), Visibility: f.visibility()}
	}
	for i := range newLists {
		newLists[i] = waymark.List{Name: f.Corpus.name(f.random, i+1), Visibility: f.visibility()}
	}
	addedTags, err := f.store.CreateTags(ctx, o.ID, newTags)
	if err != nil {
		return err
	}
	addedLists, err := f.store.CreateLists(ctx, o.ID, newLists)
	if err != nil {
		return err
	}
	for _, tag := range addedTags {
		o.tags = append(o.tags, int64(tag.ID))
	}
	for _, list := range addedLists {
		o.lists = append(o.lists, int64(list.ID))
	}
	o.oftenTag = rand.NewZipf(f.random, 1.2, 20, uint64(tags-1))
	o.often = rand.NewZipf(f.random, 1.1, 10, uint64(lists-1))
	return nil
}

// visibility returns private for half of what is made.
func (f *field) visibility() waymark.Visibility {
	switch n := f.random.IntN(10); {
	case n < 5:
		return waymark.Private
	case n < 8:
		return waymark.Internal
	}
	return waymark.Public
}

// batch is what one change adds.
type batch struct {
	owner  waymark.User
	drafts []waymark.LinkDraft
	err    error
}

// addLinks makes one batch while another is written.
func (f *field) addLinks(ctx context.Context, progress func(links int)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := make(chan batch)
	go func() {
		defer close(batches)
		for n := 0; n < f.Links; n += atOnce {
			select {
			case batches <- f.batch(n, min(atOnce, f.Links-n)):
			case <-ctx.Done():
				return
			}
		}
	}()
	written := 0
	for b := range batches {
		if b.err != nil {
			return b.err
		}
		if _, err := f.store.CreateLinks(ctx, b.owner, b.drafts); err != nil {
			return err
		}
		written += len(b.drafts)
		progress(written)
	}
	return ctx.Err()
}

// batch makes links from the n-th on. Of five batches, the first user gets four.
func (f *field) batch(n, size int) batch {
	o := &f.owners[0]
	if turn := n / atOnce; turn%5 == 4 && len(f.owners) > 1 {
		o = &f.owners[1+turn/5%(len(f.owners)-1)]
	}
	b := batch{owner: o.User, drafts: make([]waymark.LinkDraft, size)}
	for i := range b.drafts {
		var err error
		if b.drafts[i], err = f.draft(o, n+i); err != nil {
			b.err = err
		}
	}
	return b
}

func (f *field) draft(o *owner, n int) (waymark.LinkDraft, error) {
	in := f.Corpus.input(f.random, n)
	status := waymark.StatusOK
	switch percent := f.random.IntN(100); {
	case percent < 3:
		status = waymark.StatusBroken
	case percent < 8:
		status = waymark.StatusMoved
	}
	unchecked := f.random.IntN(100) == 0
	visibility := f.visibility()
	in.Status, in.CheckDisabled, in.Visibility = &status, &unchecked, &visibility
	link, err := waymark.NewLink(o.User, in)
	draft := waymark.LinkDraft{Link: link}
	if n%10 == 0 {
		draft.Tags = append(draft.Tags, waymark.Ref{ID: f.common})
	}
	for range f.random.IntN(6) {
		draft.Tags = append(draft.Tags, waymark.Ref{ID: o.tags[o.oftenTag.Uint64()]})
	}
	for range f.random.IntN(3) {
		draft.Lists = append(draft.Lists, waymark.Ref{ID: o.lists[o.often.Uint64()]})
	}
	return draft, err
}
