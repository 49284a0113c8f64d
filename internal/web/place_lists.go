package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type placePage struct {
	Action   string // /lists/move or /lists/merge
	Title    string
	Chosen   url.Values // the parameters that choose the lists
	Back     string
	Words    string // that the names of the places have, "" for all
	Places   []placeView
	More     int         // places that are not shown
	Lately   []placeView // into which lists were moved last
	New      []placeView // in which a new list with the words as its name can stand; none if a list has them
	Root     bool        // the lists stand in no list
	Dialog   bool
	Problems page.Problems
}

// placeView is a list into which others can be moved or merged.
type placeView struct {
	ID      waymark.ListID
	Name    string
	Hue     int
	Depth   int
	Count   int
	Here    bool   // the lists stand there now
	Within  bool   // it is one of the lists, or in one
	Picked  bool   // it is chosen until people choose another one
	Context bool   // it does not have the words, but a list in it does
	Above   string // the names of the lists in which it stands, if it is not shown below them
}

const maxPlaces = 200

// PageTitle returns the title of the document.
func (p placePage) PageTitle() string { return p.Title }

// Moves reports whether the lists are moved, not merged.
func (p placePage) Moves() bool { return p.Action == "/lists/move" }

func showMoveLists(r *page.Request) error {
	return showPlaces(r, "/lists/move", http.StatusOK, r.Parameters, nil)
}

func showMergeLists(r *page.Request) error {
	return showPlaces(r, "/lists/merge", http.StatusOK, r.Parameters, nil)
}

// chosenLists returns the user's own lists in the order of the tree, and those of them that parameters or a form
// choose, at least one. In a list that the user may change they can choose another person's lists to order them: the
// service permits no more.
func chosenLists(r *page.Request, values url.Values) (tree, chosen []waymark.List, err error) {
	ids, err := selectedLabels(r, waymark.Lists, values)
	if err != nil {
		return nil, nil, err
	}
	all, err := r.Store.ListTree(r.Context(), r.User.ID)
	if err != nil {
		return nil, nil, err
	}
	known := make(map[int64]waymark.List, len(all))
	for _, l := range all {
		known[int64(l.ID)] = l
	}
	owner := r.User.ID
	if len(ids) > 0 && known[int64(known[ids[0]].Parent)].CanEdit {
		owner = known[ids[0]].Owner
	}
	for _, id := range ids {
		list := known[id]
		switch {
		case list.ID == 0:
			return nil, nil, waymark.ErrNotFound
		case list.Owner != owner:
			return nil, nil, page.ErrNotYours
		}
		chosen = append(chosen, list)
	}
	if len(chosen) == 0 {
		return nil, nil, waymark.ErrNotFound
	}
	return slices.DeleteFunc(all, func(l waymark.List) bool { return l.Owner != owner }), chosen, nil
}

func showPlaces(r *page.Request, action string, status int, values url.Values, problems page.Problems) error {
	tree, chosen, err := chosenLists(r, values)
	if err != nil {
		return err
	}
	if chosen[0].Owner != r.User.ID { // they can be ordered on their page
		return page.ErrNotYours
	}
	p := placePage{Action: action, Words: strings.TrimSpace(values.Get("words")), Dialog: r.Partial("place"), Problems: problems, Chosen: url.Values{}}
	for _, name := range []string{"models", "all", "selection"} {
		if given, ok := values[name]; ok {
			p.Chosen[name] = given
		}
	}
	key := "place-lists." + strings.TrimPrefix(action, "/lists/")
	if p.Title = r.T(key+"-several", "n", len(chosen)); len(chosen) == 1 {
		p.Title = r.T(key, "name", page.Quoted(chosen[0].Name))
	}
	if p.Back = r.Back(""); p.Back == "" && p.Dialog {
		shown := r.Shown()
		p.Back = page.JoinQuery(shown.Path, shown.RawQuery)
	}
	p.addPlaces(r, tree, chosen)
	if err := p.countLinks(r); err != nil {
		return err
	}
	switch {
	case r.Partial("places"):
		return r.RenderPart("places-part", p)
	case p.Dialog:
		return r.RenderPart("place-part", p)
	}
	return r.RenderStatus(status, "place-lists", p)
}

