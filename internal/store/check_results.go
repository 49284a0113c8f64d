package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// BrokenLink is a link that checks have made broken.
type BrokenLink struct {
	waymark.Link
	BrokenAt waymark.Time // when the checks made it broken
}

// brokenSQL is what follows FROM in a statement of the links of the user $1 that checks have made broken.
const brokenSQL = `link_checks AS c
	JOIN links AS l ON l.id = c.link_id
	WHERE c.user_id = $1 AND c.broken_at > 0 AND l.status = 3 AND l.visible_to IS NOT NULL`

// BrokenLinks lists the owner's active links that checks have made broken, the last ones first.
func (s *Store) BrokenLinks(ctx context.Context, owner waymark.UserID, pagination waymark.Pagination) (page Page[BrokenLink], err error) {
	type row struct {
		id int64
		at waymark.Time
	}
	err = s.db.ReadTx(ctx, func(q database.Querier) error {
		if page.Total, err = countBroken(ctx, q, owner); err != nil {
			return err
		}
		window := query.NewWindow(pagination, page.Total)
		rows, err := database.QueryAll(ctx, q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.at) }, `
			SELECT l.id, c.broken_at
			FROM `+brokenSQL+`
			ORDER BY c.broken_at DESC, l.id DESC
			LIMIT $2 OFFSET $3`, owner, window.Limit, window.Offset)
		if err != nil {
			return err
		}
		ids := waymark.Map(rows, func(r row) int64 { return r.id })
		found, err := readAll(ctx, q, owner, ids, linkRows(nil))
		page.Entities = make([]BrokenLink, len(found))
		for i, link := range found {
			page.Entities[i] = BrokenLink{Link: link, BrokenAt: rows[i].at}
		}
		return err
	})
	return page, err
}

// countBroken returns the number of links that BrokenLinks lists.
func countBroken(ctx context.Context, q database.Querier, owner waymark.UserID) (int, error) {
	return database.Count(ctx, q, brokenSQL, owner)
}

// MovedHost is a host from which pages have moved.
type MovedHost struct {
	Host     string
	Links    int
	From, To string // the URL of one of the links, and where its page is now
}

// movedLink is a link whose page has moved.
type movedLink struct {
	id       int64
	from, to string
}

// maxToOnePlace is the maximum number of links of a host whose pages have moved to one URL. That of more
// is a page that replaces none of them.
const maxToOnePlace = 2

// movedLinks returns the owner's active links whose pages have moved, sorted by id. It leaves out pages
// that have moved to one URL with many others.
func movedLinks(ctx context.Context, q database.Querier, owner waymark.UserID) ([]movedLink, error) {
	moved, err := database.QueryAll(ctx, q, func(rows *sql.Rows, l *movedLink) error { return rows.Scan(&l.id, &l.from, &l.to) }, `
		SELECT l.id, l.url, c.new_url
		FROM link_checks AS c
		JOIN links AS l ON l.id = c.link_id
		WHERE c.user_id = $1 AND c.check_result = 2 AND l.visible_to IS NOT NULL
		ORDER BY c.link_id`, owner)
	type move struct{ host, to string }
	moveOf := func(l movedLink) move {
		to, _, _ := strings.Cut(l.to, "#")
		return move{waymark.Host(l.from), to}
	}
	links := map[move]int{}
	for _, l := range moved {
		links[moveOf(l)]++
	}
	return slices.DeleteFunc(moved, func(l movedLink) bool { return links[moveOf(l)] > maxToOnePlace }), err
}

// MovedHosts returns the hosts from which pages of the owner's links have moved, the largest first.
func (s *Store) MovedHosts(ctx context.Context, owner waymark.UserID) ([]MovedHost, error) {
	moved, err := movedLinks(ctx, s.db.Querier(), owner)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var hosts []MovedHost
	for _, l := range moved {
		host := waymark.Host(l.from)
		i, ok := at[host]
		if !ok {
			i = len(hosts)
			at[host] = i
			hosts = append(hosts, MovedHost{Host: host, From: l.from, To: l.to})
		}
		hosts[i].Links++
	}
	slices.SortFunc(hosts, func(a, b MovedHost) int {
		return cmp.Or(cmp.Compare(b.Links, a.Links), cmp.Compare(a.Host, b.Host))
	})
	return hosts, nil
}

// AcceptedMoves says what AcceptMoves has done.
type AcceptedMoves struct {
	Changed int // links that have got the URL of their page
	Kept    int // links that stay as they are: the owner has a link with that URL, or it is not valid
}

// AcceptMoves gives the owner's active links of a host, at most limit, the URLs to which their
// pages have moved, with the function change.
func (s *Store) AcceptMoves(ctx context.Context, owner waymark.UserID, host string, limit int, change func(link *waymark.Link, url string) error) (accepted AcceptedMoves, err error) {
	err = s.bulk(ctx, owner, func(ctx context.Context, q database.Querier) error {
		accepted = AcceptedMoves{}
		moved, err := movedLinks(ctx, q, owner)
		if err != nil {
			return err
		}
		moved = slices.DeleteFunc(moved, func(l movedLink) bool { return waymark.Host(l.from) != host })
		return table.InBatches(ctx, moved[:min(len(moved), limit)], func(batch []movedLink) error {
			urls := waymark.Map(batch, func(l movedLink) string { return l.to })
			taken, err := duplicateURLs(ctx, q, owner, urls, 0)
			if err != nil {
				return err
			}
			for i, l := range batch {
				if slices.Contains(taken, i) {
					accepted.Kept++
					continue
				}
				switch err := s.acceptMove(ctx, q, l, change); {
				case errors.As(err, new(*waymark.ValidationError)):
					accepted.Kept++
				case err != nil:
					return err
				default:
					accepted.Changed++
				}
			}
			return nil
		})
	})
	return accepted, err
}

func (s *Store) acceptMove(ctx context.Context, q database.Querier, moved movedLink, change func(link *waymark.Link, url string) error) error {
	link, err := table.Links.GetActive(ctx, q, moved.id)
	if err != nil {
		return err
	}
	before := link
	if err := change(&link, moved.to); err != nil {
		return err
	}
	return s.updateLink(ctx, q, before, link, false)
}
