package transfer

import (
	"context"
	"crypto/sha256"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// importedNote is a note of a file or an archive.
type importedNote struct {
	waymark.Note
	undated    bool // the file does not say when it was created: notes with the same text are equal
	duplicates int  // the number of equal notes on its link that the file has so far
}

// notesOf returns the notes of the added and the merged links.
func notesOf(owner waymark.UserID, links []waymark.LinkImport, imported []store.ImportedLink) (notes []importedNote) {
	for i, link := range imported {
		if link.Outcome != store.LinkAdded && link.Outcome != store.LinkMerged {
			continue
		}
		equal := map[string]int{}
		for _, n := range links[i].Notes {
			n.Owner, n.Link = owner, link.ID
			equal[n.Text]++
			notes = append(notes, importedNote{Note: n, undated: true, duplicates: equal[n.Text]})
		}
	}
	return notes
}

// insertMissingNotes inserts notes that their links do not have yet. known are the links that were
// saved before. It returns the links that got a note.
func insertMissingNotes(ctx context.Context, s *store.Store, owner waymark.UserID, all []importedNote, known []waymark.LinkID) (map[waymark.LinkID]bool, error) {
	existing, err := s.NotesOf(ctx, owner, known)
	if err != nil {
		return nil, err
	}
	count := map[store.ImportedNote]int{}
	for _, key := range existing {
		count[key]++
		key.CreatedAt = 0
		count[key]++
	}
	added := map[waymark.LinkID]bool{}
	var rows []waymark.Note
	for i := range all {
		n := &all[i]
		key := store.ImportedNote{Link: n.Link, CreatedAt: n.CreatedAt, Text: sha256.Sum256([]byte(n.Text))}
		if n.undated {
			key.CreatedAt = 0
		}
		if count[key] < n.duplicates {
			count[key]++
			rows = append(rows, n.Note)
			added[n.Link] = true
		}
	}
	return added, s.InsertImportedNotes(ctx, rows)
}
