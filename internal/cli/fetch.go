package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/server"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type fetchCommand struct {
	URLs []string `arg:"" optional:"" name:"url" help:"URL of a link of the user."`

	User string `required:"" placeholder:"NAME" help:"User whose pages are fetched."`
	All  bool   `help:"Fetch the pages of all links of the user."`

	config.Store `embed:""`
	config.Fetch `embed:""`
}

func (*fetchCommand) Help() string {
	return `Requests the pages of links for their titles, descriptions, pictures and snapshots. What the user has typed
is kept.

    waymark fetch --user ann https://go.dev/
    waymark fetch --user ann --all

Without --all and URLs, it fetches what a server has not fetched yet. The server may be running, and tries
again what cannot be fetched now.`
}

func (c *fetchCommand) Run(t *terminal) error {
	if c.All && len(c.URLs) > 0 {
		return usageError{errors.New("--all and URLs exclude each other")}
	}
	crawling := server.CrawlOptions(c.Fetch, config.BaseURL{}, versionString())
	if crawling.Parts == 0 {
		return usageError{errors.New("--metadata and --pictures are off: no pages are fetched")}
	}
	return withUser(c.Store, c.User, func(ctx context.Context, s *store.Store, user waymark.User) error {
		ctx, stop := untilInterrupted(ctx)
		defer stop()
		crawler := crawl.New(s, crawling)
		ids, err := c.links(ctx, s, user)
		if err != nil {
			return err
		}
		if _, err := crawler.RequestPages(ctx, user, ids); err != nil {
			return err
		}
		return c.fetch(ctx, t, s, crawler, user)
	})
}

// links returns the ids of the chosen links.
func (c *fetchCommand) links(ctx context.Context, s *store.Store, user waymark.User) ([]int64, error) {
	if c.All {
		return s.MatchingLinks(ctx, user.ID, waymark.LinkFilter{Where: waymark.IsMine})
	}
	var ids []int64
	for _, url := range c.URLs {
		link, err := s.LinkByURL(ctx, user.ID, url)
		if errors.Is(err, waymark.ErrNotFound) || err == nil && link.DeletedAt != 0 {
			return nil, fmt.Errorf("user %q has no link with the URL %s", user.Name, url)
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, int64(link.ID))
	}
	return ids, nil
}

// fetchInterval is how often the progress is printed, and postponed pages are looked for.
const fetchInterval = time.Second

// fetchWait is the longest time that fetch waits for a page whose host has asked for a pause.
const fetchWait = time.Minute

// fetch fetches pages until each of the user's was tried, except those that are not due soon.
func (c *fetchCommand) fetch(ctx context.Context, t *terminal, s *store.Store, crawler *crawl.Crawler, user waymark.User) error {
	printed, later := 0, 0
	for ctx.Err() == nil {
		var waiting int
		var err error
		if waiting, later, err = s.Queue.CountUnfetched(ctx, user.ID, s.Now().Add(fetchWait)); err != nil {
			return err
		}
		if waiting == 0 {
			break
		}
		if waiting != printed {
			fmt.Fprintf(t.err, "%s to fetch\n", countOf(waiting, "page"))
			printed = waiting
		}
		var running sync.WaitGroup
		errs := make([]error, server.FetchConnections)
		for i := range errs {
			running.Go(func() { errs[i] = crawler.FetchPagesOf(ctx, user.ID) })
		}
		running.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(fetchInterval):
		}
	}
	stats := crawler.Stats().Pages
	fmt.Fprintf(t.out, "%s fetched\n", countOf(stats.Done, "page"))
	for _, reason := range slices.Sorted(maps.Keys(stats.Failed)) {
		fmt.Fprintf(t.out, "%d failed: %s\n", stats.Failed[reason], reason)
	}
	if later > 0 {
		fmt.Fprintf(t.out, "%d not fetched, because their servers are busy: a server of Waymark fetches them later\n", later)
	}
	if ctx.Err() != nil {
		return errors.New("interrupted: a server fetches the rest")
	}
	return nil
}
