package transfer

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"

	"waymark/internal/archive"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// archiveImport collects the entities of a step. They are of one kind, except that links are with
// their notes.
type archiveImport struct {
	batch *ImportBatch
	now   waymark.Time

	// The ids of lists and tags, by their numbers in the archive.
	lists     map[int]waymark.ListID
	tags      map[int]waymark.TagID
	usedLists map[waymark.ListID]bool

	link    lastLink
	file    *archivedFile             // the attachment whose data follows; nil for none
	notes   map[archivedNoteKey]int   // how often each note of that link, or on a link of others, occurred
	trashed map[store.TrashedLink]int // how often each link in the trash occurred
	future  bool                      // whether the last entity has a time after now

	archivedStep
}

// archivedStep is what one step saves.
type archivedStep struct {
	order        archive.Order // of all its entities
	settings     *archive.Settings
	settingsLine int
	newLists     []store.CollectedList
	newTags      []store.CollectedTag
	numbers      []int // of the lists or tags
	parents      []int // the numbers of the parents of the lists, 0 for none
	links        []archivedLink
	lines        []int          // of the links
	byURL        map[string]int // the links that are not in the trash
	otherNotes   []archivedOtherNote
	searches     []waymark.SavedSearch
	searchLines  []int
	snapshots    []archivedSnapshot
	bundles      []waymark.Bundle
	bundleLines  []int
	apart        []store.KeptApart

	counts   waymark.ImportCounts
	problems []waymark.ImportProblem
	read     int // entities and lines that could not be read
	pairs    int
	bytes    int
}

// archivedSnapshot is the text or full snapshot of a link of the step.
type archivedSnapshot struct {
	link int // its index
	line int
	url  string
	save func(ctx context.Context, s *store.Store, link store.ImportedLink) error
}

// lastLink says where the notes of the last link go.
type lastLink struct {
	ok    bool           // it could be saved
	index int            // in the step
	id    waymark.LinkID // if it was saved in a step before
	added bool           // that step has added it
}

type archivedNoteKey struct {
	hash    [sha256.Size]byte // of the URL and the text
	created waymark.Time
}

// addProblem adds the first problem of an entity that is not saved.
func (in *archiveImport) addProblem(line int, url string, err error) {
	if invalid, ok := errors.AsType[*waymark.ValidationError](err); ok && len(invalid.Problems) > 0 {
		in.problems = append(in.problems, waymark.NewImportProblem(line, url, false, invalid.Problems[0]))
		return
	}
	in.problems = append(in.problems, notSaved(line, url, err))
}

// notSaved returns the problem of an entity that was not saved.
func notSaved(line int, url string, err error) waymark.ImportProblem {
	p := waymark.NewImportProblem(line, url, false, waymark.Problem{})
	if reason, ok := errors.AsType[*refusedError](err); ok {
		p.Problem = reason.problem
	}
	p.Text = err.Error()
	return p
}

// refusedError says why an entity of an archive cannot be saved, and which rule it breaks, from which
// interfaces translate the text.
type refusedError struct {
	text    string
	problem waymark.Problem
}

func (e *refusedError) Error() string { return e.text }

func refused(field waymark.Field, rule waymark.Rule, text string) error {
	return &refusedError{text, waymark.Problem{Field: field, Rule: rule}}
}

func (in *archiveImport) full() bool {
	return in.read >= maxStepLinks || in.pairs >= maxStepPairs || in.bytes >= maxStepBytes
}

// archivedFile is an attachment of the last link, whose data is written to a temporary file.
type archivedFile struct {
	archive.Attachment
	line    int
	file    *os.File
	written int64
}
