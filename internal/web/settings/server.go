package settings

import (
	"maps"
	"slices"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type serverPage struct {
	Version, Database, Size string
	Users, Links            int
	URL                     string
	Guests                  bool
	Work                    []workView
}

// workView is what the background jobs of one kind have done, and what is left.
type workView struct {
	Name    string
	Waiting int
	Since   *page.Moment // since when the first of them waits, nil if none does
	Done    int          // by this server since its start
	Failed  int
	Reasons []string // for each reason how many have failed
}

// ShowServer shows the version, the database and the background jobs.
func ShowServer(r *page.Request) error {
	summary, err := r.Store.Summary(r.Context())
	if err != nil {
		return err
	}
	work, err := workViews(r)
	if err != nil {
		return err
	}
	return r.Render("server", serverPage{
		Version: r.Version, Database: summary.Database, Size: r.Locale.Size(summary.Size),
		Users: summary.Users, Links: summary.Links, URL: r.BaseURL(), Guests: r.Config.GuestPages, Work: work,
	})
}

// workViews returns the state of the background jobs that make requests to other servers.
func workViews(r *page.Request) ([]workView, error) {
	var work []workView
	if r.Crawler.FetchesPages() {
		queue, err := r.Store.Queue.PageQueue(r.Context())
		if err != nil {
			return nil, err
		}
		stats := r.Crawler.Stats()
		work = append(work, workOf(r, r.T("server.pages"), queue.Waiting, queue.Oldest, stats.Pages.Done, stats.Pages.Failed))
		for _, part := range waymark.EachPagePart() {
			if r.Crawler.Parts().Has(part) {
				q, s, key := queue.Parts[part], stats.Parts[part], "server.part-"+part.String()
				work = append(work, workOf(r, r.T(key), q.Waiting, q.Oldest, s.Done, s.Failed))
			}
		}
	}
	if r.Crawler.ChecksLinks() {
		queue, err := r.Store.Queue.CheckQueue(r.Context())
		if err != nil {
			return nil, err
		}
		done, failed := 0, map[string]int{}
		for result, n := range r.Crawler.Stats().Checks {
			if result.Result == waymark.CheckUnsure {
				failed[result.Reason] += n
			} else {
				done += n
			}
		}
		work = append(work, workOf(r, r.T("server.checks"), queue.Due, queue.Oldest, done, failed))
	}
	return work, nil
}

// workOf returns the state of one job, with failures by reason.
func workOf(r *page.Request, name string, waiting int, oldest waymark.Time, done int, failed map[string]int) workView {
	view := workView{Name: name, Waiting: waiting, Since: r.MomentOrNever(oldest), Done: done}
	for _, reason := range slices.Sorted(maps.Keys(failed)) {
		view.Failed += failed[reason]
		words := reason
		if key := "server.reason-" + strings.ReplaceAll(reason, "_", "-"); r.Locale.Has(key) {
			words = r.T(key)
		}
		view.Reasons = append(view.Reasons, r.T("server.reason", "reason", words, "n", failed[reason]))
	}
	return view
}
