package web

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"waymark/internal/waymark"
)

// linksQuery is what a page of links shows: the query of its address.
type linksQuery struct {
	Text       string // what is in the field at the top
	Lists      []int64
	Tags       []int64
	Visibility string
	Broken     bool
	Unfiled    bool   // without a list
	Untagged   bool   // without a tag
	Since      string // a day such as 2026-11-22
	Before     string
	By         string // the name of the owner
	Order      string
	View       string
}

// maxFilterNames limits the lists, and the tags, of a query.
const maxFilterNames = 20

// linksQueryOf decodes a query. What is malformed is left out.
func linksQueryOf(values url.Values) linksQuery {
	q := linksQuery{
		Text:       strings.TrimSpace(values.Get("query")),
		Lists:      parseIDs(values["lists"], maxFilterNames),
		Tags:       parseIDs(values["tags"], maxFilterNames),
		Visibility: values.Get("visibility"),
		Broken:     values.Get("broken") == "1",
		Unfiled:    values.Get("unfiled") == "1",
		Untagged:   values.Get("untagged") == "1",
		Since:      values.Get("since"),
		Before:     values.Get("before"),
		By:         values.Get("by"),
		Order:      values.Get("order"),
		View:       values.Get("view"),
	}
	if _, err := waymark.ParseVisibility(q.Visibility); err != nil {
		q.Visibility = ""
	}
	for _, day := range []*string{&q.Since, &q.Before} {
		if _, err := time.Parse(time.DateOnly, *day); err != nil {
			*day = ""
		}
	}
	if _, ok := linkOrders[q.Order]; !ok {
		q.Order = ""
	}
	if !waymark.View(q.View).Valid() {
		q.View = ""
	}
	return q
}

// parseIDs returns the first ids in the values of a parameter, each once. The parameter may be
// repeated or contain commas.
func parseIDs(values []string, limit int) []int64 {
	var ids []int64
	seen := map[int64]bool{}
	for _, value := range strings.Split(strings.Join(values, ","), ",") {
		id, err := strconv.ParseInt(value, 10, 64)
		if err == nil && id > 0 && !seen[id] && len(ids) < limit {
			ids = append(ids, id)
			seen[id] = true
		}
	}
	return ids
}

// encode returns the query string, with the parameters in the order of the names. Two
// queries with the same meaning have the same string.
func (q linksQuery) encode() string { return strings.ReplaceAll(q.values().Encode(), "%2C", ",") }

// values returns the parameters of the address.
func (q linksQuery) values() url.Values {
	values := url.Values{}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	flag := func(name string, value bool) {
		if value {
			values.Set(name, "1")
		}
	}
	set("query", q.Text)
	set("lists", joinIDs(q.Lists))
	set("tags", joinIDs(q.Tags))
	set("visibility", q.Visibility)
	flag("broken", q.Broken)
	flag("unfiled", q.Unfiled)
	flag("untagged", q.Untagged)
	set("since", q.Since)
	set("before", q.Before)
	set("by", q.By)
	set("order", q.Order)
	set("view", q.View)
	return values
}

// Restricts is restricts for templates.
func (q linksQuery) Restricts() bool { return q.restricts() }

// Encode is encode for templates.
func (q linksQuery) Encode() string { return q.encode() }

func joinIDs(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ",")
}

// address returns the address of the page of a query.
func (q linksQuery) address() string {
	if encoded := q.encode(); encoded != "" {
		return "/links?" + encoded
	}
	return "/links"
}

// restricts reports whether the query has a condition.
func (q linksQuery) restricts() bool {
	q.Order, q.View = "", ""
	return q.encode() != ""
}

// word is a part of the text of a query.
type word struct {
	raw   string // as it was typed
	kind  wordKind
	value string // without its prefix and quotation marks
}

type wordKind int

// The kinds of words.
const (
	plainWord    wordKind = iota
	excludedWord          // -word
	tagWord               // #tag
	listWord              // list:name
	stateWord             // is:broken
)

// states are the values of is:.
var states = []string{"broken", "private", "internal", "public", "unfiled", "untagged"}

