package web

import (
	"slices"
	"time"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// chip is a condition of a query as the page shows it.
type chip struct {
	Text   string
	Hue    int    // of the dot of a list, -1 for none
	Remove string // the URL of the page without the condition
}

// selection is what a query selects.
type selection struct {
	filter waymark.LinkFilter
	chips  []chip
}

// restrict sets a field of the filter. If it has another value already, no link is found: all
// conditions must be true, and a link has only one owner, one visibility and one result.
func restrict[T comparable](s *selection, field *T, value T) {
	var unset T
	if *field != unset && *field != value {
		s.filter.Owner = noUser
		return
	}
	*field = value
}

// noUser is the id of no user.
const noUser waymark.UserID = -1

// newSelection returns the filter and the chips of a query. A list or tag that the visitor does
// not see is waymark.ErrNotFound if the query has its id, and plain text if it has its name.
func newSelection(r *page.Request, q linksQuery) (selection, error) {
	labels, err := labelsOf(r, q)
	if err != nil {
		return selection{}, err
	}
	return selectionWith(r, q, labels)
}

// queryLabels are the lists and tags that queries name.
type queryLabels struct {
	lists  map[waymark.Ref]waymark.List
	tags   map[waymark.Ref]waymark.Tag
	owners map[waymark.UserID]string // the names of those who are not the user
}

// labelsOf looks up the lists and tags of queries.
func labelsOf(r *page.Request, queries ...linksQuery) (found queryLabels, err error) {
	var lists, tags []waymark.Ref
	for _, q := range queries {
		for _, id := range q.Lists {
			lists = append(lists, waymark.Ref{ID: id})
		}
		for _, id := range q.Tags {
			tags = append(tags, waymark.Ref{ID: id})
		}
		for _, w := range q.words() {
			kind, name := w.kind, w.value
			if kind == excludedWord {
				kind, name = w.excludedLabel()
			}
			switch kind {
			case listWord:
				lists = append(lists, waymark.Ref{Name: name})
			case tagWord:
				tags = append(tags, waymark.Ref{Name: name})
			}
		}
	}
	if len(lists) > 0 {
		if found.lists, err = r.Store.FindLists(r.Context(), r.Viewer(), lists); err != nil {
			return found, err
		}
	}
	if len(tags) > 0 {
		if found.tags, err = r.Store.FindTags(r.Context(), r.Viewer(), tags); err != nil {
			return found, err
		}
	}
	var owners []waymark.UserID
	for _, list := range found.lists {
		owners = append(owners, list.Owner)
	}
	for _, tag := range found.tags {
		owners = append(owners, tag.Owner)
	}
	found.owners, err = otherOwners(r, owners)
	return found, err
}

// chipOf returns the text of a list or tag in a chip.
func chipOf(r *page.Request, name string, owner waymark.UserID, labels queryLabels) string {
	if other := labels.owners[owner]; other != "" {
		return name + " " + r.T("labels.of", "name", other)
	}
	return name
}

// selectionWith is selection with the lists and tags of the query, which labelsOf returns.
func selectionWith(r *page.Request, q linksQuery, labels queryLabels) (selection, error) {
	var s selection
	words := q.words()
	// Several lists or tags in the filter widen the result, but one in the text narrows it.
	s.filter.AllLists = slices.ContainsFunc(words, func(w word) bool { return w.kind == listWord })
	s.filter.AllTags = slices.ContainsFunc(words, func(w word) bool { return w.kind == tagWord })
	if err := selectLabels(r, q, labels, &s); err != nil {
		return s, err
	}
	selectWords(r, q, words, labels, &s)
	selectStates(r, q, &s)
	selectDays(r, q, &s)
	return s, selectOwner(r, q, &s)
}

// add adds the chip of a condition, which remove removes from the query.
func (s *selection) add(text string, q linksQuery, remove func(*linksQuery)) {
	remove(&q)
	s.chips = append(s.chips, chip{text, -1, q.path()})
}

// exclude adds an excludedWord, and returns its text and the hue of its dot for the chip.
func exclude(r *page.Request, w word, labels queryLabels, s *selection) (text string, dot int) {
	switch kind, name := w.excludedLabel(); kind {
	case tagWord:
		if tag, ok := labels.tags[waymark.Ref{Name: name}]; ok {
			s.filter.ExcludeTags = append(s.filter.ExcludeTags, waymark.Ref{ID: int64(tag.ID)})
			return chipOf(r, "#"+tag.Name, tag.Owner, labels), -1
		}
	case listWord:
		if list, ok := labels.lists[waymark.Ref{Name: name}]; ok {
			s.filter.ExcludeLists = append(s.filter.ExcludeLists, waymark.Ref{ID: int64(list.ID)})
			return chipOf(r, list.Name, list.Owner, labels), page.Hue(list.Name)
		}
	}
	s.filter.ExcludeWords = append(s.filter.ExcludeWords, w.value)
	return w.value, -1
}

// selectStates adds what a query says of the state of links, and where it searches.
func selectStates(r *page.Request, q linksQuery, s *selection) {
	if q.Visibility != "" {
		visibility, _ := waymark.ParseVisibility(q.Visibility) // linksQueryOf has checked it
		restrict(s, &s.filter.Visibility, visibility)
		s.add(r.T("visibility."+q.Visibility), q, func(q *linksQuery) { q.Visibility = "" })
	}
	if q.Broken {
		s.filter.BrokenOnly = true
		s.add(r.T("filter.broken"), q, func(q *linksQuery) { q.Broken = false })
	}
	if q.CheckResult != "" {
		result, _ := waymark.ParseCheckResult(q.CheckResult) // linksQueryOf has checked it
		restrict(s, &s.filter.CheckResult, result)
		s.add(r.T("filter."+q.CheckResult), q, func(q *linksQuery) { q.CheckResult = "" })
	}
	if q.Unfiled {
		s.filter.WithoutLists = true
		s.add(r.T("filter.unfiled"), q, func(q *linksQuery) { q.Unfiled = false })
	}
	if q.Untagged {
		s.filter.WithoutTags = true
		s.add(r.T("filter.untagged"), q, func(q *linksQuery) { q.Untagged = false })
	}
	if q.Content {
		s.filter.SearchContent = true
		s.add(r.T("filter.content"), q, func(q *linksQuery) { q.Content = false })
	}
}

// selectDays adds the first day, and the day after the last one, on which links were saved.
func selectDays(r *page.Request, q linksQuery, s *selection) {
	if day, err := startOfDay(q.Since, r.Zone); err == nil {
		s.filter.CreatedFrom = waymark.FromTime(day)
		s.add(r.T("filter.since", "date", r.Date(day, "short")), q, func(q *linksQuery) { q.Since = "" })
	}
	if day, err := startOfDay(q.Before, r.Zone); err == nil {
		s.filter.CreatedBefore = waymark.FromTime(day)
		s.add(r.T("filter.before", "date", r.Date(day, "short")), q, func(q *linksQuery) { q.Before = "" })
	}
}

// startOfDay returns the first moment of a day such as 2026-11-22. If the clocks are set forward at
// midnight, the day begins at one o'clock; time.ParseInLocation can return a time before that. If
// they are set back to midnight, it can return the second midnight of the day.
func startOfDay(text string, zone *time.Location) (time.Time, error) {
	day, err := time.ParseInLocation(time.DateOnly, text, zone)
	if err != nil {
		return day, err
	}
	if earlier := day.Add(-time.Hour); earlier.Format(time.DateOnly) == text {
		return earlier, nil
	}
	if day.Format(time.DateOnly) < text {
		day = day.Add(time.Hour)
	}
	return day, nil
}

// selectOwner adds the user who has saved the links.
func selectOwner(r *page.Request, q linksQuery, s *selection) error {
	if q.By == "" {
		return nil
	}
	owner, err := r.Store.Accounts.UserByName(r.Context(), q.By)
	if err != nil {
		return err
	}
	text := r.T("filter.by", "name", owner.Name)
	if owner.ID == r.User.ID {
		text = r.T("filter.mine")
	}
	restrict(s, &s.filter.Owner, owner.ID)
	s.add(text, q, func(q *linksQuery) { q.By = "" })
	return nil
}

// selectLabels adds the lists and tags whose ids a query has.
func selectLabels(r *page.Request, q linksQuery, labels queryLabels, s *selection) error {
	for i, id := range q.Lists {
		list, ok := labels.lists[waymark.Ref{ID: id}]
		if !ok {
			return waymark.ErrNotFound
		}
		s.filter.Lists = append(s.filter.Lists, waymark.Ref{ID: id})
		without := q
		without.Lists = slices.Delete(slices.Clone(q.Lists), i, i+1)
		s.chips = append(s.chips, chip{alternative(r, i > 0 && !s.filter.AllLists, chipOf(r, list.Name, list.Owner, labels)), page.Hue(list.Name), without.path()})
	}
	for i, id := range q.Tags {
		tag, ok := labels.tags[waymark.Ref{ID: id}]
		if !ok {
			return waymark.ErrNotFound
		}
		s.filter.Tags = append(s.filter.Tags, waymark.Ref{ID: id})
		without := q
		without.Tags = slices.Delete(slices.Clone(q.Tags), i, i+1)
		s.chips = append(s.chips, chip{alternative(r, i > 0 && !s.filter.AllTags, chipOf(r, "#"+tag.Name, tag.Owner, labels)), -1, without.path()})
	}
	return nil
}

// alternative returns the text of a list or tag of a filter. A link must have it, or, if it is
// an alternative, one before it.
func alternative(r *page.Request, is bool, name string) string {
	if is {
		return r.T("filter.or", "name", name)
	}
	return name
}

// selectWords adds the words of the text of a query.
func selectWords(r *page.Request, q linksQuery, words []word, labels queryLabels, s *selection) {
	for i, w := range words {
		without := q
		without.Text = withoutWord(words, i)
		var text string
		dot := -1
		switch w.kind {
		case excludedWord:
			text, dot = exclude(r, w, labels, s)
			text = r.T("filter.excluded", "word", text)
		case tagWord:
			tag, ok := labels.tags[waymark.Ref{Name: w.value}]
			if !ok {
				s.filter.Words = append(s.filter.Words, w.raw)
				continue
			}
			s.filter.Tags = append(s.filter.Tags, waymark.Ref{ID: int64(tag.ID)})
			text = chipOf(r, "#"+tag.Name, tag.Owner, labels)
		case listWord:
			list, ok := labels.lists[waymark.Ref{Name: w.value}]
			if !ok {
				s.filter.Words = append(s.filter.Words, w.raw)
				continue
			}
			s.filter.Lists = append(s.filter.Lists, waymark.Ref{ID: int64(list.ID)})
			text, dot = chipOf(r, list.Name, list.Owner, labels), page.Hue(list.Name)
		case contentWord:
			s.filter.SearchContent = true
			text = r.T("filter.content")
		case stateWord:
			if w.value == "mine" && r.Viewer() == waymark.Guest {
				s.filter.Words = append(s.filter.Words, w.raw)
				continue
			}
			text = r.T("filter." + w.value)
			switch w.value {
			case "broken":
				s.filter.BrokenOnly = true
			case "mine":
				restrict(s, &s.filter.Owner, r.User.ID)
			case "unfiled":
				s.filter.WithoutLists = true
			case "untagged":
				s.filter.WithoutTags = true
			case "ok", "moved", "dead", "blocked", "unsure":
				result, _ := waymark.ParseCheckResult(w.value)
				restrict(s, &s.filter.CheckResult, result)
			default:
				visibility, _ := waymark.ParseVisibility(w.value) // it is one of states
				restrict(s, &s.filter.Visibility, visibility)
			}
		default:
			s.filter.Words = append(s.filter.Words, w.value)
			continue
		}
		s.chips = append(s.chips, chip{text, dot, without.path()})
	}
}
