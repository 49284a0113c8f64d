package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// duplicatesPage is the number of groups in a response.
const duplicatesPage = 24

// duplicatesResponse is the JSON of a page of links that are saved several times. LinkAce has no such operation.
type duplicatesResponse struct {
	Data        []duplicateResponse `json:"data"`
	NextPageURL *string             `json:"next_page_url"`
}

type duplicateResponse struct {
	Keep  waymark.LinkID `json:"keep"`
	URL   string         `json:"url"`
	Links []linkJSON     `json:"links"`
}

type mergedResponse struct {
	Link    linkJSON         `json:"link"`
	Merged  []waymark.LinkID `json:"merged"`
	Skipped []waymark.LinkID `json:"skipped"`
}

func (a *API) listDuplicates(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	params := queryParams(r)
	after := int64(store.FirstDuplicate)
	if text := params.text("after"); text != "" {
		var err error
		if after, err = strconv.ParseInt(text, 10, 64); err != nil || after < 0 {
			params.errors.add("after", "The after is invalid.")
		}
	}
	if err := params.errors.err(); err != nil {
		return err
	}
	weak := params.bool("weak")
	page, err := a.Store.Duplicates(r.Context(), user.ID, weak, after, duplicatesPage)
	if err != nil {
		return err
	}
	response := duplicatesResponse{Data: make([]duplicateResponse, len(page.Groups))}
	for i, g := range page.Groups {
		links := waymark.Map(g.Links, func(l waymark.Link) linkJSON { return newLinkJSON(a.prefix(r), &l) })
		response.Data[i] = duplicateResponse{Keep: g.Keep, URL: g.URL, Links: links}
	}
	if page.More {
		next := url.Values{"after": {strconv.FormatInt(page.Last, 10)}}
		if weak {
			next.Set("weak", "1")
		}
		response.NextPageURL = optional(a.prefix(r) + "/duplicates?" + next.Encode())
	}
	return writeJSON(w, response, nil)
}

// mergeDuplicates merges links into the one that is kept.
func (a *API) mergeDuplicates(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var body struct {
		Keep  number `json:"keep"`
		Merge ids    `json:"merge"`
		URL   text   `json:"url"`
	}
	body.Merge.limit = waymark.MaxDuplicates
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	wrong.require("keep", body.Keep.sent && !body.Keep.null)
	wrong.require("merge", len(body.Merge.values) > 0)
	in := store.Merge{Keep: waymark.LinkID(body.Keep.value), Others: typedLinks(body.Merge), URL: body.URL.orEmpty()}
	var result store.MergedLinks
	if err := a.changeApart(w, r, user, wrong, func(ctx context.Context, s *service.Service) (err error) {
		result, err = s.MergeLinks(ctx, user, in)
		return err
	}); err != nil {
		return err
	}
	link, err := a.Store.Link(r.Context(), user.ID, in.Keep)
	if err != nil {
		return err
	}
	response := mergedResponse{Link: newLinkJSON(a.prefix(r), &link), Merged: result.Merged, Skipped: result.Skipped}
	if response.Skipped == nil {
		response.Skipped = []waymark.LinkID{}
	}
	return writeJSON(w, response, nil)
}

// keepApart remembers that links are not to be merged.
func (a *API) keepApart(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var body struct {
		Links ids `json:"links"`
	}
	body.Links.limit = waymark.MaxDuplicates
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	wrong.require("links", len(body.Links.values) > 0)
	if err := a.changeApart(w, r, user, wrong, func(ctx context.Context, s *service.Service) error {
		return s.KeepApart(ctx, user, typedLinks(body.Links))
	}); err != nil {
		return err
	}
	return writeEmpty(w, nil)
}

// changeApart is withUndo for a body with links: mistakes are all that its response says.
func (a *API) changeApart(w http.ResponseWriter, r *http.Request, user waymark.User, wrong *mistakes, do func(ctx context.Context, s *service.Service) error) error {
	if err := wrong.err(); err != nil {
		return err
	}
	err := a.withUndo(w, r, user, true, do)
	if invalid, ok := errors.AsType[*waymark.ValidationError](err); ok {
		return wordProblems(invalid, fieldPath, nil)
	}
	return err
}

func typedLinks(all ids) []waymark.LinkID {
	return waymark.Map(all.values, func(id int64) waymark.LinkID { return waymark.LinkID(id) })
}
