package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// ImportTimeout is the time without ImportSeen after which a running import counts as interrupted.
const ImportTimeout = 20 * time.Second

// ErrImportEnded means that an import no longer runs: it was undone, or its user removed.
var ErrImportEnded = errors.New("the import was undone, or its user was removed, while it ran")

// CreateImport stores a new import, which is running, and deletes the oldest ones of its owner
// that are more than waymark.MaxImports.
func (s *Store) CreateImport(ctx context.Context, i waymark.Import) (waymark.Import, error) {
	i.File = table.Storable(i.File)
	err := s.userTx(ctx, i.Owner, func(ctx context.Context, q database.Querier) error {
		i.State, i.StartedAt, i.SeenAt = waymark.ImportRunning, s.now(), s.now()
		ids, err := table.Insert[waymark.ImportID](ctx, q, &table.Imports, []waymark.Import{i})
		if err != nil {
			return err
		}
		i.ID = ids[0]
		_, err = q.Exec(ctx, `
			DELETE FROM imports
			WHERE user_id = $1 AND id <= (
				SELECT id
				FROM imports
				WHERE user_id = $1
				ORDER BY id DESC
				LIMIT 1 OFFSET $2)`, i.Owner, waymark.MaxImports)
		return err
	})
	return i, err
}

// Imports returns a user's imports, the newest first.
func (s *Store) Imports(ctx context.Context, owner waymark.UserID) ([]waymark.Import, error) {
	all, err := table.Imports.All(ctx, s.db.Querier(), "e.user_id = $1", owner)
	slices.SortFunc(all, func(a, b waymark.Import) int { return cmp.Compare(b.ID, a.ID) })
	for n := range all {
		s.findInterrupted(&all[n])
	}
	return all, err
}

// Import returns an import of owner, or waymark.ErrNotFound.
func (s *Store) Import(ctx context.Context, owner waymark.UserID, id waymark.ImportID) (waymark.Import, error) {
	i, err := table.Imports.Get(ctx, s.db.Querier(), "e.id = $1 AND e.user_id = $2", id, owner)
	s.findInterrupted(&i)
	return i, err
}

// findInterrupted sets the state of an import that should be running, but has not said so for longer
// than ImportTimeout: its program has ended.
func (s *Store) findInterrupted(i *waymark.Import) {
	silence := s.now().Time().Sub(i.SeenAt.Time())
	if i.State.Active() && silence > ImportTimeout {
		i.State = waymark.ImportInterrupted
	}
}

// ImportOwner returns the user whose import this is, for operators, or waymark.ErrNotFound.
func (s *Store) ImportOwner(ctx context.Context, id waymark.ImportID) (waymark.User, error) {
	owner, err := table.Users.Get(ctx, s.db.Querier(), "e.id = (SELECT user_id FROM imports WHERE id = $1)", id)
	return owner.User, err
}

// ImportProblems returns the stored problems of one of owner's imports, in the order of the file.
func (s *Store) ImportProblems(ctx context.Context, owner waymark.UserID, id waymark.ImportID) ([]waymark.ImportProblem, error) {
	scan := func(rows *sql.Rows, p *waymark.ImportProblem) error {
		return rows.Scan(&p.Line, &p.URL, &p.Saved, &p.Text, &p.Field, &p.Rule, &p.Limit)
	}
	return database.QueryAll(ctx, s.db.Querier(), scan, `
		SELECT p.line, p.url, p.saved, p.text, p.field, p.rule, p.rule_limit
		FROM import_problems AS p
		WHERE p.import_id = (SELECT id FROM imports WHERE id = $1 AND user_id = $2)
		ORDER BY p.position`, id, owner)
}

// ImportStep is what a step of an import did.
type ImportStep struct {
	Counts   waymark.ImportCounts
	Problems []waymark.ImportProblem
	Position int64 // see waymark.Import
}

