package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/server"
	"waymark/internal/store"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

type checkCommand struct {
	URLs []string `arg:"" optional:"" name:"url" help:"URL of a link to check, even if it is not due."`

	User  string `placeholder:"NAME" help:"Check the links of this user."`
	All   bool   `help:"Check the links of all users."`
	Force bool   `help:"Also check links that are not due."`
	JSON  bool   `name:"json" help:"Print a JSON array of all checked links."`

	config.Store `embed:""`
	config.Fetch `embed:""`
}

func (*checkCommand) Help() string {
	return `Checks links that are due or were never checked, and prints those that are not ok: moved, dead, blocked or
unsure. The server may be running.

    waymark check --user ann
    waymark check --user ann https://example.org/
    waymark check --all --force`
}

func (c *checkCommand) Run(t *terminal) error {
	if c.All == (c.User != "") {
		return usageError{errors.New("choose whose links to check: --user NAME or --all")}
	}
	if !c.Checks() {
		return usageError{errors.New("--check is off: no links are checked")}
	}
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		ctx, stop := untilInterrupted(ctx)
		defer stop()
		links, err := c.links(ctx, s)
		if err != nil {
			return err
		}
		crawler := crawl.New(s, server.CrawlOptions(c.Fetch, config.BaseURL{}, versionString()))
		var checked []crawl.CheckedLink
		counts := map[waymark.CheckResult]int{}
		done := 0
		p := newProgress(t.err)
		err = crawler.CheckThese(ctx, links, func(link crawl.CheckedLink) error {
			done++
			p.links(done, len(links))
			counts[link.Result.Result]++
			if v := link.Result.Result; v != waymark.CheckNone && (c.JSON || v != waymark.CheckOK || len(c.URLs) > 0) {
				checked = append(checked, link)
			}
			return nil
		})
		p.end()
		if err != nil && ctx.Err() != nil {
			err = errors.New("interrupted: run the command again to check the rest")
		}
		err = errors.Join(c.print(t, checked), err)
		fmt.Fprintln(t.err, describeChecks(counts))
		return err
	})
}

func (c *checkCommand) links(ctx context.Context, s *store.Store) ([]queue.CheckableLink, error) {
	owner := waymark.UserID(0)
	if c.User != "" {
		user, err := userByName(ctx, s, c.User)
		if err != nil {
			return nil, err
		}
		owner = user.ID
	}
	links, err := s.Queue.CheckableLinks(ctx, owner, c.Force || len(c.URLs) > 0)
	if err != nil || len(c.URLs) == 0 {
		return links, err
	}
	found := map[string]bool{}
	links = slices.DeleteFunc(links, func(l queue.CheckableLink) bool {
		chosen := slices.Contains(c.URLs, l.URL)
		found[l.URL] = found[l.URL] || chosen
		return !chosen
	})
	for _, url := range c.URLs {
		if !found[url] {
			return nil, fmt.Errorf("there is no link to check with the URL %s: the URL must be the same as in Waymark, and the link must not have check_disabled", url)
		}
	}
	return links, nil
}

// print prints links that were checked.
func (c *checkCommand) print(t *terminal, checked []crawl.CheckedLink) error {
	if !c.JSON && len(checked) == 0 {
		return nil
	}
	slices.SortFunc(checked, func(a, b crawl.CheckedLink) int { return cmp.Compare(a.Link.ID, b.Link.ID) })
	if c.JSON {
		type row struct {
			ID     waymark.LinkID `json:"id"`
			URL    string         `json:"url"`
			Result string         `json:"result"`
			Reason string         `json:"reason,omitempty"`
			Code   int            `json:"code,omitempty"`
			NewURL string         `json:"new_url,omitempty"`
			Status waymark.Status `json:"status"`
		}
		rows := make([]row, len(checked))
		for i, v := range checked {
			rows[i] = row{v.Link.ID, v.Link.URL, v.Result.Result.String(), v.Result.Reason, v.Result.Code, v.Result.NewURL, v.Link.Status}
		}
		return printJSONList(t.out, rows)
	}
	table := newTable(t.out, "RESULT", "CAUSE", "STATUS", "URL")
	for _, v := range checked {
		table.row(v.Result.Result.String(), cause(v.Result), statusName(v.Link.Status), v.Link.URL)
	}
	return table.Flush()
}

// cause returns why a check has its result.
func cause(r waymark.LastCheck) string {
	switch {
	case r.NewURL != "":
		return "to " + r.NewURL
	case r.Reason == "status" || r.Reason == "":
		return strconv.Itoa(r.Code)
	}
	return r.Reason
}

func statusName(s waymark.Status) string {
	switch s {
	case waymark.StatusMoved:
		return "moved"
	case waymark.StatusBroken:
		return "broken"
	}
	return "ok"
}

// describeChecks returns how many checks had each result, such as 12 links checked: 10 ok, 2 dead.
func describeChecks(counts map[waymark.CheckResult]int) string {
	total := 0
	var parts []string
	for v := waymark.CheckOK; v <= waymark.CheckUnsure; v++ {
		if n := counts[v]; n > 0 {
			total += n
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	text := countOf(total, "link") + " checked"
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if n := counts[waymark.CheckNone]; n > 0 {
		text += fmt.Sprintf("; %d not checked, because they were changed or their servers are busy", n)
	}
	return text + "."
}
