package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// changed is the result of a change.
type changed struct {
	Changed int    `json:"changed"`        // how many links are different
	Now     string `json:"now,omitempty"`  // what is different
	Undo    string `json:"undo,omitempty"` // the token; none if nothing has changed
}

// change calls do in one transaction. It returns the token that undoes what do has changed. All that a key changes can
// also be undone together.
func (a *API) change(ctx context.Context, c caller, do func(ctx context.Context, s *service.Service) error) (token string, err error) {
	undo, err := a.Service.WithUndo(ctx, service.UndoOptions{User: c.user, APIKey: c.key.ID, Bulk: true}, do)
	return undo.Token, err
}

type saveArguments struct {
	URL     string   `json:"url"`
	Title   *string  `json:"title"`
	Tags    []string `json:"tags"`
	List    string   `json:"list"`
	Note    *string  `json:"note"`
	NewTags bool     `json:"new_tags"`
}

type saveResult struct {
	ID           string `json:"id"`
	AlreadySaved bool   `json:"already_saved,omitempty"`
	Undo         string `json:"undo,omitempty"`
}

// save adds a link. One with this URL that the user has stays as it is.
func (a *API) save(ctx context.Context, c caller, in saveArguments) (result saveResult, err error) {
	in.URL = strings.TrimSpace(in.URL)
	known := func() (bool, error) {
		link, err := a.Store.LinkByURL(ctx, c.user.ID, in.URL)
		if errors.Is(err, waymark.ErrNotFound) || err == nil && link.DeletedAt != 0 {
			return false, nil
		}
		result = saveResult{ID: idText(link.ID), AlreadySaved: err == nil}
		return err == nil, err
	}
	if is, err := known(); is || err != nil {
		return result, err
	}
	tags, err := a.tagRefs(ctx, c.user, in.Tags, in.NewTags)
	if err != nil {
		return result, err
	}
	lists, err := a.listRefs(ctx, c.user, in.List)
	if err != nil {
		return result, err
	}
	result.Undo, err = a.change(ctx, c, func(ctx context.Context, s *service.Service) error {
		link, err := s.AddLink(ctx, c.user, waymark.LinkInput{URL: in.URL, Title: in.Title, Tags: &tags, Lists: &lists})
		if err == nil && in.Note != nil {
			_, err = s.EditBookmark(ctx, c.user, link.ID, service.BookmarkInput{Notes: in.Note})
		}
		result.ID = idText(link.ID)
		return err
	})
	if err != nil {
		if is, knownErr := known(); is && knownErr == nil { // another request has added it meanwhile
			return result, nil
		}
		return saveResult{}, err
	}
	return result, nil
}

func idText(i waymark.LinkID) string { return strconv.FormatInt(int64(i), 10) }

type updateArguments struct {
	IDs        []id     `json:"ids"`
	AddTags    []string `json:"add_tags"`
	RemoveTags []string `json:"remove_tags"`
	AddList    string   `json:"add_list"`
	RemoveList string   `json:"remove_list"`
	Unread     *bool    `json:"unread"`
	Archived   *bool    `json:"archived"`
	Title      *string  `json:"title"`
	Note       *string  `json:"note"`
	NewTags    bool     `json:"new_tags"`
}

const (
	maxUpdated = 100
	maxTrashed = 20
)

// update changes the user's own links, all or none.
func (a *API) update(ctx context.Context, c caller, in updateArguments) (changed, error) {
	before, err := a.ownLinks(ctx, c.user, in.IDs, maxUpdated)
	if err != nil {
		return changed{}, err
	}
	if (in.Title != nil || in.Note != nil) && len(before) > 1 {
		return changed{}, refusal("Nothing was changed: title and note can be set for one link only.")
	}
	add := waymark.BulkEdit{FlagsInput: waymark.FlagsInput{Unread: in.Unread, Archived: in.Archived}}
	remove := waymark.BulkEdit{ListsMode: waymark.RemoveRefs, TagsMode: waymark.RemoveRefs}
	var errs [4]error
	add.Tags, errs[0] = a.tagRefs(ctx, c.user, in.AddTags, in.NewTags)
	remove.Tags, errs[1] = a.tagRefs(ctx, c.user, in.RemoveTags, false)
	add.Lists, errs[2] = a.listRefs(ctx, c.user, in.AddList)
	remove.Lists, errs[3] = a.listRefs(ctx, c.user, in.RemoveList)
	for _, err := range errs {
		if err != nil {
			return changed{}, err
		}
	}
	ids := waymark.Map(before, func(l waymark.Link) int64 { return int64(l.ID) })
	var result changed
	result.Undo, err = a.change(ctx, c, func(ctx context.Context, s *service.Service) error {
		for _, edit := range []waymark.BulkEdit{add, remove} {
			if _, err := s.EditLinks(ctx, c.user, ids, edit); err != nil {
				return err
			}
		}
		if in.Title == nil && in.Note == nil {
			return nil
		}
		_, err := s.EditBookmark(ctx, c.user, before[0].ID, service.BookmarkInput{LinkInput: waymark.LinkInput{Title: in.Title}, Notes: in.Note})
		return err
	})
	if err != nil || result.Undo == "" {
		return result, err
	}
	after, err := a.ownLinks(ctx, c.user, in.IDs, maxUpdated)
	if err != nil {
		return changed{}, err
	}
	for i, l := range after {
		if in.Note != nil || !reflect.DeepEqual(newLinkJSON(&l, nil), newLinkJSON(&before[i], nil)) {
			result.Changed++
		}
	}
	result.Now = in.String()
	return result, nil
}

