package crawl

import (
	"errors"
	"maps"
	"sync"

	"waymark/internal/fetch"
	"waymark/internal/fetch/check"
	"waymark/internal/waymark"
)

// Stats counts what was done since the start.
type Stats struct {
	Pages  Outcomes
	Parts  map[waymark.PageParts]Outcomes // done: the links have the part, or their pages have none
	Checks map[CountedResult]int
}

// Outcomes counts what succeeded, and what failed by its reason.
type Outcomes struct {
	Done   int
	Failed map[string]int
}

// CountedResult is the part of a result by which checks are counted. It has few values.
type CountedResult struct {
	Result waymark.CheckResult
	Reason string // see waymark.LastCheck
}

// with returns the outcomes with one more: a failure, unless the reason is "".
func (o Outcomes) with(reason string) Outcomes {
	if reason == "" {
		o.Done++
		return o
	}
	o.Failed = maps.Clone(o.Failed) // callers of Crawler.Stats have the old one
	if o.Failed == nil {
		o.Failed = map[string]int{}
	}
	o.Failed[reason]++
	return o
}

// counts holds the Stats.
type counts struct {
	mu    sync.Mutex
	stats Stats
}

func (c *counts) add(change func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.stats)
}

// Stats returns the counts.
func (c *Crawler) Stats() (stats Stats) {
	c.counts.add(func(s *Stats) {
		stats = *s
		stats.Parts, stats.Checks = maps.Clone(s.Parts), maps.Clone(s.Checks)
	})
	return stats
}

func (c *Crawler) countPage(err error) {
	c.counts.add(func(s *Stats) { s.Pages = s.Pages.with(failureReason(err)) })
}

func (c *Crawler) countPart(part waymark.PageParts, err error) {
	c.counts.add(func(s *Stats) { s.Parts[part] = s.Parts[part].with(failureReason(err)) })
}

// failureReason returns the reason of an error, "" without one. There are few reasons.
func failureReason(err error) string {
	var failed *fetch.Error
	var status *pageError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &status):
		return status.reason()
	case errors.As(err, &failed):
		return string(failed.Reason)
	case errors.Is(err, errChallenge):
		return check.Challenge
	}
	return "other"
}
