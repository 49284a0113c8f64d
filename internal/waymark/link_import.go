package waymark

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// LinkImport is a link of a file, with the names or the ids of its lists and tags.
type LinkImport struct {
	Link          Link
	HasVisibility bool // the file has the visibility of the link
	HasDate       bool // the file has a time for Link.CreatedAt
	Lists, Tags   []string
	ListIDs       []ListID // of lists that exist
	TagIDs        []TagID
	Notes         []Note
	Passages      []Passage
}

// Merge adds the lists, the tags, the notes and the passages of another row with the same URL. If the file has
// different visibilities, the link gets the one with which the fewest people see it; if it has different
// dates, the oldest. A flag is set if one of the rows has it.
func (l *LinkImport) Merge(other LinkImport) {
	if other.HasVisibility {
		l.Link.Visibility, l.HasVisibility = max(l.Link.Visibility, other.Link.Visibility), true
	}
	if other.HasDate && (!l.HasDate || other.Link.CreatedAt < l.Link.CreatedAt) {
		updated := other.Link.UpdatedAt
		if l.HasDate {
			updated = max(updated, l.Link.UpdatedAt)
		}
		l.Link.CreatedAt, l.Link.UpdatedAt, l.HasDate = other.Link.CreatedAt, updated, true
	}
	l.Link.LinkFlags = l.Link.Or(other.Link.LinkFlags)
	l.Lists = UniqueNames(append(l.Lists, other.Lists...))
	l.Tags = UniqueNames(append(l.Tags, other.Tags...))
	known := make(map[string]bool, len(l.Notes))
	for _, n := range l.Notes {
		known[n.Text] = true
	}
	for _, n := range other.Notes {
		if !known[n.Text] {
			known[n.Text] = true
			l.Notes = append(l.Notes, n)
		}
	}
	l.Passages = append(l.Passages, other.Passages...)
}

// NewLinkImport returns the link that owner saves from a row of a file, and what is wrong with
// the row. ok is false if the link cannot be saved. A link is saved without what breaks a rule:
// texts that are too long are shortened.
//
// In the row, a visibility or a time of zero means that the file has none. visibility is from
// ImportOptions. A time after now becomes now.
func NewLinkImport(owner User, row LinkImport, visibility Visibility, now Time) (saved LinkImport, problems []ImportProblem, ok bool) {
	check := importCheck{url: row.Link.URL, now: now}
	link := row.Link
	link.Owner = owner.ID
	link.URL = normalizeURL(link.URL)
	invalid := &ValidationError{}
	if invalid.validateRequired(FieldURL, link.URL) {
		invalid.validateURL(link.URL)
	}
	if len(invalid.Problems) > 0 {
		return LinkImport{}, []ImportProblem{NewImportProblem(0, row.Link.URL, false, invalid.Problems[0])}, false
	}
	if link.Title = check.text(FieldTitle, link.Title, MaxTitle); !hasVisible(link.Title) {
		link.Title = DefaultTitle(link.URL)
	}
	link.Description = check.text(FieldDescription, link.Description, MaxDescription)
	link.ImageURL = check.imageURL(link.ImageURL)
	link.MarkEmptyFromPage()
	if !link.Status.Valid() {
		link.Status = StatusOK
	}
	link.Visibility = importedVisibility(link.Visibility, visibility, owner.DefaultVisibility.Links)
	link.CreatedAt = check.time(link.CreatedAt)
	if link.UpdatedAt = check.time(link.UpdatedAt); link.UpdatedAt < link.CreatedAt {
		link.UpdatedAt = link.CreatedAt
	}
	hasDate := link.CreatedAt != 0 || link.UpdatedAt != 0
	if link.CreatedAt == 0 {
		link.CreatedAt = cmp.Or(link.UpdatedAt, now)
		link.UpdatedAt = link.CreatedAt
	}
	saved = LinkImport{Link: link, HasVisibility: row.Link.Visibility != 0, HasDate: hasDate, Lists: check.names(FieldLists, row.Lists), Tags: check.names(FieldTags, row.Tags)}
	for _, note := range row.Notes {
		note.Owner = owner.ID
		if note.Text = check.text(FieldText, note.Text, MaxNote); strings.TrimSpace(note.Text) == "" {
			continue
		}
		// A note whose visibility is not known is not shown to more people than its link.
		unknown := note.Visibility == 0
		note.Visibility = importedVisibility(note.Visibility, visibility, owner.DefaultVisibility.Notes)
		if unknown {
			note.Visibility = max(note.Visibility, link.Visibility)
		}
		if note.CreatedAt = check.time(note.CreatedAt); note.CreatedAt == 0 {
			note.CreatedAt = link.CreatedAt
		}
		note.UpdatedAt = max(check.time(note.UpdatedAt), note.CreatedAt)
		saved.Notes = append(saved.Notes, note)
	}
	for _, p := range row.Passages {
		passage, err := NewPassage(owner.ID, 0, PassageInput{Quote: p.Quote, Note: &p.Note})
		if invalid, ok := errors.AsType[*ValidationError](err); ok {
			check.add(invalid.Problems[0])
			continue
		}
		passage.CreatedAt = cmp.Or(check.time(p.CreatedAt), link.CreatedAt)
		passage.UpdatedAt = passage.CreatedAt
		saved.Passages = append(saved.Passages, passage)
	}
	return saved, check.problems, true
}

