package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// untilInterrupted returns a context that ends on Ctrl-C or SIGTERM. The caller must call stop.
func untilInterrupted(ctx context.Context) (interruptible context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

// interrupted returns err, or what it means for the user if a signal ended the command.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted: nothing was changed, you can run the command again")
	}
	return err
}

// interruptedOutput is interrupted for a command that writes to standard output.
func interruptedOutput(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted: the output is incomplete, run the command again")
	}
	return err
}
