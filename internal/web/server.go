package web

import (
	"maps"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// serverPage is the data of the page about the server.
type serverPage struct {
	Version, Database, Size string
	Users, Links            int
	Address                 string
	Guests                  bool
	GuestsOff               optionText // how to let guests in
	Work                    []workView
}

// optionText is a sentence with the name of an option.
type optionText struct{ Before, Option, After string }

// workView is what the background jobs of one kind have done, and what is left.
type workView struct {
	Name    string
	Waiting int
	Since   *moment // since when the first of them waits, nil if none does
	Done    int     // by this server since its start
	Failed  int
	Reasons []string // for each reason how many have failed
}

func showServer(v *visit) error {
	summary, err := v.Store.Summary(v.ctx())
	if err != nil {
		return err
	}
	work, err := workViews(v)
	if err != nil {
		return err
	}
	const option = "--guest-pages"
	var guestsOff optionText
	guestsOff.Option = option
	guestsOff.Before, guestsOff.After, _ = strings.Cut(v.t("server.guests-off", "option", option), option)
	return v.render("server", serverPage{
		Version: v.Version, Database: summary.Database, Size: v.locale.size(summary.Size),
		Users: summary.Users, Links: summary.Links, Address: v.baseURL(), Guests: v.Settings.GuestPages,
		GuestsOff: guestsOff, Work: work,
	})
}

// workViews returns the state of the background jobs that make requests to other servers.
func workViews(v *visit) ([]workView, error) {
	var work []workView
	if v.Crawler.Pages != nil {
		queue, err := v.Store.PageQueue(v.ctx())
		if err != nil {
			return nil, err
		}
		stats := v.Crawler.Pages.Stats()
		work = append(work, workOf(v, v.t("server.pages"), queue.Waiting, queue.Oldest, stats.Done, stats.Failed))
		for _, part := range waymark.EachPagePart() {
			if v.Crawler.PageParts.Has(part) {
				q, s, key := queue.Parts[part], stats.Parts[part], "server.part-"+part.String()
				work = append(work, workOf(v, v.t(key), q.Waiting, q.Oldest, s.Done, s.Failed))
			}
		}
	}
	if v.Crawler.Checks != nil {
		queue, err := v.Store.CheckQueue(v.ctx())
		if err != nil {
			return nil, err
		}
		done, failed := 0, map[string]int{}
		for result, n := range v.Crawler.Checks.Stats() {
			if result.Result == waymark.CheckUnsure {
				failed[result.Reason] += n
			} else {
				done += n
			}
		}
		work = append(work, workOf(v, v.t("server.checks"), queue.Due, queue.Oldest, done, failed))
	}
	return work, nil
}

// workOf returns the state of one job, with failures by reason.
func workOf(v *visit, name string, waiting int, oldest waymark.Time, done int, failed map[string]int) workView {
	view := workView{Name: name, Waiting: waiting, Since: v.momentOrNever(oldest), Done: done}
	for _, reason := range slices.Sorted(maps.Keys(failed)) {
		view.Failed += failed[reason]
		words := reason
		if key := "server.reason-" + strings.ReplaceAll(reason, "_", "-"); v.locale.has(key) {
			words = v.t(key)
		}
		view.Reasons = append(view.Reasons, v.t("server.reason", "reason", words, "n", failed[reason]))
	}
	return view
}