// StepImport runs one step of an import: it calls do in a transaction, and stores what do adds
// through its store, together with the result of do. It returns the import as the step left it. do
// may run more than once: see database.DB.WriteTx. //
// It returns ErrImportEnded if the import is not running.
func (s *Store) StepImport(ctx context.Context, id waymark.ImportID, do func(ctx context.Context, s *Store) (ImportStep, error)) (i waymark.Import, err error) {
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if i, err = table.Imports.Get(ctx, q, "e.id = $1", id); err != nil {
			return importEnded(err)
		}
		if err := table.LockUser(ctx, q, i.Owner); err != nil {
			return err
		}
		// Read it again, because another transaction could have ended it before the lock.
		if i, err = table.Imports.Get(ctx, q, "e.id = $1"+q.RowLock(), id); err != nil {
			return importEnded(err)
		}
		if i.State != waymark.ImportRunning {
			return ErrImportEnded
		}
		part := s.within(q)
		part.recording = &undo.Record{}
		step, err := do(ctx, part)
		if err != nil {
			return err
		}
		if err := s.storeImportStep(ctx, q, &i, part.recording); err != nil {
			return err
		}
		if err := insertImportProblems(ctx, q, &i, step.Problems); err != nil {
			return err
		}
		i.Counts.Add(step.Counts)
		i.Position, i.SeenAt = step.Position, s.now()
		return table.Imports.Update(ctx, q, int64(id), &i)
	})
	return i, err
}

// importEnded converts the error of an import that was deleted.
func importEnded(err error) error {
	if errors.Is(err, waymark.ErrNotFound) {
		return ErrImportEnded
	}
	return err
}

// insertImportProblems stores the problems of a step, up to waymark.MaxImportProblems, and counts all.
func insertImportProblems(ctx context.Context, q database.Querier, i *waymark.Import, problems []waymark.ImportProblem) error {
	var rows [][]any
	for _, p := range problems {
		if i.Problems++; i.Problems <= waymark.MaxImportProblems {
			rows = append(rows, []any{i.ID, i.Problems, p.Line, table.Storable(p.URL), p.Saved, table.Storable(p.Text), p.Field, p.Rule, p.Limit})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	a := q.Args()
	_, err := q.Exec(ctx, table.InsertSQL(a, "import_problems", table.ImportProblemColumns, rows), a.Values...)
	return err
}

// ImportSeen stores that an import is running. It returns ErrImportEnded if it is not.
func (s *Store) ImportSeen(ctx context.Context, id waymark.ImportID) error {
	return importEnded(table.OrNotFound(s.db.Exec(ctx, `
		UPDATE imports
		SET seen_at = $2
		WHERE id = $1 AND state = $3`, id, s.now(), waymark.ImportRunning)))
}

// EndImport stores the final state of a running import and its error, or returns ErrImportEnded.
func (s *Store) EndImport(ctx context.Context, id waymark.ImportID, state waymark.ImportState, importError string) (i waymark.Import, err error) {
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if i, err = table.Imports.Get(ctx, q, "e.id = $1 AND e.state = $2"+q.RowLock(), id, waymark.ImportRunning); err != nil {
			return importEnded(err)
		}
		i.State, i.Error, i.FinishedAt, i.SeenAt = state, table.Storable(importError), s.now(), s.now()
		return table.Imports.Update(ctx, q, int64(id), &i)
	})
	return i, err
}

// unfinishedAge is how long UnfinishedLinks finds an import.
const unfinishedAge = 7 * 24 * time.Hour

// UnfinishedLinks returns the links that unfinished imports of the same file added within a week. An
// import merges its bookmarks with them: a URL that is in several folders gets the lists of all.
func (s *Store) UnfinishedLinks(ctx context.Context, again waymark.Import) (map[waymark.LinkID]bool, error) {
	all, err := s.Imports(ctx, again.Owner)
	if err != nil {
		return nil, err
	}
	links := map[waymark.LinkID]bool{}
	for _, i := range all {
		unfinished := i.State == waymark.ImportRunning || i.State == waymark.ImportInterrupted || i.State == waymark.ImportFailed
		if !unfinished || i.ID == again.ID || i.File != again.File || i.Format != again.Format || i.StartedAt < again.StartedAt.Add(-unfinishedAge) {
			continue
		}
		added := newInserted()
		for steps, err := range importSteps(ctx, s.db.Querier(), i.ID) {
			if err != nil {
				return nil, err
			}
			added.learn(steps)
		}
		for link := range added.links {
			links[waymark.LinkID(link)] = true
		}
	}
	return links, nil
}
