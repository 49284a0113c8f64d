package web

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// completions are the names that complete what a person has typed in a field for lists or
// tags.
type completions struct {
	Lists bool // the names are names of lists
	Names []completion
	New   string // the text itself, if no list or tag has that name yet
}

// completion is one of the names. Before, Match and After are its parts.
type completion struct {
	Name                 string
	Value                string // the text with the name, if it is a query
	Before, Match, After string
	Place                string // what tells a list from others of the name: the path to it, or its id
	Hue                  int
	Count                int
}

func completeTags(r *page.Request) error {
	text := strings.TrimSpace(r.Parameters.Get("q"))
	found, err := r.Store.CompleteTags(r.Context(), r.User.ID, text)
	names := waymark.Map(found, func(tag waymark.Tag) completion { return newCompletion(tag.Name, text, -1, tag.LinkCount) })
	return sendCompletions(r, completions{Names: names}, text, err)
}

func completeLists(r *page.Request) error {
	text := strings.TrimSpace(r.Parameters.Get("q"))
	lists, err := r.Store.CompleteLists(r.Context(), r.User.ID, text)
	if err != nil {
		return err
	}
	if text == "" {
		if lists, err = latelyFirst(r, lists); err != nil {
			return err
		}
	}
	c := completions{Lists: true}
	others, owners, err := editableOfOthers(r, text)
	if err != nil {
		return err
	}
	names, err := listNames(r, lists)
	for i, list := range names {
		found := newCompletion(lists[i].Name, text, list.Hue, lists[i].LinkCount)
		found.Value = list.Name
		if above, ok := strings.CutSuffix(list.Name, "/"+lists[i].Name); ok {
			found.Place = above
		} else {
			found.Place = strings.TrimSpace(strings.TrimPrefix(list.Name, lists[i].Name))
		}
		c.Names = append(c.Names, found)
	}
	for _, list := range others {
		found := newCompletion(list.Name, text, page.Hue(list.Name), list.LinkCount)
		found.Value, found.Place = textOfOther(list), owners[list.Owner]
		c.Names = append(c.Names, found)
	}
	return sendCompletions(r, c, text, err)
}

// maxPeople is the number of names that complete a text.
const maxPeople = 10

// completePeople completes the names of the others who have an account.
func completePeople(r *page.Request) error {
	text := strings.TrimSpace(r.Parameters.Get("q"))
	users, err := r.Store.Accounts.Users(r.Context())
	if err != nil {
		return err
	}
	users = slices.DeleteFunc(users, func(u waymark.User) bool {
		return u.ID == r.User.ID || u.Disabled || !strings.Contains(waymark.Plain(u.Name), waymark.Plain(text))
	})
	var c completions
	for _, u := range users[:min(len(users), maxPeople)] {
		c.Names = append(c.Names, newCompletion(u.Name, text, -1, -1))
	}
	return r.RenderPart("completions", c)
}

// sendCompletions sends the names that complete a text, with the text itself if none of them is equal.
func sendCompletions(r *page.Request, c completions, text string, err error) error {
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(c.Names, func(known completion) bool { return waymark.Fold(known.Name) == waymark.Fold(text) }) {
		c.New = text
	}
	return r.RenderPart("completions", c)
}

func newCompletion(name, text string, dot, count int) completion {
	before, match, after := cutFold(name, text)
	return completion{Name: name, Before: before, Match: match, After: after, Hue: dot, Count: count}
}

// cutFold splits a text at the first place that contains part, without regard to case and accents.
func cutFold(text, part string) (before, match, after string) {
	graphemes := graphemesOf(text)
	part = waymark.Plain(part)
	start := strings.Index(foldedOf(graphemes), part)
	if start < 0 || part == "" {
		return text, "", ""
	}
	end := start + len(part)
	at := 0
	for _, p := range graphemes {
		switch {
		case at+len(p.folded) <= start:
			before += p.text
		case at < end:
			match += p.text
		default:
			after += p.text
		}
		at += len(p.folded)
	}
	return before, match, after
}

// urlNotice is what a form says about the URL in it: that it is not valid, or that the user
// has a link with it.
type urlNotice struct {
	Wrong    string   // a sentence, "" if the URL can be saved
	Existing *urlCard // the user's other link with the URL, nil if there is none
	Near     *nearLink
}

// completeURL shows what is known about the URL in a form. The query has the id of the link, unless
// it is new.
func completeURL(r *page.Request) error {
	query := r.Parameters
	id, _ := strconv.ParseInt(query.Get("id"), 10, 64) // 0 for a new link
	link, err := r.Store.Link(r.Context(), r.User.ID, waymark.LinkID(id))
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	f := linkForm{ID: waymark.LinkID(id), URL: typedURL(query.Get("url"), link)}
	if err := findExisting(r, &f); err != nil {
		return err
	}
	notice := urlNotice{Existing: f.Existing, Near: f.Near}
	if wrong := (waymark.LinkInput{URL: f.URL}).Apply(&waymark.Link{}); f.URL != "" && f.URL != link.URL && (wrong != nil || mistyped(f.URL)) {
		notice.Wrong = r.T("problem.url-format", "value", page.Quoted(f.URL))
	}
	return r.RenderPart("url-notice", notice)
}