// addPlaces adds the lists of a tree that have the words, with those in which they stand.
func (p *placePage) addPlaces(r *page.Request, tree, chosen []waymark.List) {
	ids, parents := map[waymark.ListID]bool{}, map[waymark.ListID]bool{}
	for _, l := range chosen {
		ids[l.ID], parents[l.Parent] = true, true
	}
	p.Root = len(parents) == 1 && parents[0]
	shown, words := map[waymark.ListID]bool{}, waymark.Plain(p.Words)
	for _, l := range tree {
		if strings.Contains(waymark.Plain(l.Name), words) {
			shown[l.ID] = true
			for _, above := range l.Path {
				shown[above.ID] = true
			}
		}
	}
	picked := false
	var lately []waymark.ListID // into which the user has moved lists
	if p.Moves() && p.Words == "" {
		lately = rememberedLists(r, placesCookie)
		lately = lately[max(0, len(lately)-maxLately):]
	}
	for _, l := range tree {
		place := placeView{ID: l.ID, Name: l.Name, Hue: page.Hue(l.Name), Depth: len(l.Path), Context: !strings.Contains(waymark.Plain(l.Name), words)}
		if p.Moves() {
			place.Here = len(parents) == 1 && parents[l.ID]
			place.Within = ids[l.ID] || slices.ContainsFunc(l.Path, func(above waymark.ListName) bool { return ids[above.ID] })
		} else {
			place.Within = len(ids) == 1 && ids[l.ID]
		}
		if slices.Contains(lately, l.ID) && !place.Here && !place.Within {
			again := place
			again.Depth, again.Above = 0, pathOf(l)
			p.Lately = append(p.Lately, again)
		}
		if place.Here && len(shown) == 0 {
			p.New = append(p.New, place)
		}
		if !shown[l.ID] {
			continue
		}
		if len(p.Places) == maxPlaces {
			p.More++
			continue
		}
		place.Picked = words != "" && !picked && !place.Context && !place.Here && !place.Within
		picked = picked || place.Picked
		p.Places = append(p.Places, place)
	}
	if p.Moves() && len(shown) == 0 {
		p.New = append(p.New, placeView{})
	}
}

func (p *placePage) countLinks(r *page.Request) error {
	lists := waymark.Map(slices.Concat(p.Places, p.Lately), func(place placeView) waymark.List { return waymark.List{ID: place.ID} })
	counts, err := r.Store.CountListLinks(r.Context(), r.User.ID, lists)
	for _, places := range [][]placeView{p.Places, p.Lately} {
		for i := range places {
			places[i].Count = counts[int64(places[i].ID)]
		}
	}
	return err
}

// moveLists moves lists: into another one or to the top level, before or after another one, or past a sibling.
func moveLists(r *page.Request) error {
	tree, chosen, err := chosenLists(r, r.HTTP.PostForm)
	if err != nil {
		return err
	}
	back, first := r.Back(listPath(chosen[0].ID)), page.Quoted(chosen[0].Name)
	beside, after := listField(r, "before"), false
	if id := listField(r, "after"); id != 0 {
		beside, after = id, true
	}
	if step := r.Field("step"); step != "" {
		if beside, after = neighborOf(tree, chosen[0], step), step == "down"; beside == 0 {
			return r.Changed(back, page.Toast{Text: r.T("place-lists.stays", "name", first)})
		}
	}
	place, ok := placeBeside(tree, beside, after)
	isNew := false
	if beside == 0 {
		place, isNew, ok = placeInto(r, tree)
	}
	if !ok {
		return showPlaceProblems(r, "/lists/move", back, page.Problems{{Field: "into", Text: r.T("place-lists.choose")}})
	}
	ids := waymark.Map(chosen, func(l waymark.List) waymark.ListID { return l.ID })
	into, undo, err := undoableChange(r, len(ids) > 1, func(ctx context.Context, s *service.Service) (waymark.ListPlace, error) {
		into := place
		if isNew {
			list, err := s.AddList(ctx, r.User, waymark.ListInput{Name: strings.TrimSpace(r.Field("words")), Parent: &place.Parent})
			if err != nil {
				return into, err
			}
			into = waymark.ListPlace{Parent: list.ID}
		}
		return into, s.MoveLists(ctx, r.User, ids, into)
	})
	if err != nil {
		return placeError(r, "/lists/move", back, err)
	}
	if beside == 0 && into.Parent != 0 {
		rememberList(r, placesCookie, into.Parent, true)
	}
	message := r.T("place-lists.moved-several", "n", len(ids))
	if len(ids) == 1 {
		message = r.T("place-lists.moved", "name", first)
	}
	return r.Changed(back, page.Toast{Text: message, Undo: undo, Back: back})
}

