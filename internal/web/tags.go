package web

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// tagsPage is the data of the page with all tags that the user sees.
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
	if last := p.Pager.BeyondEnd(); last != "" {
		return r.Redirect(last)
	}
	owners, err := otherOwners(r, waymark.Map(found.Entities, tagOwner))
	if err != nil {
		return err
	}
	for i, name := range tagNames(found.Entities) {
		tag := found.Entities[i]
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
		p.Groups[at].Tags = append(p.Groups[at].Tags, labelView{nameView: name, Count: tag.LinkCount, Owner: owners[tag.Owner], Mine: r.User.ID.MayEdit(tag.Owner)})
	}
	if p.Order == "name" {
		if p.Letters, err = tagLetters(r, p); err != nil {
			return err
		}
	}
	return r.Render("tags", p)
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

// showTagsFrom redirects to the first page with tags that start with a letter.
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

// pinTag pins a tag to the sidebar, or removes it from there.
func pinTag(r *page.Request, tag waymark.Tag) error {
	return pin(r, tag.ID, tag.Name, tagPath(tag.ID), r.Store.PinTag)
}
