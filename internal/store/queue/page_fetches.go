package queue

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// PageFetchColumns are the columns of page_fetches.
var PageFetchColumns = table.ParseColumns("link_id BIGINT, user_id BIGINT, created_at BIGINT, due_at BIGINT, attempts BIGINT, wants BIGINT, by_hand BOOLEAN")

// WantedPage is what a link is to get from its page.
type WantedPage struct {
	link  waymark.Link
	wants waymark.PageParts
}

// NewPage returns what a new link is to get from its page.
func (s *Store) NewPage(id waymark.LinkID, link waymark.Link) WantedPage {
	link.ID = id
	return WantedPage{link, s.fetch.New(link)}
}

// Without returns what the link is to get except for some parts.
func (p WantedPage) Without(parts waymark.PageParts) WantedPage {
	p.wants &^= parts
	return p
}

// AddChangedPage adds the page of a link to the queue if the change asks for it, see AddPages.
func (s *Store) AddChangedPage(ctx context.Context, q database.Querier, before, after waymark.Link, byHand bool) error {
	return s.AddPages(ctx, q, after.Owner, []WantedPage{{after, s.fetch.Changed(before, after)}}, byHand)
}

// AddPages queues the pages of an owner's links, for the parts that the owner wants. byHand says that a
// person saved this one link: its page goes before those of imports and bulk changes.
func (s *Store) AddPages(ctx context.Context, q database.Querier, owner waymark.UserID, pages []WantedPage, byHand bool) error {
	if !slices.ContainsFunc(pages, func(p WantedPage) bool { return p.wants != 0 }) {
		return nil
	}
	user, err := table.Users.Get(ctx, q, "e.id = $1", owner)
	if err != nil {
		return err
	}
	var rows [][]any
	now := s.now()
	for _, page := range pages {
		wants := user.PageParts(page.link, page.wants)
		if user.NoMetadata {
			wants &^= waymark.TextParts
		}
		if wants != 0 {
			rows = append(rows, []any{page.link.ID, owner, now, now, 0, wants, byHand})
		}
	}
	return table.InBatches(ctx, rows, func(rows [][]any) error { return insertFetches(ctx, q, rows) })
}

// insertFetches inserts rows of page_fetches. A page that is to be fetched already is fetched for all parts.
func insertFetches(ctx context.Context, q database.Querier, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	a := q.Args()
	_, err := q.Exec(ctx, table.InsertSQL(a, "page_fetches", PageFetchColumns, rows)+`
		ON CONFLICT (link_id) DO UPDATE SET due_at = excluded.due_at, attempts = 0,
			wants = page_fetches.wants | excluded.wants, by_hand = page_fetches.by_hand OR excluded.by_hand`, a.Values...)
	return err
}

// ForgetTexts cancels the fetches that are planned for the texts of a user's links.
func ForgetTexts(ctx context.Context, q database.Querier, user waymark.UserID) error {
	if _, err := q.Exec(ctx, `
		UPDATE page_fetches
		SET wants = wants - $2
		WHERE user_id = $1 AND wants % (2 * $2) >= $2`, user, waymark.TextParts); err != nil {
		return err
	}
	_, err := q.Exec(ctx, `
		DELETE FROM page_fetches
		WHERE user_id = $1 AND wants = 0`, user)
	return err
}

// ClaimedPage is the page of a link that one server is to fetch.
type ClaimedPage struct {
	Link     waymark.LinkID
	Owner    waymark.UserID
	URL      string
	Attempts int               // that were begun before
	Wants    waymark.PageParts // 0 if the owner no longer wants any
	ByHand   bool              // see AddPages
	Until    waymark.Time      // when the claim ends
}

// pageClaimLock is the key of the lock with which servers claim and plan pages one after the other.
const pageClaimLock = 0x70616765

// ClaimPage returns a page that is due to be fetched, or waymark.ErrNotFound. Those of links that were
// saved by hand go first. Every user with such pages is equally likely, so that the many pages of one do
// not keep the others waiting. Another server can claim the page at the time until; before, this one has
// to call FinishPage or PostponePage.
func (s *Store) ClaimPage(ctx context.Context, until waymark.Time) (ClaimedPage, error) {
	page, err := s.ClaimPageByHand(ctx, until)
	if errors.Is(err, waymark.ErrNotFound) {
		page, err = s.claimPageOfAny(ctx, false, until)
	}
	return page, err
}

// ClaimPageByHand is ClaimPage for links saved by hand, the newest first: its owner looks at it.
func (s *Store) ClaimPageByHand(ctx context.Context, until waymark.Time) (ClaimedPage, error) {
	return s.claimPageOfAny(ctx, true, until)
}

