package queue

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// linkCheckLock is the key of the lock with which servers plan and claim checks one after the other.
const linkCheckLock = 0x63686563

// planBatch is the number of links that one call of PlanChecks looks at.
const planBatch = 2000

// PlanChecks plans the first checks of links with ids after an id, at random times within
// waymark.FirstCheckWithin from now. It returns the id of the last link that it has looked at, or 0 if
// there are no more. One call looks at 2,000 links.
func (s *Store) PlanChecks(ctx context.Context, after waymark.LinkID) (last waymark.LinkID, err error) {
	links, err := s.linksToPlan(ctx, s.db.Querier(), after)
	if err != nil || len(links) == 0 {
		return 0, err
	}
	last = links[len(links)-1].link
	if !slices.ContainsFunc(links, func(l linkToPlan) bool { return l.unplanned }) { // needs no write transaction
		return last, nil
	}
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := q.Lock(ctx, linkCheckLock); err != nil {
			return err
		}
		links, err := s.linksToPlan(ctx, q, after)
		if err != nil {
			return err
		}
		var checks []linkCheck
		for _, link := range links {
			if link.unplanned {
				due := s.now().Add(time.Duration(rand.Int64N(int64(waymark.FirstCheckWithin)))) //nolint:gosec // not a secret
				checks = append(checks, linkCheck{link: link.link, owner: link.owner, LinkChecks: waymark.LinkChecks{DueAt: due}})
			}
		}
		return insertLinkChecks(ctx, q, checks, "DO NOTHING")
	})
	return last, err
}

// linkToPlan is a link that PlanChecks looks at.
type linkToPlan struct {
	link      waymark.LinkID
	owner     waymark.UserID
	unplanned bool // it is to be checked, but no check is planned
}

// linksToPlan returns the next links after an id, at most planBatch.
func (s *Store) linksToPlan(ctx context.Context, q database.Querier, after waymark.LinkID) ([]linkToPlan, error) {
	scan := func(rows *sql.Rows, l *linkToPlan) error { return rows.Scan(&l.link, &l.owner, &l.unplanned) }
	return database.QueryAll(ctx, q, scan, `
		SELECT l.id, l.user_id, l.visible_to IS NOT NULL AND NOT l.check_disabled AND NOT u.no_checks AND NOT EXISTS (
			SELECT 1
			FROM link_checks AS c
			WHERE c.link_id = l.id)
		FROM links AS l
		JOIN users AS u ON u.id = l.user_id
		WHERE l.id > $1
		ORDER BY l.id
		LIMIT $2`, after, planBatch)
}

// ClaimedCheck is a link that one server is to check.
type ClaimedCheck struct {
	Link  waymark.LinkID
	Owner waymark.UserID
	URL   string
	DueAt waymark.Time // before it was claimed
}

// ClaimCheck returns the link whose check is due for the longest time, or waymark.ErrNotFound.
// Every user with such links is equally likely, so that the many links of one do not keep the
// others waiting. Another server can claim the link at the time until; before, this one has to call
// AddCheck or PostponeCheck.
func (s *Store) ClaimCheck(ctx context.Context, until waymark.Time) (claimed ClaimedCheck, err error) {
	for {
		users, err := s.usersWithDueChecks(ctx)
		if err != nil {
			return claimed, err
		}
		if len(users) == 0 {
			return claimed, waymark.ErrNotFound
		}
		user := users[rand.IntN(len(users))] //nolint:gosec // not a secret
		claimed, err = s.claimCheckOf(ctx, user, until)
		if !errors.Is(err, waymark.ErrNotFound) {
			return claimed, err
		}
	}
}

// claimCheckOf returns waymark.ErrNotFound if the user's first link is not to be checked any more, or
// if another server has claimed it.
func (s *Store) claimCheckOf(ctx context.Context, user waymark.UserID, until waymark.Time) (claimed ClaimedCheck, err error) {
	found := false
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := q.Lock(ctx, linkCheckLock); err != nil {
			return err
		}
		found = false
		scan := func(rows *sql.Rows, c *ClaimedCheck) error { return rows.Scan(&c.Link, &c.DueAt) }
		claimed, err = database.QueryOne(ctx, q, scan, `
			SELECT link_id, due_at
			FROM link_checks
			WHERE user_id = $1 AND due_at <= $2
			ORDER BY due_at, link_id
			LIMIT 1`, user, s.now())
		if errors.Is(err, waymark.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		found, err = claim(ctx, q, &claimed, until)
		return err
	})
	if err == nil && !found {
		err = waymark.ErrNotFound
	}
	return claimed, err
}

