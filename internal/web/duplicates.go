package web

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

const duplicatesPath = "/tidy/duplicates"

const previewedGroups = 50

// duplicatesPage is the data of the page that shows one group of links that are saved several times.
type duplicatesPage struct {
	Exact, Total int
	Capped       bool // there can be more
	Weak         bool // the URLs could be of different pages
	Links        []duplicateView
	Rows         map[string]string // the classes of the rows of the table, "" for a row without a text
	Together     string            // what the merged link has
	After, Later string            // the place of the group, and the path of the next one
	Skipped      bool              // there are groups before this place
}

type duplicateView struct {
	linkView
	Number        int // counted from 1
	Stays, HasURL bool
	URLParts      []textPart // what the other URL does not have is marked
	Text, Note    string
	Page          string
	Scope         string
}

// findDuplicates returns the first group after a place, those with one waymark.URLKey first.
func findDuplicates(r *page.Request, weak bool, after int64) (g store.DuplicatePage, isWeak bool, err error) {
	if !weak {
		if g, err = r.Store.Duplicates(r.Context(), r.User.ID, false, after, 1); err != nil || len(g.Groups) > 0 {
			return g, false, err
		}
		after = store.FirstDuplicate
	}
	g, err = r.Store.Duplicates(r.Context(), r.User.ID, true, after, 1)
	return g, true, err
}

func duplicatesPlace(weak bool, after string) string {
	path := duplicatesPath
	if after != "" {
		path += "?" + page.QueryOf("after", after)
		if weak {
			path += "&weak=1"
		}
	}
	return path
}

func placeOfDuplicates(get func(string) string) (weak bool, after int64, text string) {
	after, err := strconv.ParseInt(get("after"), 10, 64)
	if err != nil || after < 0 {
		return false, store.FirstDuplicate, ""
	}
	return get("weak") == "1", after, get("after")
}

