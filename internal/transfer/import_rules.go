package transfer

import (
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// This file has the rules for a bookmark whose URL the user has already. URLs that are only nearly the same
// (see waymark.URLKey) are different ones here: each link comes in as it is.
//
//   - A link that this import added, or an unfinished import of the same file, is merged with the
//     bookmark: it gets the lists, tags, notes and flags, the older date and the stricter visibility.
//   - Any other link of the user gets the lists and tags with waymark.UpdateDuplicates, and is left
//     as it is otherwise.
//   - A bookmark for the trash is skipped if the user or the step has its URL, in the trash or not.

// ownLinks is the set of links that this import added, and unfinished imports of the same file.
type ownLinks map[waymark.LinkID]bool

// savedLinks are the links that a user has with the URLs of a step.
type savedLinks struct {
	active  map[string]waymark.LinkID // by URL
	trashed map[string]bool           // by URL, only those that the step would add to the trash
	own     ownLinks
}

func newSavedLinks(active map[string]waymark.LinkID, trashed map[store.TrashedLink][]waymark.LinkID, own ownLinks) savedLinks {
	saved := savedLinks{active, map[string]bool{}, own}
	for link := range trashed {
		saved.trashed[link.URL] = true
	}
	return saved
}

// decide says what becomes of each link of a step. Two of them have the same URL only if one is for the
// trash.
func decide(links []waymark.LinkImport, saved savedLinks, duplicates waymark.ImportDuplicates) []store.ImportedLink {
	adds := map[string]bool{}
	for i := range links {
		if links[i].Link.DeletedAt == 0 {
			adds[links[i].Link.URL] = true
		}
	}
	decided := make([]store.ImportedLink, len(links))
	for i := range links {
		url, toTrash := links[i].Link.URL, links[i].Link.DeletedAt != 0
		id, isActive := saved.active[url]
		switch {
		case toTrash && (isActive || saved.trashed[url] || adds[url]):
			decided[i].Outcome = store.LinkSkipped
		case !isActive:
			decided[i].Outcome = store.LinkAdded
		case saved.own[id]:
			decided[i].ID, decided[i].Outcome = id, store.LinkMerged
		case duplicates == waymark.UpdateDuplicates:
			decided[i].ID, decided[i].Outcome = id, store.LinkUpdated
		}
	}
	return decided
}

// skipUnchanged makes the links count as skipped that had all of the lists and tags.
func skipUnchanged(imported []store.ImportedLink) {
	for i := range imported {
		if imported[i].Outcome == store.LinkUpdated && !imported[i].Changed {
			imported[i].Outcome = store.LinkSkipped
		}
	}
}

// mergedWhere returns the merged links of which something is true in the file.
func mergedWhere(links []waymark.LinkImport, imported []store.ImportedLink, is func(*waymark.LinkImport) bool) (ids []waymark.LinkID) {
	for i, link := range imported {
		if link.Outcome == store.LinkMerged && is(&links[i]) {
			ids = append(ids, link.ID)
		}
	}
	return ids
}

// countBookmarks counts a link and the bookmarks of its URL that follow in the same step.
func countBookmarks(counts *waymark.ImportCounts, outcome store.ImportOutcome, repeated int) {
	switch outcome {
	case store.LinkAdded:
		counts.Added++
		counts.Merged += repeated
	case store.LinkUpdated:
		counts.Updated++
		counts.Skipped += repeated
	case store.LinkMerged:
		counts.Merged += 1 + repeated
	case store.LinkSkipped:
		counts.Skipped += 1 + repeated
	}
}