// claim claims a planned check. If the link is in the trash or not to be checked, it forgets what
// was found instead, and returns false.
func claim(ctx context.Context, q database.Querier, claimed *ClaimedCheck, until waymark.Time) (bool, error) {
	link, err := table.Links.Get(ctx, q, "e.id = $1 AND e.visible_to IS NOT NULL AND NOT e.check_disabled", claimed.Link)
	if errors.Is(err, waymark.ErrNotFound) {
		return false, deleteLinkCheck(ctx, q, claimed.Link)
	}
	if err != nil {
		return false, err
	}
	claimed.Owner, claimed.URL = link.Owner, link.URL
	return true, postponeCheck(ctx, q, claimed.Link, until)
}

// deleteLinkCheck forgets what was found about a link. It locks the link first, whose result a
// trigger changes, because other transactions lock the link before its check.
func deleteLinkCheck(ctx context.Context, q database.Querier, id waymark.LinkID) error {
	if _, err := table.Links.Get(ctx, q, "e.id = $1"+q.RowLock(), id); err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	_, err := q.Exec(ctx, `
		DELETE FROM link_checks
		WHERE link_id = $1`, id)
	return err
}

// ClaimLinkCheck is ClaimCheck for one link, whether its check is due or not. It returns
// waymark.ErrNotFound if the link was deleted or is not to be checked.
func (s *Store) ClaimLinkCheck(ctx context.Context, id waymark.LinkID, until waymark.Time) (claimed ClaimedCheck, err error) {
	found := false
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := q.Lock(ctx, linkCheckLock); err != nil {
			return err
		}
		check, err := getLinkCheck(ctx, q, id)
		switch {
		case errors.Is(err, waymark.ErrNotFound):
			link, err := table.Links.Get(ctx, q, "e.id = $1", id)
			if err != nil {
				return err
			}
			check = linkCheck{link: id, owner: link.Owner, LinkChecks: waymark.LinkChecks{DueAt: s.now()}}
			if err := putLinkCheck(ctx, q, check); err != nil {
				return err
			}
		case err != nil:
			return err
		}
		claimed = ClaimedCheck{Link: id, DueAt: check.DueAt}
		found, err = claim(ctx, q, &claimed, until)
		return err
	})
	if err == nil && !found {
		err = waymark.ErrNotFound
	}
	return claimed, err
}

// CheckableLink is a link that can be checked.
type CheckableLink struct {
	ID  waymark.LinkID
	URL string
}

// CheckableLinks returns the active links of a user that may be checked, or of all users for owner 0. The check that is
// due for the longest time comes first. If all is false, it returns only links that are due or were never checked.
func (s *Store) CheckableLinks(ctx context.Context, owner waymark.UserID, all bool) ([]CheckableLink, error) {
	scan := func(rows *sql.Rows, l *CheckableLink) error { return rows.Scan(&l.ID, &l.URL) }
	return database.QueryAll(ctx, s.db.Querier(), scan, `
		SELECT l.id, l.url
		FROM links AS l
		JOIN users AS u ON u.id = l.user_id
		LEFT JOIN link_checks AS c ON c.link_id = l.id
		WHERE l.visible_to IS NOT NULL AND NOT l.check_disabled AND NOT u.no_checks
			AND ($1 = 0 OR l.user_id = $1)
			AND ($2 OR c.link_id IS NULL OR c.checked_at = 0 OR c.due_at <= $3)
		ORDER BY coalesce(c.due_at, 0), l.id`, owner, all, s.now())
}

