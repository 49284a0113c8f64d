package migrate

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"waymark/internal/archive"
	"waymark/internal/waymark"
)

// Linkding reads the data of a user of linkding through its API.
type Linkding struct {
	Client   *Client
	Progress func(done, all int) // see LinkAce

	Totals Totals // of the entities that Records has yielded so far
}

// dingPerPage is the number of entities in a page.
const dingPerPage = 100

type dingBookmark struct {
	ID          number    `json:"id"`
	URL         string    `json:"url"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Notes       string    `json:"notes"`
	Archived    flag      `json:"is_archived"`
	Unread      flag      `json:"unread"`
	Shared      flag      `json:"shared"`
	Tags        []string  `json:"tag_names"`
	AddedAt     timestamp `json:"date_added"`
	ModifiedAt  timestamp `json:"date_modified"`
}

func (b dingBookmark) id() int64 { return int64(b.ID) }

type dingTag struct {
	Name    string    `json:"name"`
	AddedAt timestamp `json:"date_added"`
}

type dingPage[T any] struct {
	Count   number  `json:"count"`
	Next    *string `json:"next"`
	Results []T     `json:"results"`
}

// Records yields the tags, and the bookmarks with their notes. Archived and unread bookmarks get the
// same tags as when a file of bookmarks is imported. It stops after an error.
func (l *Linkding) Records(ctx context.Context) iter.Seq2[archive.Record, error] {
	return records(&l.Totals, func(emit func(archive.Entity) error) error { return l.read(ctx, emit) })
}

func (l *Linkding) read(ctx context.Context, emit func(archive.Entity) error) error {
	tags, err := dingPages[dingTag](ctx, l, "api/tags/")
	if isNotFound(err) {
		return fmt.Errorf("there is no linkding at %s: check --url, which is the URL of its first page", l.Client.URL)
	}
	if err != nil {
		return err
	}
	// Tags come before links, and bookmarks can have tags that the listing of tags lacks. So all
	// bookmarks are read before the first tag is emitted.
	var all []dingBookmark
	for _, path := range []string{"api/bookmarks/", "api/bookmarks/archived/"} {
		some, err := dingPages[dingBookmark](ctx, l, path)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	all = unique(all)
	numbers, err := emitDingTags(tags, all, emit)
	if err != nil {
		return err
	}
	for i, b := range all {
		if err := b.emit(numbers, emit); err != nil {
			return err
		}
		if l.Progress != nil {
			l.Progress(i+1, len(all))
		}
	}
	return nil
}

// dingPages returns all entities of a listing.
func dingPages[T any](ctx context.Context, l *Linkding, path string) ([]T, error) {
	var all []T
	for {
		var p dingPage[T]
		if err := l.Client.get(ctx, fmt.Sprintf("%s?limit=%d&offset=%d", path, dingPerPage, len(all)), &p); err != nil {
			return nil, err
		}
		all = append(all, p.Results...)
		if p.Next == nil || len(p.Results) == 0 {
			return all, nil
		}
		if len(all) >= int(p.Count) { // there is a next page, but all entities were sent
			return nil, samePageError(path, l.Client)
		}
	}
}

// emitDingTags emits the tags of the listing and of all bookmarks, and returns their numbers.
func emitDingTags(tags []dingTag, all []dingBookmark, emit func(archive.Entity) error) (numbers map[string]int, err error) {
	numbers = map[string]int{}
	add := func(tag dingTag) error {
		key := waymark.Fold(tag.Name)
		if numbers[key] != 0 || strings.TrimSpace(tag.Name) == "" {
			return nil
		}
		numbers[key] = len(numbers) + 1
		return emit(archive.Tag{Number: numbers[key], Name: tag.Name, Times: archive.Times{CreatedAt: archive.Time(tag.AddedAt)}})
	}
	for _, tag := range tags {
		if err := add(tag); err != nil {
			return nil, err
		}
	}
	for _, b := range all {
		for _, name := range b.Tags {
			if err := add(dingTag{Name: name, AddedAt: b.AddedAt}); err != nil {
				return nil, err
			}
		}
	}
	return numbers, nil
}

// emit emits a bookmark as a link, and its notes as a note. Shared ones become internal.
func (b dingBookmark) emit(tags map[string]int, emit func(archive.Entity) error) error {
	times := archive.Times{CreatedAt: archive.Time(b.AddedAt), UpdatedAt: archive.Time(cmp.Or(b.ModifiedAt, b.AddedAt))}
	visibility := archive.Visibility(waymark.Private)
	if b.Shared {
		visibility = archive.Visibility(waymark.Internal)
	}
	link := archive.Link{
		Number: int(b.ID), URL: b.URL, Title: b.Title, Description: b.Description, Visibility: visibility,
		Unread: bool(b.Unread), Archived: bool(b.Archived), Times: times,
	}
	for _, name := range b.Tags {
		if number := tags[waymark.Fold(name)]; number != 0 {
			link.Tags = append(link.Tags, number)
		}
	}
	slices.Sort(link.Tags)
	link.Tags = slices.Compact(link.Tags)
	if err := emit(link); err != nil || strings.TrimSpace(b.Notes) == "" {
		return err
	}
	return emit(archive.Note{Link: link.Number, Text: b.Notes, Visibility: visibility, Times: times})
}