// String says what links have become.
func (in updateArguments) String() string {
	var parts []string
	for _, part := range []struct{ text, value string }{
		{"with the tags ", strings.Join(in.AddTags, ", ")}, {"without the tags ", strings.Join(in.RemoveTags, ", ")},
		{"in the list ", in.AddList}, {"not in the list ", in.RemoveList},
	} {
		if part.value != "" {
			parts = append(parts, part.text+part.value)
		}
	}
	for _, flag := range (waymark.FlagsInput{Unread: in.Unread, Archived: in.Archived}).Values() {
		parts = append(parts, map[bool]string{true: "", false: "not "}[flag.On]+flag.Flag.String())
	}
	if in.Title != nil {
		parts = append(parts, "with another title")
	}
	if in.Note != nil {
		parts = append(parts, "with another note")
	}
	return strings.Join(parts, "; ")
}

// ownLinks returns the user's own links with some ids, sorted by id. It is an error if one of them is not there.
func (a *API) ownLinks(ctx context.Context, user waymark.User, ids []id, limit int) ([]waymark.Link, error) {
	if len(ids) == 0 || len(ids) > limit {
		return nil, refusef("There must be from 1 to %d ids.", limit)
	}
	among := waymark.Among{}
	for _, i := range ids {
		among[waymark.LinkID(i)] = true
	}
	filter := waymark.LinkFilter{Where: waymark.And{waymark.IsMine, among}}
	page, err := a.Store.SearchLinks(user.ID, filter, waymark.Order{By: waymark.SortByID}, waymark.Pagination{}).Page(ctx)
	for _, l := range page.Entities {
		delete(among, l.ID)
	}
	if err != nil || len(among) == 0 {
		return page.Entities, err
	}
	for _, i := range ids { // the first one that is missing
		if among[waymark.LinkID(i)] {
			return nil, refusef("Nothing was changed: the person has no link of their own with the id %d.", i)
		}
	}
	return page.Entities, nil
}

type mergeArguments struct {
	From []string `json:"from"`
	Into string   `json:"into"`
}

// mergeTags gives all links with one of some tags another one, and moves those tags to the trash.
func (a *API) mergeTags(ctx context.Context, c caller, in mergeArguments) (changed, error) {
	if len(in.From) == 0 {
		return changed{}, refusal("The argument from needs the name of a tag.")
	}
	refs, err := a.tagRefs(ctx, c.user, append([]string{in.Into}, in.From...), false)
	if err != nil {
		return changed{}, err
	}
	into, others := waymark.TagID(refs[0].ID), []waymark.TagID{}
	for _, ref := range refs[1:] {
		if ref.ID == refs[0].ID {
			return changed{}, refusal("Nothing was changed: a tag cannot be merged into itself.")
		}
		others = append(others, waymark.TagID(ref.ID))
	}
	var result changed
	result.Undo, err = a.change(ctx, c, func(ctx context.Context, s *service.Service) (err error) {
		result.Changed, err = s.MergeTags(ctx, c.user, into, others)
		return err
	})
	result.Now = fmt.Sprintf("with the tag %s; in the trash: the tags %s", in.Into, strings.Join(in.From, ", "))
	return result, err
}

type trashArguments struct {
	IDs []id `json:"ids"`
}

// trash moves the user's own links to the trash, all or none.
func (a *API) trash(ctx context.Context, c caller, in trashArguments) (changed, error) {
	links, err := a.ownLinks(ctx, c.user, in.IDs, maxTrashed)
	if err != nil {
		return changed{}, err
	}
	result := changed{Now: "in the trash"}
	result.Undo, err = a.change(ctx, c, func(ctx context.Context, s *service.Service) error {
		deleted, err := s.DeleteMany(ctx, c.user, waymark.Links, waymark.Map(links, func(l waymark.Link) int64 { return int64(l.ID) }))
		result.Changed = len(deleted)
		return err
	})
	return result, err
}

type undoArguments struct {
	Token string `json:"token"`
}

type undoResult struct {
	Undone  int `json:"undone"`            // how many links, tags and notes are as before
	Skipped int `json:"skipped,omitempty"` // how many are not, because they were changed again
}

// undo undoes one change of the same key.
func (a *API) undo(ctx context.Context, c caller, in undoArguments) (undoResult, error) {
	result, err := a.Service.Undo(ctx, service.UndoOptions{User: c.user, APIKey: c.key.ID}, in.Token)
	if errors.Is(err, waymark.ErrNotFound) {
		return undoResult{}, refusal("Nothing was undone: the token is unknown, used, older than a day, or of another key.")
	}
	return undoResult{result.Done, result.Skipped}, err
}