// usersWithDueChecks returns the users who have links to be checked now. What checks have found stays
// known while a user has NoChecks.
func (s *Store) usersWithDueChecks(ctx context.Context) ([]waymark.UserID, error) {
	return database.QueryAll(ctx, s.db.Querier(), database.ScanValue[waymark.UserID], `
		SELECT u.id
		FROM users AS u
		WHERE NOT u.no_checks AND EXISTS (
			SELECT 1
			FROM link_checks AS c
			WHERE c.user_id = u.id AND c.due_at <= $1)`, s.now())
}

// LastFirstCheck returns when the last of the first checks is planned that the links of a user wait for, 0 if none is.
func (s *Store) LastFirstCheck(ctx context.Context, owner waymark.UserID) (waymark.Time, error) {
	return database.QueryOne(ctx, s.db.Querier(), database.ScanValue[waymark.Time], `
		SELECT coalesce(max(due_at), 0)
		FROM link_checks
		WHERE user_id = $1 AND checked_at = 0`, owner)
}

// PostponeCheck says when a link is to be checked the next time.
func (s *Store) PostponeCheck(ctx context.Context, link waymark.LinkID, due waymark.Time) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return postponeCheck(ctx, q, link, due)
	})
}

func postponeCheck(ctx context.Context, q database.Querier, link waymark.LinkID, due waymark.Time) error {
	_, err := q.Exec(ctx, `
		UPDATE link_checks
		SET due_at = $2
		WHERE link_id = $1`, link, due)
	return err
}

// AddCheck adds a check to a claimed link, and returns the link with its new status. It returns
// waymark.ErrNotFound if the link was deleted or got another URL since it was claimed. updated_at
// stays as it is: it is the time when a user changed the link.
func (s *Store) AddCheck(ctx context.Context, claimed ClaimedCheck, result waymark.LastCheck) (link waymark.Link, err error) {
	spread := rand.Float64() //nolint:gosec // not a secret
	err = s.changeChecks(ctx, claimed.Owner, claimed.Link, func(l *waymark.Link, checks *waymark.LinkChecks) error {
		if l.URL != claimed.URL {
			return waymark.ErrNotFound
		}
		if status := checks.Add(result, spread); status != 0 {
			l.Status = status
		}
		link = *l
		return nil
	})
	return link, err
}

// RequestChecks makes the checks to the owner's active links among ids due now, and returns their ids. Links that are not
// to be checked are left out.
func (s *Store) RequestChecks(ctx context.Context, owner waymark.UserID, ids []int64) (requested []int64, err error) {
	err = table.UserTx(ctx, s.db, owner, func(ctx context.Context, q database.Querier) error {
		requested = nil
		return table.InBatches(ctx, table.Unique(ids), func(ids []int64) error {
			a := q.Args(owner)
			scan := func(rows *sql.Rows, c *linkCheck) error { return rows.Scan(&c.link, &c.owner) }
			checks, err := database.QueryAll(ctx, q, scan, `
				SELECT e.id, e.user_id
				FROM links AS e
				WHERE e.id `+database.In(a, ids)+` AND e.user_id = $1 AND e.visible_to IS NOT NULL AND NOT e.check_disabled
				ORDER BY e.id`+q.RowLock(), a.Values...)
			if err != nil || len(checks) == 0 {
				return err
			}
			for i := range checks {
				checks[i].DueAt = s.now()
				requested = append(requested, int64(checks[i].link))
			}
			return insertLinkChecks(ctx, q, checks, "DO UPDATE SET due_at = excluded.due_at")
		})
	})
	return requested, err
}

// CheckQueue says how many links are due to be checked.
type CheckQueue struct {
	Due    int
	Oldest waymark.Time // since when the first of them is due; 0 if none is
}

// CheckQueue counts the links that are due to be checked. It reads the index of the due ones only.
func (s *Store) CheckQueue(ctx context.Context) (CheckQueue, error) {
	scan := func(rows *sql.Rows, queue *CheckQueue) error { return rows.Scan(&queue.Due, &queue.Oldest) }
	return database.QueryOne(ctx, s.db.Querier(), scan, `
		SELECT count(*), coalesce(min(c.due_at), 0)
		FROM users AS u`+database.JoinInOrder+`link_checks AS c
		WHERE NOT u.no_checks AND c.user_id = u.id AND c.due_at <= $1`, s.now())
}
