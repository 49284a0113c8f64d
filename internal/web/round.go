package web

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/query"
	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

const roundLinks = 20

// round is a walk through some of the user's links, one after the other. All of it is in the URL, so it goes on after a
// restart and on another server. Links that come to the search meanwhile do not change it.
type round struct {
	Query  string  // of the search whose links these are
	Seed   int64   // of the order in which they come
	Series string  // see service.UndoOptions
	Links  []int64 // of the round, in order
	Did    string  // the answers so far, a letter for each link
}

// The answers.
const (
	keptAnswer     = 'k'
	archivedAnswer = 'a'
	trashedAnswer  = 't'
	filedAnswer    = 'f'
	laterAnswer    = 'l'
	skippedAnswer  = 's' // the link was answered elsewhere
)

// answerLetters are the answers by the values of the buttons.
var answerLetters = map[string]rune{"keep": keptAnswer, "archive": archivedAnswer, "trash": trashedAnswer, "file": filedAnswer, "later": laterAnswer}

// readRound reads a round. Of what is malformed, the rest is left out.
func readRound(values url.Values) round {
	t := round{Query: values.Get("q"), Series: values.Get("series"), Links: parseIDs(values["links"], roundLinks), Did: values.Get("did")}
	t.Seed, _ = strconv.ParseInt(values.Get("seed"), 10, 64)
	if wrong := strings.IndexFunc(t.Did, func(letter rune) bool { return !strings.ContainsRune("katfls", letter) }); wrong >= 0 {
		t.Did = t.Did[:wrong]
	}
	t.Did = t.Did[:min(len(t.Did), len(t.Links))]
	return t
}

// Values are the parameters of the URL, and the fields of the forms.
func (t round) Values() url.Values {
	ids := strings.Join(waymark.Map(t.Links, func(id int64) string { return strconv.FormatInt(id, 10) }), ",")
	return url.Values{"q": {t.Query}, "seed": {strconv.FormatInt(t.Seed, 10)}, "series": {t.Series}, "links": {ids}, "did": {t.Did}}
}

func (t round) path() string { return page.JoinQuery("/tidy/round", t.Values().Encode()) }

// left returns the links that have no answer.
func (t round) left() []int64 { return t.Links[len(t.Did):] }

// undoable returns the links that some of the answers have changed.
func (t round) undoable(from int) (ids []int64) {
	for i, letter := range t.Did[from:] {
		if letter != laterAnswer && letter != skippedAnswer {
			ids = append(ids, t.Links[from+i])
		}
	}
	return ids
}

type roundPage struct {
	page.Plain
	round
	Name    string // of the heap, or the text of the search
	N       int    // the number of the link, from 1
	Skipped int    // links before it that were answered elsewhere since the last answer

	Link        *linkView // nil at the end
	Description string
	Note        string // one of the user's own
	Minutes     int    // that reading its text takes, 0 for no text
	Gone        bool   // its page is gone
	There       bool
	Form        linkForm

	Done []roundCount
	More string // the path of the next round, "" if nothing follows
}

type roundCount struct {
	What string
	N    int
}

func (p roundPage) PageTitle() string {
	if p.Link == nil {
		return p.Name
	}
	return p.Link.Title
}

// roundWhere returns the condition of a link in a round over a search. Archived links are done with, unless the search is
// about them, or about pages that are gone.
func roundWhere(s search) waymark.Condition {
	for c := range waymark.Leaves(s.Where) {
		if c == waymark.Condition(waymark.IsArchived) || c == waymark.Condition(waymark.IsBroken) || c == waymark.Condition(waymark.IsDead) {
			return waymark.AndOf(waymark.IsMine, s.Where)
		}
	}
	return waymark.AndOf(waymark.IsMine, s.Where, waymark.NotOf(waymark.IsArchived))
}

// showRound shows the link of a round that is to be answered next.
func showRound(r *page.Request) error {
	t := readRound(r.Parameters)
	s, err := readSearch(r, "/links", r.Parameters)
	if err != nil {
		return err
	}
	if len(t.Links) == 0 {
		return beginRound(r, t, s)
	}
	links, err := linksLeft(r, s, t.left())
	if err != nil {
		return err
	}
	p := roundPage{Name: roundName(r, s)}
	for _, id := range t.left() {
		if len(links) > 0 && int64(links[0].ID) == id {
			break
		}
		t.Did += string(skippedAnswer)
		p.Skipped++
	}
	p.round, p.N = t, len(t.Did)+1
	if len(links) == 0 {
		return endRound(r, p, s)
	}
	if err := p.setLink(r, links[0]); err != nil {
		return err
	}
	return r.Render("round", p)
}