// normalizeURL removes and encodes what browsers remove and encode in the URL of a link:
// space around it, tabs and line breaks, and spaces.
func normalizeURL(url string) string {
	return strings.NewReplacer("\t", "", "\r", "", "\n", "", " ", "%20").Replace(strings.TrimSpace(url))
}

// importedVisibility returns the visibility of a new entity. What was private stays private.
func importedVisibility(inFile, chosen, fallback Visibility) Visibility {
	switch {
	case inFile == Private:
		return Private
	case chosen != 0:
		return chosen
	case inFile.Valid():
		return inFile
	}
	return fallback
}

// UniqueNames returns the names that equal no earlier one after Fold.
func UniqueNames(names []string) []string {
	var all []string
	known := make(map[string]bool, len(names))
	for _, name := range names {
		if folded := Fold(name); !known[folded] {
			known[folded] = true
			all = append(all, name)
		}
	}
	return all
}

// importCheck collects the problems of a row that is saved all the same.
type importCheck struct {
	url      string
	now      Time
	problems []ImportProblem
}

func (c *importCheck) add(p Problem) {
	if slices.ContainsFunc(c.problems, func(known ImportProblem) bool { return known.Problem == p }) {
		return // of another note, list or tag
	}
	c.problems = append(c.problems, NewImportProblem(0, c.url, true, p))
}

// text returns at most limit characters, and no control characters if there are too many.
func (c *importCheck) text(field Field, text string, limit int) string {
	invalid := &ValidationError{}
	invalid.validateText(field, text, limit)
	for _, p := range invalid.Problems {
		c.add(p)
		switch p.Rule {
		case RuleMaxControl:
			text = strings.Map(func(r rune) rune {
				if isControl(r) {
					return -1
				}
				return r
			}, text)
		case RuleNoNUL:
			text = strings.ReplaceAll(text, "\x00", "")
		}
	}
	return truncate(text, limit)
}

// names returns the names of lists or tags in the form in which they are stored, each once.
func (c *importCheck) names(field Field, names []string) []string {
	valid := make([]string, 0, len(names))
	for _, name := range names {
		normal := NormalizeName(name)
		if normal == "" {
			c.add(Problem{Field: field, Rule: RuleFormat})
			continue
		}
		valid = append(valid, strings.TrimSpace(c.text(field, normal, MaxName)))
	}
	return UniqueNames(valid)
}

// ValidImageURL reports whether a link can have an image with this URL.
func ValidImageURL(url string) bool { return ValidURL(url) && Host(url) != "" }

// imageURL returns the URL of an image, "" if it is not one.
func (c *importCheck) imageURL(url string) string {
	if url == "" {
		return ""
	}
	if !ValidImageURL(normalizeURL(url)) {
		c.add(Problem{Field: FieldImageURL, Rule: RuleFormat})
		return ""
	}
	return normalizeURL(url)
}

// time returns a time that is not after now, and 0 for one before 1970.
func (c *importCheck) time(t Time) Time {
	if t > c.now {
		c.add(Problem{Field: FieldDate, Rule: RuleNotFuture})
		return c.now
	}
	return max(t, 0)
}
