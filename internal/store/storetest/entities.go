package storetest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// User creates a user whose new entities are private by default.
func User(t testing.TB, s *store.Store, name string) waymark.User {
	t.Helper()
	user, err := s.Accounts.CreateUser(t.Context(), waymark.User{Name: name, DefaultVisibility: waymark.DefaultsTo(waymark.Private)}, "")
	if err != nil {
		t.Fatalf("create user %s: %v", name, err)
	}
	return user
}

// RemoveUser deletes a user with all that they own.
func RemoveUser(ctx context.Context, s *store.Store, id waymark.UserID) error {
	return s.RemoveUser(ctx, id, waymark.Guest, func(waymark.User, int) error { return nil })
}

// Link creates a link with tags of those names.
func Link(t testing.TB, s *store.Store, owner waymark.User, url string, v waymark.Visibility, tags ...string) waymark.Link {
	t.Helper()
	draft := waymark.LinkDraft{Link: waymark.Link{
		URL:        url,
		Title:      waymark.DefaultTitle(url),
		Visibility: v,
		Status:     waymark.StatusOK,
	}}
	for _, tag := range tags {
		draft.Tags = append(draft.Tags, waymark.Ref{Name: tag})
	}
	return CreateLinks(t, s, owner, draft)[0]
}

// CreateLinks creates links in one transaction.
func CreateLinks(t testing.TB, s *store.Store, owner waymark.User, drafts ...waymark.LinkDraft) []waymark.Link {
	t.Helper()
	created, err := s.CreateLinks(t.Context(), owner, drafts)
	if err != nil {
		t.Fatalf("create %d links: %v", len(drafts), err)
	}
	links, err := All(t.Context(), s, created)
	if err != nil {
		t.Fatalf("read %d new links: %v", len(drafts), err)
	}
	return links
}

// All returns what a change has created or changed.
func All[T any](ctx context.Context, s *store.Store, changed store.Changed[T]) (all []T, err error) {
	err = changed.Stream(ctx, s, func(_ int, entities iter.Seq2[T, error]) error {
		for entity, err := range entities {
			if err != nil {
				return err
			}
			all = append(all, entity)
		}
		return nil
	})
	return all, err
}

// Fill creates the links Draft(0) to Draft(n-1).
func Fill(t testing.TB, s *store.Store, owner waymark.User, n int) []waymark.Link {
	t.Helper()
	drafts := make([]waymark.LinkDraft, n)
	for i := range drafts {
		drafts[i] = Draft(i)
	}
	links := make([]waymark.Link, 0, n)
	for batch := range slices.Chunk(drafts, 1000) {
		links = append(links, CreateLinks(t, s, owner, batch...)...)
	}
	return links
}

// Draft returns a pseudo-random link that depends only on i. The links are in several
// scripts; some titles differ only in case, and some descriptions are empty. They have
// all visibilities and statuses, up to two lists and up to three tags.
func Draft(i int) waymark.LinkDraft {
	r := rand.New(rand.NewPCG(uint64(i), 20200309))
	host := strings.ToLower(words[r.IntN(asciiWords)]) + []string{".org", ".net", ".example"}[r.IntN(3)]
	draft := waymark.LinkDraft{Link: waymark.Link{
		URL:           fmt.Sprintf("https://%s/%s/%d", host, word(r), i),
		Title:         text(r, 1+r.IntN(3)),
		Visibility:    waymark.Visibility(1 + r.IntN(3)),
		Status:        waymark.Status(1 + max(0, r.IntN(6)-3)),
		CheckDisabled: r.IntN(4) == 0,
		LinkFlags:     waymark.LinkFlags{Unread: i%2 == 0, Archived: i%3 == 0, Favorite: i%5 == 0},
	}}
	if r.IntN(3) > 0 {
		draft.Link.Description = text(r, 3+r.IntN(9))
	}
	for range r.IntN(3) {
		draft.Lists = append(draft.Lists, waymark.Ref{Name: words[r.IntN(len(words))]})
	}
	for range r.IntN(4) {
		draft.Tags = append(draft.Tags, waymark.Ref{Name: strings.ToLower(words[r.IntN(len(words))])})
	}
	return draft
}

// text returns n random words.
func text(r *rand.Rand, n int) string {
	chosen := make([]string, n)
	for i := range chosen {
		chosen[i] = word(r)
	}
	return strings.Join(chosen, " ")
}

// word returns a random word, in upper case, in lower case, or unchanged.
func word(r *rand.Rand) string {
	w := words[r.IntN(len(words))]
	switch r.IntN(4) {
	case 0:
		return strings.ToUpper(w)
	case 1:
		return strings.ToLower(w)
	}
	return w
}

// asciiWords is the number of words at the beginning that are ASCII, and can therefore
// be part of a host name.
const asciiWords = 16

// words are in many scripts; some have other forms that are equal only after folding.
var words = []string{
	"Garden", "Bread", "Compiler", "Harbour", "Violin", "Archive", "Lantern", "Bicycle",
	"Weather", "Notebook", "Mountain", "Library", "Tea", "Chess", "Railway", "Ink",
	"Straße", "Äpfel", "Übung", "Crème", "Ångström", "Žižkov", "İstanbul", "Łódź",
	"Σίσυφος", "Αθήνα", "Москва", "Ёлка", "Կարապետ", "საქართველო",
	"שלום", "مرحبا", "हिन्दी", "ไทย", "東京", "こんにちは", "한국어", "北京图书馆",
	"🌍", "👩‍👩‍👧", "naïve", "nai\u0308ve", "ﬁnance", "C++", "100%", "it's", "\"quoted\"", "under_score", "back\\slash",
}
