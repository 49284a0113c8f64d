package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type tagsPage struct {
	Name   string // a part of the names, "" for all
	Order  string
	Groups []tagGroup
	Select labelSelection
	Pager  page.Pager

	Letters []tagLetter // nil if the tags are not in the order of their names
}

// tagLetter leads to the tags that begin with a letter.
type tagLetter struct{ Letter, URL string }

// tagGroup is the tags that begin with a letter, or all if they are not in the order of their
// names.
type tagGroup struct {
	Letter string
	ID     string // of the heading
	Tags   []labelView
}

// tagsPerPage is the number of tags on one page, which takes about 7 KB, compressed.
const tagsPerPage = 200

func showTags(r *page.Request) error {
	if letter := r.Parameters.Get("letter"); letter != "" {
		return showTagsFrom(r, letter)
	}
	filter := labelFilter(r, r.Parameters)
	p := tagsPage{Name: filter.Name, Order: labelOrder(r, "name", "links", "fewest")}
	found, err := r.Store.SearchTags(r.Context(), r.User.ID, filter, labelOrders[p.Order], pagination(r, tagsPerPage))
	if err != nil {
		return err
	}
	p.Pager = page.NewPager(r, found.Total, tagsPerPage)
	p.Select = newLabelSelection(r, "tags", filter, found.Total)
	owners, err := otherOwners(r, waymark.Map(found.Entities, tagOwner))
	if err != nil {
		return err
	}
	for _, tag := range found.Entities {
		letter := ""
		folded := waymark.Plain(tag.Name)
		if p.Order == "name" {
			letter = firstLetter(folded)
		}
		// The names without a letter stand before and after the others.
		at := slices.IndexFunc(p.Groups, func(g tagGroup) bool { return g.Letter == letter })
		if at < 0 {
			at = len(p.Groups)
			p.Groups = append(p.Groups, tagGroup{Letter: letter, ID: letterID(folded)})
		}
		view := newTagView(tag)
		view.Owner, view.Mine = owners[tag.Owner], r.User.ID.MayEdit(tag.Owner)
		p.Groups[at].Tags = append(p.Groups[at].Tags, view)
	}
	if p.Order == "name" {
		if p.Letters, err = tagLetters(r, p); err != nil {
			return err
		}
	}
	return r.RenderListing("tags", p.Pager, p)
}

// maxTagLetters limits the letters that lead to other pages. Chinese tags can begin with thousands.
const maxTagLetters = 100

// tagLetters returns the letters of all pages, or only of this page if there are too many or if the
// tags are filtered.
func tagLetters(r *page.Request, p tagsPage) (letters []tagLetter, err error) {
	here := map[string]string{} // the letters that begin on this page, with their URLs
	for i, group := range p.Groups {
		letters = append(letters, tagLetter{group.Letter, "#" + group.ID})
		if i > 0 || p.Pager.Page == 1 {
			here[group.ID] = "#" + group.ID
		}
	}
	if p.Pager.Pages == 1 || p.Name != "" || p.Select.Empty {
		return letters, nil
	}
	found, err := r.Store.TagLetters(r.Context(), r.User.ID, maxTagLetters+1)
	if err != nil || len(found) > maxTagLetters {
		return letters, err
	}
	letters = nil
	for _, folded := range found {
		letter, id := firstLetter(folded), letterID(folded)
		if slices.ContainsFunc(letters, func(l tagLetter) bool { return l.Letter == letter }) {
			continue
		}
		letterURL := cmp.Or(here[id], r.URL("/tags?letter="+url.QueryEscape(folded))+"#"+id)
		letters = append(letters, tagLetter{letter, letterURL})
	}
	return letters, nil
}

func showTagsFrom(r *page.Request, letter string) error {
	before, err := r.Store.TagsBefore(r.Context(), r.User.ID, letter)
	if err != nil {
		return err
	}
	// The fragment of the request, which browsers keep, leads to the heading.
	return r.Redirect("/tags?page=" + strconv.Itoa(before/tagsPerPage+1))
}

// letterID returns the id of the heading above the tags that begin like this folded name.
func letterID(folded string) string {
	r, _ := utf8.DecodeRuneInString(folded)
	return "letter-" + strconv.FormatInt(int64(r), 16)
}

// firstLetter returns the letter that a name begins with, in upper case, or # if it begins with
// something else.
func firstLetter(name string) string {
	if r, _ := utf8.DecodeRuneInString(name); unicode.IsLetter(r) {
		return string(unicode.ToUpper(r))
	}
	return "#"
}

func showTag(r *page.Request, tag waymark.Tag) error {
	pinned, err := r.Store.TagPinned(r.Context(), r.User.ID, tag.ID)
	if err != nil {
		return err
	}
	return renderLabel(r, labelPage{
		Kind: "tags", ID: int64(tag.ID), Name: tag.Name, Text: tag.Name, Visibility: tag.Visibility.String(), Mine: r.User.ID.MayEdit(tag.Owner), Pinned: pinned,
	}, tagPath(tag.ID), tag.Owner, hasID(waymark.Tags, int64(tag.ID)))
}

func trashTag(r *page.Request, tag waymark.Tag) error {
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		return s.Delete(ctx, r.User, waymark.Tags, int64(tag.ID))
	})
	if err != nil {
		return err
	}
	return r.Changed("/tags", page.Toast{Text: r.T("labels.trashed", "name", page.Quoted(tag.Name)), Undo: undo, Back: tagPath(tag.ID)})
}

