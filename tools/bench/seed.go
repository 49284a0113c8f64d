package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// CommonTag is the name of a tag that every tenth link has, of each user that sees it.
const CommonTag = "every tenth"

// Plan describes a generated collection. The same plan generates the same collection,
// except for API keys.
type Plan struct {
	Links    int
	Users    int  // the first one owns four fifths of the links
	Tags     int  // of the first user
	Lists    int  // of the first user
	Separate bool // all users own the same number of links, tags and lists, all private
	Corpus   *Corpus
}

// NewPlan returns the plan with the default numbers of users, tags and lists.
func NewPlan(links int) Plan {
	return Plan{Links: links, Users: 3, Tags: 5000, Lists: 300}
}

// batchSize is the number of links per write transaction.
const batchSize = 5000

// Seed generates a collection in an empty database. It calls progress with the number
// of links so far. It returns the names of the users; the first one sees nine tenths of
// the links.
func Seed(ctx context.Context, options store.Options, plan Plan, progress func(links int)) (names []string, err error) {
	if plan.Links < 1 || plan.Users < 1 || plan.Tags < 1 || plan.Lists < 1 {
		return nil, errors.New("a collection needs at least one link, user, tag and list")
	}
	if plan.Separate && plan.Links%plan.Users != 0 {
		return nil, fmt.Errorf("%d users cannot own the same number of %d links", plan.Users, plan.Links)
	}
	// The clock advances by a minute each time, so that links differ in their times.
	var clock atomic.Int64
	clock.Store(int64(waymark.FromTime(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))))
	options.Now = func() waymark.Time { return waymark.Time(clock.Add(time.Minute.Microseconds())) }
	options.Serve = true
	s, err := store.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	g := &generator{Plan: plan, store: s, random: rand.New(rand.NewPCG(1, 2))}
	if err := g.createUsers(ctx); err != nil {
		return nil, err
	}
	for _, owner := range g.owners {
		names = append(names, owner.Name)
	}
	if err := g.createLinks(ctx, progress); err != nil {
		return nil, err
	}
	// The log of changes has each link several times. A server would delete the old rows in its
	// first minute, beside what is measured.
	return names, s.PruneChanges(ctx)
}

// generator generates a collection.
type generator struct {
	Plan
	store     *store.Store
	random    *rand.Rand
	commonTag int64
	owners    []owner
}

// owner is a user with the ids of the user's tags and lists. A few of them are on most
// links: the distributions favor those at the front.
type owner struct {
	waymark.User
	tags, lists       []int64
	nextTag, nextList *rand.Zipf
}

func (g *generator) createUsers(ctx context.Context) error {
	users, err := g.store.Accounts.Users(ctx)
	if err != nil {
		return err
	}
	if len(users) > 0 {
		return fmt.Errorf("the database has %d users: use an empty one", len(users))
	}
	a := accounts.New(g.store, accounts.Options{})
	for i := range g.Users {
		user, err := a.AddUser(ctx, fmt.Sprintf("user%d", i+1), "")
		if err != nil {
			return err
		}
		divisor := 1
		if i > 0 && !g.Separate {
			divisor = 10
		}
		o := owner{User: user}
		if err := g.createLabels(ctx, &o, max(g.Tags/divisor, 1), max(g.Lists/divisor, 1)); err != nil {
			return err
		}
		g.owners = append(g.owners, o)
	}
	visibility := waymark.Internal
	if g.Separate {
		visibility = waymark.Private
	}
	common, err := g.store.CreateTags(ctx, g.owners[0].ID, []waymark.Tag{{Name: CommonTag, Visibility: visibility}})
	if err != nil {
		return err
	}
	g.commonTag = int64(common[0].ID)
	return nil
}

// createLabels creates an owner's tags and lists.
func (g *generator) createLabels(ctx context.Context, o *owner, tags, lists int) error {
	newTags, newLists := make([]waymark.Tag, tags), make([]waymark.List, lists)
	for i := range newTags {
		newTags[i] = waymark.Tag{Name: g.Corpus.name(g.random, i+1), Visibility: g.visibility()}
	}
	for i := range newLists {
		newLists[i] = waymark.List{Name: g.Corpus.name(g.random, i+1), Visibility: g.visibility()}
	}
	createdTags, err := g.store.CreateTags(ctx, o.ID, newTags)
	if err != nil {
		return err
	}
	createdLists, err := g.store.CreateLists(ctx, o.ID, newLists)
	if err != nil {
		return err
	}
	for _, tag := range createdTags {
		o.tags = append(o.tags, int64(tag.ID))
	}
	for _, list := range createdLists {
		o.lists = append(o.lists, int64(list.ID))
	}
	o.nextTag = rand.NewZipf(g.random, 1.2, 20, uint64(tags-1))
	o.nextList = rand.NewZipf(g.random, 1.1, 10, uint64(lists-1))
	return nil
}

// visibility returns a random visibility: private for half of the entities.
func (g *generator) visibility() waymark.Visibility {
	switch n := g.random.IntN(10); {
	case n < 5 || g.Separate:
		return waymark.Private
	case n < 8:
		return waymark.Internal
	}
	return waymark.Public
}

// batch is the links of one write transaction.
type batch struct {
	owner  waymark.User
	drafts []waymark.LinkDraft
	err    error
}

// createLinks generates each batch while the one before is written.
func (g *generator) createLinks(ctx context.Context, progress func(links int)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := make(chan batch)
	go func() {
		defer close(batches)
		for n, size := 0, 0; n < g.Links; n += size {
			size = min(batchSize, g.Links-n)
			if g.Separate { // all links of a user
				size = g.Links / g.Users
			}
			select {
			case batches <- g.batch(n, size):
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
		if _, err := g.store.CreateLinks(ctx, b.owner, b.drafts); err != nil {
			return err
		}
		written += len(b.drafts)
		progress(written)
	}
	return ctx.Err()
}

// batch generates links from the n-th on. Four batches in five are the first user's,
// unless all users own the same number.
func (g *generator) batch(n, size int) batch {
	o := &g.owners[0]
	if g.Separate {
		o = &g.owners[n/size]
	} else if i := n / batchSize; i%5 == 4 && len(g.owners) > 1 {
		o = &g.owners[1+i/5%(len(g.owners)-1)]
	}
	b := batch{owner: o.User, drafts: make([]waymark.LinkDraft, size)}
	for i := range b.drafts {
		var err error
		if b.drafts[i], err = g.draft(o, n+i); err != nil {
			b.err = err
		}
	}
	return b
}

func (g *generator) draft(o *owner, n int) (waymark.LinkDraft, error) {
	in := g.Corpus.input(g.random, n)
	status := waymark.StatusOK
	switch percent := g.random.IntN(100); {
	case percent < 3:
		status = waymark.StatusBroken
	case percent < 8:
		status = waymark.StatusMoved
	}
	checkDisabled := g.random.IntN(100) == 0
	visibility := g.visibility()
	in.Status, in.CheckDisabled, in.Visibility = &status, &checkDisabled, &visibility
	link, err := waymark.NewLink(o.User, in)
	draft := waymark.LinkDraft{Link: link}
	if n%10 == 0 && (!g.Separate || o == &g.owners[0]) {
		draft.Tags = append(draft.Tags, waymark.Ref{ID: g.commonTag})
	}
	for range g.random.IntN(6) {
		draft.Tags = append(draft.Tags, waymark.Ref{ID: o.tags[o.nextTag.Uint64()]})
	}
	for range g.random.IntN(3) {
		draft.Lists = append(draft.Lists, waymark.Ref{ID: o.lists[o.nextList.Uint64()]})
	}
	return draft, err
}