func mergeLists(r *page.Request) error {
	tree, chosen, err := chosenLists(r, r.HTTP.PostForm)
	if err != nil {
		return err
	}
	into := listField(r, "into")
	at := slices.IndexFunc(tree, func(l waymark.List) bool { return l.ID == into })
	var others []waymark.ListID
	for _, l := range chosen {
		if l.ID != into {
			others = append(others, l.ID)
		}
	}
	if at < 0 || len(others) == 0 {
		return showPlaceProblems(r, "/lists/merge", "/lists", page.Problems{{Field: "into", Text: r.T("place-lists.choose")}})
	}
	name := page.Quoted(tree[at].Name)
	links, undo, err := undoableChange(r, true, func(ctx context.Context, s *service.Service) (int, error) {
		return s.MergeLists(ctx, r.User, into, others)
	})
	if err != nil {
		return placeError(r, "/lists/merge", "/lists", err)
	}
	return r.Changed(listPath(into), page.Toast{Text: r.T("place-lists.merged", "name", name, "n", links), Undo: undo, Back: r.Back("/lists")})
}

// neighborOf returns the sibling before a list, or after it if step is "down", 0 if there is none.
func neighborOf(tree []waymark.List, list waymark.List, step string) waymark.ListID {
	var siblings []waymark.ListID
	for _, l := range tree {
		if l.Parent == list.Parent {
			siblings = append(siblings, l.ID)
		}
	}
	at := slices.Index(siblings, list.ID) - 1
	if step == "down" {
		at += 2
	}
	if at < 0 || at >= len(siblings) {
		return 0
	}
	return siblings[at]
}

// placeInto returns the place in a list, or in no list, that a form chooses. isNew reports whether it is in a new list,
// which has the words as its name and is to stand in the parent of the place.
func placeInto(r *page.Request, tree []waymark.List) (place waymark.ListPlace, isNew, ok bool) {
	text, isNew := strings.CutPrefix(r.Field("into"), "new-")
	id, err := strconv.ParseInt(text, 10, 64)
	place.Parent = waymark.ListID(id)
	if isNew {
		return place, true, err == nil
	}
	place.Last = r.Field("place") == "last"
	if r.Field("place") == "first" {
		if first := slices.IndexFunc(tree, func(l waymark.List) bool { return l.Parent == place.Parent }); first >= 0 {
			place.Before = tree[first].ID
		}
	}
	return place, false, err == nil
}

// placeBeside returns the place before or after a list, and whether the tree has that list.
func placeBeside(tree []waymark.List, beside waymark.ListID, after bool) (waymark.ListPlace, bool) {
	at := slices.IndexFunc(tree, func(l waymark.List) bool { return l.ID == beside })
	if at < 0 {
		return waymark.ListPlace{}, false
	}
	if after {
		beside = neighborOf(tree, tree[at], "down")
	}
	return waymark.ListPlace{Parent: tree[at].Parent, Before: beside, Last: after}, true
}

// placeError shows what is wrong with a place, or returns err.
func placeError(r *page.Request, action, back string, err error) error {
	if errors.Is(err, waymark.ErrForbidden) { // the user sees the lists
		return page.ErrNotYours
	}
	problems, err := r.ProblemsOf(err)
	if err != nil {
		return err
	}
	return showPlaceProblems(r, action, back, problems)
}

// showPlaceProblems shows the page again, or the first problem to a script that has moved a list.
func showPlaceProblems(r *page.Request, action, back string, problems page.Problems) error {
	if r.Partial("toasts") {
		return r.Changed(back, page.Toast{Text: problems[0].Text})
	}
	return showPlaces(r, action, http.StatusUnprocessableEntity, r.HTTP.PostForm, problems)
}
