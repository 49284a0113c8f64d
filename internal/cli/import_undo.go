package cli

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

type importUndo struct {
	ID int64 `arg:"" help:"ID of the import."`

	config.Store `embed:""`
}

func (*importUndo) Help() string {
	return `Moves to the trash what the import added, except links that were edited or received notes since, and
lists and tags that have other links. An import that is running is stopped.

    waymark import list --user ann
    waymark import undo 3`
}

func (c *importUndo) Run(t *terminal) error {
	return withStoreForImports(c.Store, waymark.FetchPolicy{}, func(ctx context.Context, s *store.Store) error {
		imports := transfer.New(s, 0)
		id := waymark.ImportID(c.ID)
		owner, err := s.ImportOwner(ctx, id)
		if err != nil {
			return fmt.Errorf("import %d: %w", id, err)
		}
		i, err := imports.UndoImport(ctx, owner, id)
		switch {
		case errors.Is(err, waymark.ErrConflict):
			return fmt.Errorf("import %d was already undone", id)
		case err != nil && ctx.Err() != nil:
			return errors.New("interrupted: run the command again to undo the rest")
		case err != nil:
			return err
		}
		fmt.Fprintf(t.err, "Import %d of %s undone: %s.\n", id, owner.Name, countOf(i.Undone.Done, "link"))
		if i.Undone.Edited > 0 {
			fmt.Fprintf(t.err, "Kept: %s edited since the import.\n", countOf(i.Undone.Edited, "link"))
		}
		if i.Undone.WithNotes > 0 {
			fmt.Fprintf(t.err, "Kept: %s with notes written or edited since the import.\n", countOf(i.Undone.WithNotes, "link"))
		}
		return nil
	})
}
