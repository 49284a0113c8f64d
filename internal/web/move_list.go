package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// movePage is the data of the page that moves a list within the tree.
type movePage struct {
	ID       waymark.ListID
	Name     string
	Words    string // that the names of the places have, "" for all
	Places   []movePlace
	More     int // places that are not shown
	Root     bool
	First    bool // the list is the first one among its siblings
	Last     bool
	Problems page.Problems
}

// movePlace is a list to which another one can be moved.
type movePlace struct {
	ID      waymark.ListID
	Name    string
	Hue     int
	Depth   int
	Here    bool // the list stands there now
	Within  bool // it is the list itself, or in it
	Context bool // it does not have the words, but a list in it does
}

// maxMovePlaces is the number of lists that the page shows. A text finds the others.
const maxMovePlaces = 200

// PageTitle returns the title of the document.
func (p movePage) PageTitle() string { return p.Name }

func showMoveList(r *page.Request) error {
	list, err := ownList(r)
	if err != nil {
		return err
	}
	return renderMovePage(r, http.StatusOK, list, nil)
}

func renderMovePage(r *page.Request, status int, list waymark.List, problems page.Problems) error {
	own, err := ownTree(r)
	if err != nil {
		return err
	}
	p := movePage{ID: list.ID, Name: list.Name, Words: strings.TrimSpace(r.FieldOrParameter("words")), Root: list.Parent == 0, Problems: problems}
	siblings := siblingsOf(own, list)
	p.First = len(siblings) > 0 && siblings[0] == list.ID
	p.Last = len(siblings) > 0 && siblings[len(siblings)-1] == list.ID
	shown := map[waymark.ListID]bool{}
	words := waymark.Fold(p.Words)
	for _, l := range own {
		if strings.Contains(waymark.Fold(l.Name), words) {
			shown[l.ID] = true
			for _, above := range l.Path {
				shown[above.ID] = true
			}
		}
	}
	for _, l := range own {
		switch {
		case !shown[l.ID]:
		case len(p.Places) == maxMovePlaces:
			p.More++
		default:
			within := l.ID == list.ID || slices.ContainsFunc(l.Path, func(above waymark.ListName) bool { return above.ID == list.ID })
			p.Places = append(p.Places, movePlace{
				ID: l.ID, Name: l.Name, Hue: page.Hue(l.Name), Depth: len(l.Path), Here: l.ID == list.Parent, Within: within,
				Context: !strings.Contains(waymark.Fold(l.Name), words),
			})
		}
	}
	return r.RenderStatus(status, "move-list", p)
}

// ownTree returns the user's own lists in the order of the tree.
func ownTree(r *page.Request) ([]waymark.List, error) {
	all, err := r.Store.ListTree(r.Context(), r.User.ID)
	return slices.DeleteFunc(all, func(l waymark.List) bool { return l.Owner != r.User.ID }), err
}

// siblingsOf returns the lists that stand where a list stands, with it, in their order.
func siblingsOf(tree []waymark.List, list waymark.List) []waymark.ListID {
	var ids []waymark.ListID
	for _, l := range tree {
		if l.Parent == list.Parent {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// moveList moves a list: into another one or to the top level, or past one of its siblings.
func moveList(r *page.Request) error {
	list, err := ownList(r)
	if err != nil {
		return err
	}
	if err := r.ParseForm(); err != nil {
		return err
	}
	place := waymark.ListPlace{Parent: list.Parent}
	switch step := r.Field("step"); step {
	case "up", "down":
		own, err := ownTree(r)
		if err != nil {
			return err
		}
		siblings := siblingsOf(own, list)
		at := slices.Index(siblings, list.ID)
		switch {
		case step == "up" && at > 0:
			place.Before = siblings[at-1]
		case step == "down" && at >= 0 && at+2 < len(siblings):
			place.Before = siblings[at+2]
		case step == "up" || at == len(siblings)-1:
			return r.Redirect(r.Back(listPath(list.ID)))
		}
	default:
		id, err := strconv.ParseInt(r.Field("parent"), 10, 64)
		if err != nil {
			return renderMovePage(r, http.StatusUnprocessableEntity, list, page.Problems{{Field: "parent", Text: r.T("move-list.choose")}})
		}
		place.Parent = waymark.ListID(id)
	}
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		return s.MoveLists(ctx, r.User, []waymark.ListID{list.ID}, place)
	})
	if err != nil {
		problems, err := r.ProblemsOf(err, func(string) string { return cut(list.Name, maxQuoted) })
		if err != nil {
			return err
		}
		return renderMovePage(r, http.StatusUnprocessableEntity, list, problems)
	}
	back := r.Back(listPath(list.ID))
	return r.Changed(back, page.Toast{Text: r.T("move-list.moved", "name", cut(list.Name, maxQuoted)), Undo: undo, Back: back})
}
