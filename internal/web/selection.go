package web

import (
	"slices"
	"time"

	"waymark/internal/waymark"
)

// chip is a condition of a query as the page shows it.
type chip struct {
	Text   string
	Hue    int    // of the dot of a list, -1 for none
	Remove string // the address of the page without the condition
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
func newSelection(v *visit, q linksQuery) (selection, error) {
	labels, err := labelsOf(v, q)
	if err != nil {
		return selection{}, err
	}
	return selectionWith(v, q, labels)
}

// queryLabels are the lists and tags that queries name.
type queryLabels struct {
	lists  map[waymark.Ref]waymark.List
	tags   map[waymark.Ref]waymark.Tag
	owners map[waymark.UserID]string // the names of those who are not the user
}

// labelsOf looks up the lists and tags of queries.
func labelsOf(v *visit, queries ...linksQuery) (found queryLabels, err error) {
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
		if found.lists, err = v.Store.FindLists(v.ctx(), v.viewer(), lists); err != nil {
			return found, err
		}
	}
	if len(tags) > 0 {
		if found.tags, err = v.Store.FindTags(v.ctx(), v.viewer(), tags); err != nil {
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
	found.owners, err = otherOwners(v, owners)
	return found, err
}

// chipOf returns the text of a list or tag in a chip.
func chipOf(v *visit, name string, owner waymark.UserID, labels queryLabels) string {
	if other := labels.owners[owner]; other != "" {
		return name + " " + v.t("labels.of", "name", other)
	}
	return name
}

// selectionWith is selection with the lists and tags of the query, which labelsOf returns.
func selectionWith(v *visit, q linksQuery, labels queryLabels) (selection, error) {
	var s selection
	words := q.words()
	// Several lists or tags in the filter widen the result, but one in the text narrows it.
	s.filter.AllLists = slices.ContainsFunc(words, func(w word) bool { return w.kind == listWord })
	s.filter.AllTags = slices.ContainsFunc(words, func(w word) bool { return w.kind == tagWord })
	if err := selectLabels(v, q, labels, &s); err != nil {
		return s, err
	}
	selectWords(v, q, words, labels, &s)
	selectStates(v, q, &s)
	selectDays(v, q, &s)
	return s, selectOwner(v, q, &s)
}

// add adds the chip of a condition, which remove removes from the query.
func (s *selection) add(text string, q linksQuery, remove func(*linksQuery)) {
	remove(&q)
	s.chips = append(s.chips, chip{text, -1, q.address()})
}

// exclude adds an excludedWord, and returns its text and the hue of its dot for the chip.
func exclude(v *visit, w word, labels queryLabels, s *selection) (text string, dot int) {
	switch kind, name := w.excludedLabel(); kind {
	case tagWord:
		if tag, ok := labels.tags[waymark.Ref{Name: name}]; ok {
			s.filter.ExcludeTags = append(s.filter.ExcludeTags, waymark.Ref{ID: int64(tag.ID)})
			return chipOf(v, "#"+tag.Name, tag.Owner, labels), -1
		}
	case listWord:
		if list, ok := labels.lists[waymark.Ref{Name: name}]; ok {
			s.filter.ExcludeLists = append(s.filter.ExcludeLists, waymark.Ref{ID: int64(list.ID)})
			return chipOf(v, list.Name, list.Owner, labels), hue(list.Name)
		}
	}
	s.filter.ExcludeWords = append(s.filter.ExcludeWords, w.value)
	return w.value, -1
}

// selectStates adds what a query says of the state of links, and where it searches.
func selectStates(v *visit, q linksQuery, s *selection) {
	if q.Visibility != "" {
		visibility, _ := waymark.ParseVisibility(q.Visibility) // linksQueryOf has checked it
		restrict(s, &s.filter.Visibility, visibility)
		s.add(v.t("visibility."+q.Visibility), q, func(q *linksQuery) { q.Visibility = "" })
	}
	if q.Broken {
		s.filter.BrokenOnly = true
		s.add(v.t("filter.broken"), q, func(q *linksQuery) { q.Broken = false })
	}
	if q.CheckResult != "" {
		result, _ := waymark.ParseCheckResult(q.CheckResult) // linksQueryOf has checked it
		restrict(s, &s.filter.CheckResult, result)
		s.add(v.t("filter."+q.CheckResult), q, func(q *linksQuery) { q.CheckResult = "" })
	}
	if q.Unfiled {
		s.filter.WithoutLists = true
		s.add(v.t("filter.unfiled"), q, func(q *linksQuery) { q.Unfiled = false })
	}
	if q.Untagged {
		s.filter.WithoutTags = true
		s.add(v.t("filter.untagged"), q, func(q *linksQuery) { q.Untagged = false })
	}
	if q.Content {
		s.filter.SearchContent = true
		s.add(v.t("filter.content"), q, func(q *linksQuery) { q.Content = false })
	}
}

// selectDays adds the first day, and the day after the last one, on which links were saved.
func selectDays(v *visit, q linksQuery, s *selection) {
	if day, err := startOfDay(q.Since, v.zone); err == nil {
		s.filter.CreatedFrom = waymark.FromTime(day)
		s.add(v.t("filter.since", "date", v.date(day, "short")), q, func(q *linksQuery) { q.Since = "" })
	}
	if day, err := startOfDay(q.Before, v.zone); err == nil {
		s.filter.CreatedBefore = waymark.FromTime(day)
		s.add(v.t("filter.before", "date", v.date(day, "short")), q, func(q *linksQuery) { q.Before = "" })
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
func selectOwner(v *visit, q linksQuery, s *selection) error {
	if q.By == "" {
		return nil
	}
	owner, err := v.Store.UserByName(v.ctx(), q.By)
	if err != nil {
		return err
	}
	text := v.t("filter.by", "name", owner.Name)
	if owner.ID == v.user.ID {
		text = v.t("filter.mine")
	}
	restrict(s, &s.filter.Owner, owner.ID)
	s.add(text, q, func(q *linksQuery) { q.By = "" })
	return nil
}

// selectLabels adds the lists and tags whose ids a query has.
func selectLabels(v *visit, q linksQuery, labels queryLabels, s *selection) error {
	for i, id := range q.Lists {
		list, ok := labels.lists[waymark.Ref{ID: id}]
		if !ok {
			return waymark.ErrNotFound
		}
		s.filter.Lists = append(s.filter.Lists, waymark.Ref{ID: id})
		without := q
		without.Lists = slices.Delete(slices.Clone(q.Lists), i, i+1)
		s.chips = append(s.chips, chip{alternative(v, i > 0 && !s.filter.AllLists, chipOf(v, list.Name, list.Owner, labels)), hue(list.Name), without.address()})
	}
	for i, id := range q.Tags {
		tag, ok := labels.tags[waymark.Ref{ID: id}]
		if !ok {
			return waymark.ErrNotFound
		}
		s.filter.Tags = append(s.filter.Tags, waymark.Ref{ID: id})
		without := q
		without.Tags = slices.Delete(slices.Clone(q.Tags), i, i+1)
		s.chips = append(s.chips, chip{alternative(v, i > 0 && !s.filter.AllTags, chipOf(v, "#"+tag.Name, tag.Owner, labels)), -1, without.address()})
	}
	return nil
}

// alternative returns the text of a list or tag of a filter. A link must have it, or, if it is
// an alternative, one before it.
func alternative(v *visit, is bool, name string) string {
	if is {
		return v.t("filter.or", "name", name)
	}
	return name
}

// selectWords adds the words of the text of a query.
func selectWords(v *visit, q linksQuery, words []word, labels queryLabels, s *selection) {
	for i, w := range words {
		without := q
		without.Text = withoutWord(words, i)
		var text string
		dot := -1
		switch w.kind {
		case excludedWord:
			text, dot = exclude(v, w, labels, s)
			text = v.t("filter.excluded", "word", text)
		case tagWord:
			tag, ok := labels.tags[waymark.Ref{Name: w.value}]
			if !ok {
				s.filter.Words = append(s.filter.Words, w.raw)
				continue
			}
			s.filter.Tags = append(s.filter.Tags, waymark.Ref{ID: int64(tag.ID)})
			text = chipOf(v, "#"+tag.Name, tag.Owner, labels)
		case listWord:
			list, ok := labels.lists[waymark.Ref{Name: w.value}]
			if !ok {
				s.filter.Words = append(s.filter.Words, w.raw)
				continue
			}
			s.filter.Lists = append(s.filter.Lists, waymark.Ref{ID: int64(list.ID)})
			text, dot = chipOf(v, list.Name, list.Owner, labels), hue(list.Name)
		case contentWord:
			s.filter.SearchContent = true
			text = v.t("filter.content")
		case stateWord:
			if w.value == "mine" && v.viewer() == waymark.Guest {
				s.filter.Words = append(s.filter.Words, w.raw)
				continue
			}
			text = v.t("filter." + w.value)
			switch w.value {
			case "broken":
				s.filter.BrokenOnly = true
			case "mine":
				restrict(s, &s.filter.Owner, v.user.ID)
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
		s.chips = append(s.chips, chip{text, dot, without.address()})
	}
}