func showDuplicates(r *page.Request) error {
	p := duplicatesPage{}
	weak, after, text := placeOfDuplicates(r.Parameters.Get)
	p.After, p.Skipped = text, text != ""
	exact, others, err := r.Store.CountDuplicates(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	p.Exact, p.Total, p.Capped = exact, exact+others, exact+others >= store.MaxCounted
	found, isWeak, err := findDuplicates(r, weak, after)
	if err != nil {
		return err
	}
	if p.Weak = isWeak; isWeak && !weak {
		p.After = ""
	}
	if len(found.Groups) > 0 {
		p.Later = duplicatesPlace(isWeak, strconv.FormatInt(found.Last, 10))
		if err := p.add(r, found.Groups[0].Duplicates); err != nil {
			return err
		}
	}
	return r.Render("duplicates", p)
}

// savedTwice returns how many other links a user has of the page of a link, and the path of the page with all of them.
func savedTwice(r *page.Request, link waymark.Link) (others int, path string, err error) {
	group, err := r.Store.DuplicatesOf(r.Context(), r.User.ID, link)
	if err != nil || len(group.Links) < 2 {
		return 0, "", err
	}
	return len(group.Links) - 1, duplicatesPlace(false, strconv.FormatInt(group.Key-1, 10)), nil
}

func (p *duplicatesPage) add(r *page.Request, d waymark.Duplicates) error {
	views, err := newLinkViews(r, waymark.ComfortableView, nil, d.Links)
	if err != nil {
		return err
	}
	first, err := r.Store.FirstNotes(r.Context(), r.User.ID, waymark.Map(d.Links, func(l waymark.Link) waymark.LinkID { return l.ID }))
	if err != nil {
		return err
	}
	lists, tags := map[waymark.ListID]bool{}, map[waymark.TagID]bool{}
	rows := map[string][]string{}
	for i, l := range d.Links {
		other := d.Links[max(0, 1-i)].URL
		v := duplicateView{
			linkView: views.of(l), Number: i + 1, Stays: l.ID == d.Keep, HasURL: l.ID == d.Source().ID, URLParts: differingParts(l.URL, other),
			Text: page.Cut(page.PlainText(l.Description), 300), Note: page.Cut(page.PlainText(first[l.ID].Text), 200),
			Page: pageState(r, l), Scope: l.Visibility.String(),
		}
		for _, list := range l.Lists {
			lists[list.ID] = true
		}
		for _, tag := range l.Tags {
			tags[tag.ID] = true
		}
		for name, text := range map[string]string{
			"title": v.Title, "text": v.Text, "lists": formatViews(v.Lists), "tags": formatViews(v.Tags), "note": v.Note,
			"saved": v.Saved.Short, "page": v.Page, "scope": v.Scope,
		} {
			rows[name] = append(rows[name], text)
		}
		p.Links = append(p.Links, v)
	}
	p.Rows = map[string]string{}
	for name, texts := range rows {
		if texts = slices.Compact(texts); len(texts) > 1 {
			p.Rows[name] = "differs"
		} else if texts[0] != "" {
			p.Rows[name] = "same"
		}
	}
	merged, notes := d.Merged()
	var parts []string
	if n := len(lists); n > 0 {
		parts = append(parts, r.T("duplicates.lists", "n", n))
	}
	if n := len(tags); n > 0 {
		parts = append(parts, r.T("duplicates.tags", "n", n))
	}
	if n := len(notes); n > 0 {
		parts = append(parts, r.T("duplicates.notes", "n", n))
	}
	parts = append(parts, r.T("duplicates.since", "time", r.Moment(merged.CreatedAt).Short), r.T("visibility."+merged.Visibility.String()))
	p.Together = strings.Join(parts, ", ")
	return nil
}

// pageState says what the last check has found about the page of a link.
func pageState(r *page.Request, l waymark.Link) string {
	switch {
	case l.Status == waymark.StatusBroken:
		return r.T("duplicates.page-broken")
	case l.Status == waymark.StatusMoved || l.CheckResult == waymark.CheckMoved:
		return r.T("duplicates.page-moved")
	case l.CheckResult == waymark.CheckOK:
		return r.T("duplicates.page-there")
	}
	return r.T("duplicates.page-unknown")
}

// urlWords matches the words of a URL, and what stands between them.
var urlWords = regexp.MustCompile(`[\pL\pN]+|[^\pL\pN]+`)

// differingParts returns a URL in parts, of which those are marked that another URL does not have. A slash at the end
// is another word than one before a name.
func differingParts(url, other string) (parts []textPart) {
	const end = "\n"
	others := urlWords.FindAllString(other+end, -1)
	for _, word := range urlWords.FindAllString(url+end, -1) {
		if text := strings.TrimSuffix(word, end); text != "" {
			parts = append(parts, textPart{text, !slices.Contains(others, word)})
		}
	}
	return parts
}

// answerDuplicates merges a group, or keeps its links apart.
func answerDuplicates(r *page.Request) error {
	weak, _, after := placeOfDuplicates(r.Field)
	back := duplicatesPlace(weak, after)
	keep := parseIDs(r.HTTP.PostForm["keep"], 1)
	ids := waymark.Map(parseIDs(r.HTTP.PostForm["links"], waymark.MaxDuplicates), func(id int64) waymark.LinkID { return waymark.LinkID(id) })
	if len(ids) < 2 || len(keep) == 0 {
		return page.Error{Status: 400}
	}
	apart := r.Field("answer") == "apart"
	merged, undo, err := undoableChange(r, true, func(ctx context.Context, s *service.Service) (store.MergedLinks, error) {
		if apart {
			return store.MergedLinks{}, s.KeepApart(ctx, r.User, ids)
		}
		return s.MergeLinks(ctx, r.User, store.Merge{Keep: waymark.LinkID(keep[0]), Others: ids, URL: r.Field("url")})
	})
	invalid, isInvalid := errors.AsType[*waymark.ValidationError](err)
	switch {
	case errors.Is(err, waymark.ErrNotFound), isInvalid && invalid.Problems[0].Rule == waymark.RuleExists:
		return r.Changed(back, page.Toast{Text: r.T("duplicates.changed")})
	case err != nil:
		return r.NotChanged(back, err)
	case apart:
		return r.Changed(back, page.Toast{Text: r.T("duplicates.apart"), Undo: undo, Back: back})
	}
	return r.Changed(back, page.Toast{Text: r.T("duplicates.merged", "n", len(merged.Merged)+1), Undo: undo, Back: back})
}

// exactPage is the data of the preview of what is merged at once.
type exactPage struct {
	Total  int
	Groups []exactGroup
	Next   string // the path of the next page
}

type exactGroup struct {
	Title, URL string
	Others     []string // URLs that go to the trash
}

func showExactDuplicates(r *page.Request) error {
	_, after, _ := placeOfDuplicates(r.Parameters.Get)
	found, err := r.Store.Duplicates(r.Context(), r.User.ID, false, after, previewedGroups)
	if err != nil {
		return err
	}
	exact, _, err := r.Store.CountDuplicates(r.Context(), r.User.ID)
	p := exactPage{Total: exact}
	for _, g := range found.Groups {
		group := exactGroup{Title: g.Kept().Title, URL: g.URL}
		for _, l := range g.Links {
			if l.URL != g.URL {
				group.Others = append(group.Others, l.URL)
			}
		}
		p.Groups = append(p.Groups, group)
	}
	if found.More {
		p.Next = duplicatesPath + "/exact?" + page.QueryOf("after", strconv.FormatInt(found.Last, 10))
	}
	if err != nil {
		return err
	}
	return r.Render("exact-duplicates", p)
}

func mergeExactDuplicates(r *page.Request) error {
	merged, undo, err := r.Service.MergeExact(r.Context(), service.UndoOptions{User: r.User, Session: r.Session.ID})
	if err != nil {
		return err
	}
	return r.Changed(duplicatesPath, page.Toast{Text: r.T("duplicates.all-merged", "n", merged), Undo: undo.Token, Back: duplicatesPath})
}