// parseWords splits the text of a query. Words in quotation marks are one word. A prefix
// without a value, and an unknown state, are plain text.
func parseWords(text string) []word {
	var words []word
	for _, raw := range splitQuoted(text) {
		w := word{raw: raw, value: unquote(raw)}
		rest, list := cutPrefixFold(raw, "list:")
		state, is := cutPrefixFold(raw, "is:")
		switch {
		case list && unquote(rest) != "":
			w.kind, w.value = listWord, unquote(rest)
		case is && slices.Contains(states, strings.ToLower(state)):
			w.kind, w.value = stateWord, strings.ToLower(state)
		case strings.HasPrefix(raw, "#") && unquote(raw[1:]) != "":
			w.kind, w.value = tagWord, unquote(raw[1:])
		case strings.HasPrefix(raw, "-") && unquote(raw[1:]) != "":
			w.kind, w.value = excludedWord, unquote(raw[1:])
		}
		if w.value != "" {
			words = append(words, w)
		}
	}
	return words
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// splitQuoted splits a text at white space outside quotation marks.
func splitQuoted(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\u3000')
	})
}

func unquote(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, `"`, "")) }

// withoutWord returns the text of a query without one of its words.
func withoutWord(words []word, index int) string {
	var rest []string
	for i, w := range words {
		if i != index {
			rest = append(rest, w.raw)
		}
	}
	return strings.Join(rest, " ")
}

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
	words  []string // to mark in the results
	lists  []waymark.List
	tags   []waymark.Tag
}

// selection returns the filter and the chips of a query. Names of lists and tags are looked
// up; one that the visitor does not see is waymark.ErrNotFound if it is an id, and plain
// text if it is a name.
func (v *visit) selection(q linksQuery) (selection, error) {
	var s selection
	if err := v.selectLabels(q, &s); err != nil {
		return s, err
	}
	if err := v.selectWords(q, &s); err != nil {
		return s, err
	}
	add := func(text string, without linksQuery) {
		s.chips = append(s.chips, chip{text, -1, without.address()})
	}
	without := q
	if q.Visibility != "" {
		s.filter.Visibility, _ = waymark.ParseVisibility(q.Visibility) // linksQueryOf has checked it
		without.Visibility = ""
		add(v.t("visibility."+q.Visibility), without)
	}
	if q.Broken {
		s.filter.BrokenOnly = true
		without = q
		without.Broken = false
		add(v.t("filter.broken"), without)
	}
	if q.Unfiled {
		s.filter.WithoutLists = true
		without = q
		without.Unfiled = false
		add(v.t("filter.unfiled"), without)
	}
	if q.Untagged {
		s.filter.WithoutTags = true
		without = q
		without.Untagged = false
		add(v.t("filter.untagged"), without)
	}
	if day, err := time.ParseInLocation(time.DateOnly, q.Since, v.zone); err == nil {
		s.filter.CreatedFrom = waymark.FromTime(day)
		without = q
		without.Since = ""
		add(v.t("filter.since", "date", v.date(day, "short")), without)
	}
	if day, err := time.ParseInLocation(time.DateOnly, q.Before, v.zone); err == nil {
		s.filter.CreatedBefore = waymark.FromTime(day)
		without = q
		without.Before = ""
		add(v.t("filter.before", "date", v.date(day, "short")), without)
	}
	if q.By != "" {
		owner, err := v.Store.UserByName(v.ctx(), q.By)
		if err != nil {
			return s, err
		}
		s.filter.Owner = owner.ID
		without = q
		without.By = ""
		add(v.t("filter.by", "name", owner.Name), without)
	}
	return s, nil
}