func (s *Store) claimPageOfAny(ctx context.Context, byHand bool, until waymark.Time) (ClaimedPage, error) {
	for {
		due, err := s.usersWithDuePages(ctx, byHand)
		if err != nil {
			return ClaimedPage{}, err
		}
		if len(due) == 0 {
			return ClaimedPage{}, waymark.ErrNotFound
		}
		user := due[rand.IntN(len(due))] //nolint:gosec // not a secret
		page, err := s.claimPageOf(ctx, user, byHand, until)
		if !errors.Is(err, waymark.ErrNotFound) { // otherwise another server has claimed the user's last page
			return page, err
		}
	}
}

// ClaimPageOf is ClaimPage for the pages of one user.
func (s *Store) ClaimPageOf(ctx context.Context, user waymark.UserID, until waymark.Time) (ClaimedPage, error) {
	page, err := s.claimPageOf(ctx, user, true, until)
	if errors.Is(err, waymark.ErrNotFound) {
		page, err = s.claimPageOf(ctx, user, false, until)
	}
	return page, err
}

func (s *Store) claimPageOf(ctx context.Context, user waymark.UserID, byHand bool, until waymark.Time) (ClaimedPage, error) {
	order := "due_at, link_id"
	if byHand {
		order = "due_at DESC, link_id DESC"
	}
	return s.claimPage(ctx, until, `
				SELECT link_id
				FROM page_fetches
				WHERE user_id = $3 AND by_hand = $4 AND due_at <= $2
				ORDER BY `+order+`
				LIMIT 1`, user, byHand)
}

// QueuedPages returns those of some links whose pages are to be fetched, or being fetched. The value is true if a
// person saved that one link.
func (s *Store) QueuedPages(ctx context.Context, links []waymark.LinkID) (map[waymark.LinkID]bool, error) {
	if len(links) == 0 {
		return nil, nil
	}
	q := s.db.Querier()
	a := q.Args()
	return database.QueryMap[waymark.LinkID, bool](ctx, q, `
		SELECT link_id, by_hand
		FROM page_fetches
		WHERE link_id `+database.In(a, links), a.Values...)
}

// ClaimPageOfLink is ClaimPage for the page of one link.
func (s *Store) ClaimPageOfLink(ctx context.Context, link waymark.LinkID, until waymark.Time) (ClaimedPage, error) {
	return s.claimPage(ctx, until, `
				SELECT link_id
				FROM page_fetches
				WHERE link_id = $3 AND due_at <= $2`, link)
}

// claimPage claims the page of the link that the query due selects. In it $2 is the current time, and
// $3 and higher are the arguments.
func (s *Store) claimPage(ctx context.Context, until waymark.Time, due string, arguments ...any) (page ClaimedPage, err error) {
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := q.Lock(ctx, pageClaimLock); err != nil {
			return err
		}
		scan := func(rows *sql.Rows, p *ClaimedPage) error {
			return rows.Scan(&p.Link, &p.Attempts, &p.Wants, &p.ByHand)
		}
		if page, err = database.QueryOne(ctx, q, scan, `
			UPDATE page_fetches
			SET due_at = $1, attempts = attempts + 1
			WHERE link_id = (`+due+`)
			RETURNING link_id, attempts - 1, wants, by_hand`, append([]any{until, s.now()}, arguments...)...); err != nil {
			return err
		}
		link, err := table.Links.Get(ctx, q, "e.id = $1", page.Link)
		if err != nil {
			return err
		}
		owner, err := table.Users.Get(ctx, q, "e.id = $1", link.Owner)
		page.Owner, page.URL, page.Wants, page.Until = link.Owner, link.URL, owner.PageParts(link, page.Wants), until
		return err
	})
	return page, err
}

// usersWithDuePages returns the users with due pages of links saved by hand, or of others.
func (s *Store) usersWithDuePages(ctx context.Context, byHand bool) ([]waymark.UserID, error) {
	return database.QueryAll(ctx, s.db.Querier(), database.ScanValue[waymark.UserID], `
		SELECT u.id
		FROM users AS u
		WHERE EXISTS (
			SELECT 1
			FROM page_fetches AS p
			WHERE p.user_id = u.id AND p.by_hand = $1 AND p.due_at <= $2)`, byHand, s.now())
}

// SetPageTexts gives a link the texts of its page in place of texts that were not typed. It does nothing if the link
// was deleted or has another URL. updated_at, the time when a user changed the link, stays.
func (s *Store) SetPageTexts(ctx context.Context, page ClaimedPage, texts waymark.PageTexts) error {
	return table.UserTx(ctx, s.db, page.Owner, func(ctx context.Context, q database.Querier) error {
		link, err := table.Links.Get(ctx, q, "e.id = $1"+q.RowLock(), page.Link)
		if errors.Is(err, waymark.ErrNotFound) || err == nil && link.URL != page.URL {
			return nil
		}
		if err != nil || !link.SetPageTexts(texts) {
			return err
		}
		return table.Links.Update(ctx, q, int64(link.ID), &link)
	})
}