func beginRound(r *page.Request, t round, s search) error {
	where := roundWhere(s)
	if t.Series = service.NewSeries(); !r.Parameters.Has("seed") {
		t.Seed = int64(rand.Int32()) //nolint:gosec // not a secret
	}
	if after := parseIDs(r.Parameters["after"], 1); len(after) > 0 {
		where = waymark.AndOf(where, waymark.Following{Seed: t.Seed, Link: waymark.LinkID(after[0])})
	}
	order := waymark.Order{By: waymark.SortByRandom, Seed: t.Seed}
	found, err := r.Store.SearchLinks(r.User.ID, filterOf(r, where), order, waymark.Pagination{Limit: roundLinks}).Page(r.Context())
	if err != nil {
		return err
	}
	if len(found.Entities) == 0 {
		return r.Render("round", roundPage{Name: roundName(r, s)})
	}
	t.Links = waymark.Map(found.Entities, func(l waymark.Link) int64 { return int64(l.ID) })
	return r.Redirect(t.path())
}

// linksLeft returns those of some links that are still in the search, in order. That the user has just looked at one
// does not take it out.
func linksLeft(r *page.Request, s search, ids []int64) ([]waymark.Link, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	among := waymark.Among{}
	for _, id := range ids {
		among[waymark.LinkID(id)] = true
	}
	parts := slices.DeleteFunc(slices.Clone(query.Parts(roundWhere(s))), func(part waymark.Condition) bool {
		for c := range waymark.Leaves(part) {
			if dated, ok := c.(waymark.Dated); ok && dated.Field == waymark.SeenOn {
				return true
			}
		}
		return false
	})
	filter := filterOf(r, waymark.AndOf(append(parts, among)...))
	found, err := r.Store.SearchLinks(r.User.ID, filter, waymark.Order{By: waymark.SortByID}, waymark.Pagination{}).Page(r.Context())
	links := found.Entities
	slices.SortFunc(links, func(a, b waymark.Link) int { return slices.Index(ids, int64(a.ID)) - slices.Index(ids, int64(b.ID)) })
	return links, err
}

// roundName returns the name of the heap of a search, or its text.
func roundName(r *page.Request, s search) string {
	for _, h := range linkHeaps {
		if isEqual(h.ofUser())(s.Where) {
			return r.T(h.key)
		}
	}
	if s.Typed == "" {
		return r.T("shell.links")
	}
	return page.Cut(s.Typed, 60)
}

func (p *roundPage) setLink(r *page.Request, link waymark.Link) error {
	view, err := newLinkView(r, link)
	if err != nil {
		return err
	}
	view.Opened = view.Path + "/seen?opened=1"
	p.Link, p.Minutes = &view, link.Minutes
	p.Description = page.Cut(page.PlainText(link.Description), 200)
	p.Gone, p.There = link.CheckResult == waymark.CheckDead, link.CheckResult == waymark.CheckOK
	notes, err := r.Store.NotesOfLink(r.User.ID, link.ID, waymark.Pagination{Limit: notesPerPage}).Page(r.Context())
	if err != nil {
		return err
	}
	for _, note := range notes.Entities {
		if note.Owner == r.User.ID && p.Note == "" {
			p.Note = page.Cut(page.PlainText(note.Text), 200)
		}
	}
	lists, err := listNames(r, link.Lists)
	if err != nil {
		return err
	}
	nameOf := func(name nameView) string { return name.Name }
	p.Form = linkForm{Lists: strings.Join(waymark.Map(lists, nameOf), ", "), Tags: strings.Join(waymark.Map(tagNames(link.Tags), nameOf), ", ")}
	return nil
}

func endRound(r *page.Request, p roundPage, s search) error {
	for _, answer := range []struct {
		letter rune
		what   string
	}{
		{keptAnswer, "round.kept"}, {archivedAnswer, "round.archived"}, {trashedAnswer, "round.trashed"}, {filedAnswer, "round.filed"},
		{laterAnswer, "round.put-off"}, {skippedAnswer, "round.elsewhere"},
	} {
		if n := strings.Count(p.Did, string(answer.letter)); n > 0 {
			p.Done = append(p.Done, roundCount{r.T(answer.what), n})
		}
	}
	last := p.Links[len(p.Links)-1]
	next := filterOf(r, waymark.AndOf(roundWhere(s), waymark.Following{Seed: p.Seed, Link: waymark.LinkID(last)}))
	following, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{next})
	if err != nil {
		return err
	}
	if following[0] > 0 {
		p.More = roundPath(p.Query) + "&" + page.QueryOf("seed", strconv.FormatInt(p.Seed, 10), "after", strconv.FormatInt(last, 10))
	}
	return r.Render("round", p)
}