func pinTag(r *page.Request, tag waymark.Tag) error {
	return pin(r, tag.ID, tag.Name, tagPath(tag.ID), r.Store.PinTag)
}

const maxTagGroups = 100

type tagsAlikePage struct {
	Total  int
	Groups [][]waymark.Tag // the first tag of each stays, unless a person chooses another one
}

func showTagsAlike(r *page.Request) error {
	groups, err := r.Store.TagsAlike(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	return r.Render("tags-alike", tagsAlikePage{len(groups), groups[:min(len(groups), maxTagGroups)]})
}

// keepTagsApart remembers that tags are not to be merged.
func keepTagsApart(r *page.Request) error {
	ids := waymark.Map(parseIDs(r.HTTP.PostForm["models"], maxMerged), func(id int64) waymark.TagID { return waymark.TagID(id) })
	return makeChange(r, tagsAlikePath, false, func(ctx context.Context, s *service.Service) (string, error) {
		return r.T("duplicates.apart"), s.KeepTagsApart(ctx, r.User, ids)
	})
}

// mergePage is the data of the page that merges tags: it asks for their names, then which one
// remains.
type mergePage struct {
	Names    string // with commas between them
	Known    []string
	Tags     []labelView // to choose from, none before the names are right
	Into     int64       // the one that remains
	Links    int         // that have one of them, -1 if it is not known
	Problems page.Problems
}

// tagsAlikePath is the path of the page of tags that look alike, to which a merge returns.
const tagsAlikePath = "/tidy/tags"

const maxMerged = 50

func showMergeTags(r *page.Request) error {
	p := mergePage{Names: r.Parameters.Get("tags")}
	if r.Parameters.Has("models") || r.Parameters.Has("all") {
		var err error
		if p.Names, err = selectedTagNames(r); err != nil {
			return err
		}
	}
	names := parseNames(p.Names)
	if len(names) > maxMerged {
		names = names[:maxMerged]
		p.Problems = page.Problems{{Field: "tags", Text: r.T("merge-tags.too-many", "n", maxMerged)}}
	}
	seen := map[waymark.TagID]bool{}
	for _, name := range names {
		found, err := r.Store.CompleteTags(r.Context(), r.User.ID, name)
		if err != nil {
			return err
		}
		if len(found) == 0 || waymark.Fold(found[0].Name) != waymark.Fold(name) {
			p.Problems = append(p.Problems, page.Problem{Field: "tags", Text: r.T("merge-tags.unknown", "name", page.Quoted(name))})
			continue
		}
		if tag := found[0]; !seen[tag.ID] {
			seen[tag.ID] = true
			p.Tags = append(p.Tags, newTagView(tag))
		}
	}
	if len(p.Tags) > 0 {
		p.Into = slices.MaxFunc(p.Tags, func(a, b labelView) int { return cmp.Compare(a.Count, b.Count) }).ID
	}
	status := http.StatusOK
	// One tag is a mistake if the form was sent, but not if the link on the page of a tag was followed.
	if r.Parameters.Has("next") && len(p.Tags) < 2 && len(p.Problems) == 0 {
		p.Problems = page.Problems{{Field: "tags", Text: r.T("merge-tags.two")}}
	}
	if len(p.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if len(p.Problems) > 0 || len(p.Tags) < 2 {
		p.Tags = nil
		var err error
		if _, p.Known, err = knownNames(r); err != nil {
			return err
		}
	}
	if len(p.Tags) > 0 {
		tagged := waymark.Labeled{Kind: waymark.Tags}
		for _, tag := range p.Tags {
			tagged.Refs = append(tagged.Refs, waymark.Ref{ID: tag.ID})
		}
		counts, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{{Where: tagged}})
		if err != nil {
			return err
		}
		p.Links = counts[0]
	}
	return r.RenderStatus(status, "merge-tags", p)
}

// selectedTagNames returns the names of the tags that were selected on the page with all tags, at most one more than
// can be merged.
func selectedTagNames(r *page.Request) (string, error) {
	ids, err := selectedLabels(r, waymark.Tags, r.Parameters)
	var names []string
	for _, id := range ids[:min(len(ids), maxMerged+1)] {
		tag, err := r.Store.Tag(r.Context(), r.User.ID, waymark.TagID(id))
		if err != nil {
			return "", err
		}
		names = append(names, tag.Name)
	}
	return strings.Join(names, ", "), err
}

func mergeTags(r *page.Request) error {
	into := parseIDs(r.HTTP.PostForm["into"], 1)
	ids := parseIDs(r.HTTP.PostForm["models"], maxMerged)
	if len(into) == 0 || len(ids) < 2 {
		return page.Error{Status: http.StatusBadRequest}
	}
	others := make([]waymark.TagID, 0, len(ids))
	for _, id := range ids {
		if id != into[0] {
			others = append(others, waymark.TagID(id))
		}
	}
	remaining, err := r.Store.Tag(r.Context(), r.User.ID, waymark.TagID(into[0]))
	if err != nil {
		return err
	}
	links, undo, err := undoableChange(r, true, func(ctx context.Context, s *service.Service) (int, error) {
		return s.MergeTags(ctx, r.User, remaining.ID, others)
	})
	if err != nil {
		return err
	}
	message := r.T("merge-tags.merged", "name", page.Quoted(remaining.Name), "n", links)
	path := r.Back(tagPath(remaining.ID))
	back := "/tags"
	if path == tagsAlikePath {
		back = path
	}
	return r.Changed(path, page.Toast{Text: message, Undo: undo, Back: back})
}