// FinishPage removes a page from the queue. It stays if it was queued again meanwhile, by a change of the URL or a
// request.
func (s *Store) FinishPage(ctx context.Context, page ClaimedPage) error {
	_, err := s.db.Exec(ctx, `
		DELETE FROM page_fetches
		WHERE link_id = $1 AND due_at = $2`, page.Link, page.Until)
	return err
}

// PostponePage sets when a page is fetched the next time, and for what. It does nothing if the page was queued again
// meanwhile, as in FinishPage. After an attempt, a page does not go before others any more.
func (s *Store) PostponePage(ctx context.Context, page ClaimedPage, next waymark.PageFetch) error {
	_, err := s.db.Exec(ctx, `
		UPDATE page_fetches
		SET due_at = $3, attempts = $4, wants = $5, by_hand = by_hand AND $6
		WHERE link_id = $1 AND due_at = $2`, page.Link, page.Until, next.DueAt, next.Attempts, next.Wants, next.Attempts == 0)
	return err
}

// PageQueue says how many pages are to be fetched.
type PageQueue struct {
	Waiting int
	Oldest  waymark.Time // since when the first of them waits; 0 if none does
	Parts   map[waymark.PageParts]PartQueue
}

// PartQueue says for how many links one part of their pages is to be fetched.
type PartQueue struct {
	Waiting int
	Oldest  waymark.Time // as in PageQueue
}

// PageQueue counts the pages that are to be fetched.
func (s *Store) PageQueue(ctx context.Context) (PageQueue, error) {
	type group struct {
		wants waymark.PageParts
		PartQueue
	}
	scan := func(rows *sql.Rows, g *group) error { return rows.Scan(&g.wants, &g.Waiting, &g.Oldest) }
	groups, err := database.QueryAll(ctx, s.db.Querier(), scan, `
		SELECT wants, count(*), min(created_at)
		FROM page_fetches
		GROUP BY wants`)
	if err != nil {
		return PageQueue{}, err
	}
	var all PartQueue
	parts := map[waymark.PageParts]PartQueue{}
	for _, g := range groups {
		all.add(g.PartQueue)
		for _, part := range waymark.EachPagePart() {
			if g.wants.Has(part) {
				queue := parts[part]
				queue.add(g.PartQueue)
				parts[part] = queue
			}
		}
	}
	return PageQueue{Waiting: all.Waiting, Oldest: all.Oldest, Parts: parts}, nil
}

func (q *PartQueue) add(more PartQueue) {
	q.Waiting += more.Waiting
	if q.Oldest == 0 || more.Oldest < q.Oldest {
		q.Oldest = more.Oldest
	}
}

// RequestPages lets the pages of the owner's active links be fetched as soon as possible, for the wanted parts.
// Parts that the owner does not want are left out. Texts of a link that are empty are taken from
// its page, too. byHand is as in AddPages. It returns the ids of the links with such a page.
func (s *Store) RequestPages(ctx context.Context, owner waymark.UserID, ids []int64, wanted waymark.PageParts, byHand bool) (requested []int64, err error) {
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		requested = nil
		now := s.now()
		settings, err := table.Users.Get(ctx, q, "e.id = $1", owner)
		if err != nil {
			return err
		}
		return table.InBatches(ctx, ids, func(ids []int64) error {
			a := q.Args(owner)
			found, err := table.Links.All(ctx, q, "e.id "+database.In(a, table.Unique(ids))+" AND e.user_id = $1 AND e.visible_to IS NOT NULL ORDER BY e.id"+q.RowLock(), a.Values...)
			if err != nil {
				return err
			}
			var rows [][]any
			for _, link := range found {
				if !waymark.HasPage(link.URL) {
					continue
				}
				before := link.FromPage
				if link.MarkEmptyFromPage(); link.FromPage != before {
					if err := table.Links.Update(ctx, q, int64(link.ID), &link); err != nil {
						return err
					}
				}
				requested = append(requested, int64(link.ID))
				rows = append(rows, []any{link.ID, link.Owner, now, now, 0, settings.PageParts(link, wanted), byHand})
			}
			return insertFetches(ctx, q, rows)
		})
	})
	return requested, err
}

// CountUnfetched counts the pages of a user's links that no server has begun to fetch: how many are
// due before a time, and how many later, because their hosts have asked for a pause.
func (s *Store) CountUnfetched(ctx context.Context, owner waymark.UserID, before waymark.Time) (due, later int, err error) {
	type counts struct{ due, later int }
	found, err := database.QueryOne(ctx, s.db.Querier(), func(rows *sql.Rows, c *counts) error { return rows.Scan(&c.due, &c.later) }, `
		SELECT count(CASE WHEN due_at < $2 THEN 1 END), count(CASE WHEN due_at >= $2 THEN 1 END)
		FROM page_fetches
		WHERE user_id = $1 AND attempts = 0`, owner, before)
	return found.due, found.later, err
}
