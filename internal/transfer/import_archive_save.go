package transfer

import (
	"context"
	"errors"
	"slices"

	"waymark/internal/archive"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// savedStep is what a step has saved so far.
type savedStep struct {
	lists    []waymark.ListID     // the ids of newLists
	tags     []waymark.TagID      // the ids of newTags
	links    []store.ImportedLink // of links
	counts   waymark.ImportCounts
	problems []waymark.ImportProblem
}

// flush saves what is collected in one transaction.
func (in *archiveImport) flush(ctx context.Context) error {
	if in.read == 0 {
		return nil
	}
	position := in.batch.position()
	var saved savedStep
	err := in.batch.step(ctx, func(ctx context.Context, s *store.Store) (store.ImportStep, error) {
		saved = savedStep{counts: in.counts, problems: slices.Clone(in.problems)}
		if err := in.save(ctx, s, &saved); err != nil {
			return store.ImportStep{}, err
		}
		sortByLine(saved.problems)
		return store.ImportStep{Counts: saved.counts, Problems: saved.problems, Position: position}, nil
	})
	if err != nil {
		return err
	}
	for i, id := range saved.lists {
		in.lists[in.numbers[i]], in.usedLists[id] = id, true
	}
	for i, id := range saved.tags {
		in.tags[in.numbers[i]] = id
	}
	if in.link.ok && len(saved.links) > 0 {
		last := saved.links[in.link.index]
		in.link.id, in.link.added = last.ID, in.link.added || last.Outcome == store.LinkAdded
	}
	in.archivedStep = archivedStep{order: in.order, byURL: map[string]int{}}
	return nil
}

// save saves what is collected.
func (in *archiveImport) save(ctx context.Context, s *store.Store, saved *savedStep) (err error) {
	switch in.order {
	case archive.OrderSettings:
		return in.saveSettings(ctx, s, saved)
	case archive.OrderLists:
		return in.saveLists(ctx, s, saved)
	case archive.OrderTags:
		saved.tags, err = in.archivedTags().save(ctx, s, s.InsertImportedTags)
		return err
	case archive.OrderLinks:
		return in.saveLinks(ctx, s, saved)
	case archive.OrderOtherNotes:
		return in.saveOtherNotes(ctx, s, saved)
	case archive.OrderSearches:
		return in.saveSearches(ctx, s, saved)
	case archive.OrderBundles:
		return in.saveBundles(ctx, s, saved)
	case archive.OrderKeptApart:
		return s.ImportKeptApart(ctx, in.batch.owner.ID, in.apart)
	}
	return nil // only lines that could not be read
}

func (in *archiveImport) saveSettings(ctx context.Context, s *store.Store, saved *savedStep) error {
	if in.settings == nil {
		return nil
	}
	settings, visibility := importedSettings(*in.settings)
	if err := settings.Validate(); err != nil {
		saved.problems = append(saved.problems, notSaved(in.settingsLine, "", refused(waymark.FieldLine, waymark.RuleFormat, err.Error())))
		return nil
	}
	used, err := s.HasEntities(ctx, in.batch.owner.ID)
	if used || err != nil {
		return err
	}
	return s.ImportSettings(ctx, in.batch.owner.ID, settings, visibility)
}

func (in *archiveImport) saveLists(ctx context.Context, s *store.Store, saved *savedStep) (err error) {
	lists := in.archivedLists()
	if saved.lists, err = lists.save(ctx, s, s.InsertImportedLists); err != nil {
		return err
	}
	numbers := make(map[int]waymark.ListID, len(saved.lists))
	parents := make(map[waymark.ListID]waymark.ListID)
	for i, id := range saved.lists {
		numbers[in.numbers[i]] = id
		parent, ok := numbers[in.parents[i]]
		if !ok {
			parent = in.lists[in.parents[i]] // of a step before, or 0
		}
		if parent != 0 && lists.inserted[id] {
			parents[id] = parent
		}
	}
	return s.NestImportedLists(ctx, in.batch.owner.ID, parents)
}

// saveLinks saves links with their notes, snapshots and passages.
func (in *archiveImport) saveLinks(ctx context.Context, s *store.Store, saved *savedStep) (err error) {
	if saved.links, err = saveArchivedLinks(ctx, s, in.batch.owner, in.links); err != nil {
		return err
	}
	in.count(saved)
	for _, c := range in.snapshots {
		err := c.save(ctx, s, saved.links[c.link])
		if errors.Is(err, waymark.ErrSnapshotQuota) {
			saved.problems = append(saved.problems, notSaved(c.line, c.url, refused(waymark.FieldSnapshots, waymark.RuleMaxCount, err.Error())))
		} else if invalid, ok := errors.AsType[*waymark.ValidationError](err); ok {
			saved.problems = append(saved.problems, notSaved(c.line, c.url, invalid))
		} else if err != nil {
			return err
		}
	}
	return nil
}

// saveOtherNotes saves notes and passages in links of other users.
func (in *archiveImport) saveOtherNotes(ctx context.Context, s *store.Store, saved *savedStep) error {
	added, err := saveOtherNotes(ctx, s, in.batch.owner, in.otherNotes)
	saved.counts.Read, saved.counts.Added = saved.counts.Read+added, saved.counts.Added+added
	return err
}

func (in *archiveImport) saveSearches(ctx context.Context, s *store.Store, saved *savedStep) error {
	existing, err := s.Accounts.SavedSearches(ctx, in.batch.owner.ID)
	if err != nil {
		return err
	}
	added, left := withoutExisting(in.searches, existing, waymark.MaxSavedSearches, func(a, b waymark.SavedSearch) bool {
		return a.Name == b.Name && (a.Query == b.Query || a.CreatedAt == b.CreatedAt)
	})
	if left >= 0 {
		saved.problems = append(saved.problems, waymark.NewImportProblem(in.searchLines[left], "", true, waymark.Problem{Field: waymark.FieldSavedSearches, Rule: waymark.RuleMaxCount, Limit: waymark.MaxSavedSearches}))
	}
	return s.InsertImportedSearches(ctx, added)
}

func (in *archiveImport) saveBundles(ctx context.Context, s *store.Store, saved *savedStep) error {
	existing, err := s.Accounts.Bundles(ctx, in.batch.owner.ID)
	if err != nil {
		return err
	}
	added, left := withoutExisting(in.bundles, existing, waymark.MaxBundles, func(a, b waymark.Bundle) bool { return a.Name == b.Name && a.CreatedAt == b.CreatedAt })
	if left >= 0 {
		saved.problems = append(saved.problems, waymark.NewImportProblem(in.bundleLines[left], "", true, waymark.Problem{Field: waymark.FieldBundles, Rule: waymark.RuleMaxCount, Limit: waymark.MaxBundles}))
	}
	return s.InsertImportedBundles(ctx, added)
}

// count counts what became of the links of a step, and adds their problems.
func (in *archiveImport) count(saved *savedStep) {
	for i, link := range saved.links {
		saved.problems = append(saved.problems, tooManyLabels(link, in.lines[i], in.links[i].Link.URL)...)
		switch {
		case in.links[i].Link.ID != 0: // it was counted in the step before
		case link.Outcome == store.LinkAdded:
			saved.counts.Added++
		case link.Outcome == store.LinkUpdated:
			saved.counts.Updated++
		default:
			saved.counts.Skipped++
		}
	}
}

func importedSettings(e archive.Settings) (waymark.Settings, waymark.DefaultVisibility) {
	settings := waymark.Settings{
		Language: e.Language, TimeZone: e.TimeZone, Theme: waymark.Theme(e.Theme), View: waymark.View(e.View), LinksPerPage: e.LinksPerPage,
		NewTab: e.NewTab, HideDescriptions: e.HideDescriptions, NoShortcuts: e.NoShortcuts, OnlyMine: e.OnlyMine, OpeningReads: e.OpeningReads, SaveUnread: e.SaveUnread, NoMetadata: e.NoMetadata, NoChecks: e.NoChecks,
		NoPictures: e.NoPictures, Snapshots: waymark.SnapshotChoice(e.Snapshots),
	}
	d := e.Default
	return settings, waymark.DefaultVisibility{
		Links: waymark.Visibility(d.Links), Lists: waymark.Visibility(d.Lists), Tags: waymark.Visibility(d.Tags), Notes: waymark.Visibility(d.Notes),
	}
}
