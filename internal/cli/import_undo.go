package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type importUndo struct {
	ID int64 `arg:"" help:"ID of the import."`

	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*importUndo) Help() string {
	return `Moves the links that the import added to the trash, with the lists and tags that it created and that have
no other links. Links that were saved before lose the lists and tags that it added. Links that were
edited or got notes since are kept as they are. An import that still runs ends.

    waymark import list --user ann
    waymark import undo 3`
}

func (c *importUndo) Run(t *terminal) error {
	return withStore(c.Store, func(ctx context.Context, s *store.Store, svc *service.Service) error {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		id := waymark.ImportID(c.ID)
		owner, err := s.ImportOwner(ctx, id)
		if err != nil {
			return fmt.Errorf("import %d: %w", id, err)
		}
		i, err := svc.UndoImport(ctx, owner, id, nil)
		switch {
		case errors.Is(err, waymark.ErrConflict):
			return fmt.Errorf("import %d was taken back already", id)
		case err != nil && ctx.Err() != nil:
			return errors.New("interrupted: run the command again to take back the rest")
		case err != nil:
			return err
		}
		fmt.Fprintf(t.err, "Import %d of %s taken back: %s.\n", id, owner.Name, countLinks(i.Undone.Done))
		if i.Undone.Skipped > 0 {
			fmt.Fprintf(t.err, "%s edited or deleted since: left unchanged.\n", countLinks(i.Undone.Skipped))
		}
		return nil
	})
}