// selectLabels adds the lists and tags of a query.
func (v *visit) selectLabels(q linksQuery, s *selection) error {
	for _, id := range q.Lists {
		list, err := v.Store.List(v.ctx(), v.viewer(), waymark.ListID(id))
		if err != nil {
			return err
		}
		s.lists = append(s.lists, list)
		s.filter.Lists = append(s.filter.Lists, waymark.Ref{ID: id})
		without := q
		without.Lists = slices.DeleteFunc(slices.Clone(q.Lists), func(other int64) bool { return other == id })
		s.chips = append(s.chips, chip{v.alternative(len(s.lists), list.Name), hue(list.Name), without.address()})
	}
	for _, id := range q.Tags {
		tag, err := v.Store.Tag(v.ctx(), v.viewer(), waymark.TagID(id))
		if err != nil {
			return err
		}
		s.tags = append(s.tags, tag)
		s.filter.Tags = append(s.filter.Tags, waymark.Ref{ID: id})
		without := q
		without.Tags = slices.DeleteFunc(slices.Clone(q.Tags), func(other int64) bool { return other == id })
		s.chips = append(s.chips, chip{v.alternative(len(s.tags), "#"+tag.Name), -1, without.address()})
	}
	return nil
}

// alternative returns the text of the nth list or tag of a filter. A link must have one of
// them.
func (v *visit) alternative(n int, name string) string {
	if n == 1 {
		return name
	}
	return v.t("filter.or", "name", name)
}

// selectWords adds the words of the text of a query.
func (v *visit) selectWords(q linksQuery, s *selection) error {
	words := parseWords(q.Text)
	if len(words) > waymark.MaxWords {
		words = words[:waymark.MaxWords]
	}
	for i, w := range words {
		without := q
		without.Text = withoutWord(words, i)
		var text string
		dot := -1
		switch w.kind {
		case excludedWord:
			s.filter.ExcludeWords = append(s.filter.ExcludeWords, w.value)
			text = v.t("filter.excluded", "word", w.value)
		case tagWord:
			tag, err := v.tagNamed(w.value)
			if errors.Is(err, waymark.ErrNotFound) {
				s.addWord(w.raw)
				continue
			}
			if err != nil {
				return err
			}
			s.filter.Tags = append(s.filter.Tags, waymark.Ref{ID: int64(tag.ID)})
			text = "#" + tag.Name
		case listWord:
			list, err := v.listNamed(w.value)
			if errors.Is(err, waymark.ErrNotFound) {
				s.addWord(w.raw)
				continue
			}
			if err != nil {
				return err
			}
			s.filter.Lists = append(s.filter.Lists, waymark.Ref{ID: int64(list.ID)})
			text, dot = list.Name, hue(list.Name)
		case stateWord:
			text = v.t("filter." + w.value)
			switch w.value {
			case "broken":
				s.filter.BrokenOnly = true
			case "unfiled":
				s.filter.WithoutLists = true
			case "untagged":
				s.filter.WithoutTags = true
			default:
				s.filter.Visibility, _ = waymark.ParseVisibility(w.value) // it is one of states
			}
		default:
			s.addWord(w.value)
			continue
		}
		s.chips = append(s.chips, chip{text, dot, without.address()})
	}
	// Several tags in the field narrow the result; several in the filter widen it.
	s.filter.AllLists, s.filter.AllTags = len(q.Lists) == 0, len(q.Tags) == 0
	return nil
}

func (s *selection) addWord(text string) {
	s.filter.Words = append(s.filter.Words, text)
	s.words = append(s.words, text)
}

// tagNamed returns the tag of the visitor with this name.
func (v *visit) tagNamed(name string) (waymark.Tag, error) {
	found, err := v.Store.CompleteTags(v.ctx(), v.viewer(), name)
	if err != nil {
		return waymark.Tag{}, err
	}
	for _, tag := range found {
		if waymark.Fold(tag.Name) == waymark.Fold(name) {
			return tag, nil
		}
	}
	return waymark.Tag{}, waymark.ErrNotFound
}

// listNamed returns the list of the visitor with this name.
func (v *visit) listNamed(name string) (waymark.List, error) {
	found, err := v.Store.CompleteLists(v.ctx(), v.viewer(), name)
	if err != nil {
		return waymark.List{}, err
	}
	for _, list := range found {
		if waymark.Fold(list.Name) == waymark.Fold(name) {
			return list, nil
		}
	}
	return waymark.List{}, waymark.ErrNotFound
}