// Looked is the number of links that were looked at.
func (p roundPage) Looked() int { return len(p.Did) - strings.Count(p.Did, string(skippedAnswer)) }

// Undoable reports whether an answer of the round has changed something.
func (p roundPage) Undoable() bool { return len(p.undoable(0)) > 0 }

// answerRound makes the change that an answer asks for, and goes on to the next link.
func answerRound(r *page.Request) error {
	t := readRound(r.HTTP.PostForm)
	switch answer := r.Field("answer"); {
	case answer == "undo":
		return undoAnswer(r, t)
	case answer == "undo-all":
		return undoAnswers(r, t, 0, "/tidy")
	case len(t.left()) == 0 || answerLetters[answer] == 0:
		return r.Redirect(t.path())
	default:
		return answerLink(r, t, answerLetters[answer])
	}
}

func answerLink(r *page.Request, t round, letter rune) error {
	id := waymark.LinkID(t.left()[0])
	change, err := changeOf(r, id, letter)
	if err == nil && change != nil {
		options := service.UndoOptions{User: r.User, Session: r.Session.ID, Series: t.Series, Number: int64(id)}
		_, err = r.Service.WithUndo(r.Context(), options, change)
	}
	switch {
	case errors.Is(err, waymark.ErrNotFound), errors.Is(err, waymark.ErrForbidden):
		if letter != trashedAnswer { // in the trash already, it is where it was to go
			letter = skippedAnswer
			return r.Changed(t.answer(letter).path(), page.Toast{Text: r.T("round.skipped", "n", 1)})
		}
	case err != nil:
		return r.NotChanged(t.path(), err)
	}
	return r.Redirect(t.answer(letter).path())
}

func (t round) answer(letter rune) round {
	t.Did += string(letter)
	return t
}

// changeOf returns the change of a link that an answer asks for, nil for none.
func changeOf(r *page.Request, id waymark.LinkID, letter rune) (func(context.Context, *service.Service) error, error) {
	seen := func(ctx context.Context, s *service.Service) error {
		_, err := s.MarkSeen(ctx, r.User, id)
		return err
	}
	switch letter {
	case keptAnswer:
		return seen, nil
	case archivedAnswer:
		return func(ctx context.Context, s *service.Service) error {
			if _, err := s.EditLinks(ctx, r.User, []int64{int64(id)}, waymark.BulkEdit{FlagsInput: flagChanges["archive"]}); err != nil {
				return err
			}
			return seen(ctx, s)
		}, nil
	case trashedAnswer:
		return func(ctx context.Context, s *service.Service) error {
			return s.Delete(ctx, r.User, waymark.Links, int64(id))
		}, nil
	case filedAnswer:
		link, err := r.Store.OwnLink(r.Context(), r.User, id)
		if err != nil {
			return nil, err
		}
		_, in, err := readLinkForm(r, link)
		return func(ctx context.Context, s *service.Service) error {
			if _, err := s.EditLink(ctx, r.User, id, in); err != nil {
				return err
			}
			return seen(ctx, s)
		}, err
	}
	return nil, nil
}

// undoAnswer undoes the last answer, and shows its link again.
func undoAnswer(r *page.Request, t round) error {
	last := strings.LastIndexFunc(t.Did, func(letter rune) bool { return letter != skippedAnswer })
	if last < 0 {
		return r.Redirect(t.path())
	}
	back := t
	back.Did = t.Did[:last]
	return undoAnswers(r, t, last, back.path())
}

// undoAnswers undoes the answers from one on. What was undone already, or is older than a day, stays as it is.
func undoAnswers(r *page.Request, t round, from int, back string) error {
	options := service.UndoOptions{User: r.User, Session: r.Session.ID, Series: t.Series}
	result, err := r.Service.UndoSeries(r.Context(), options, t.undoable(from))
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	if result.Skipped > 0 {
		return r.Undone(back, result.Skipped)
	}
	return r.Redirect(back)
}
