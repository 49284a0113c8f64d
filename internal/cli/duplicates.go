package cli

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type duplicatesCommand struct {
	User       string `required:"" placeholder:"NAME" help:"User whose links are compared."`
	MergeExact bool   `help:"Merge the links of each group."`
	DryRun     bool   `help:"Only say what would be merged."`
	Undo       string `placeholder:"TOKEN" help:"Undo a merge with the token that it has printed, within a day."`

	config.Store `embed:""`
}

func (*duplicatesCommand) Help() string {
	return `Prints groups of links whose URLs differ only in what does not change the page, such as http and https, www or a
slash at the end. A star marks the link that stays, with the lists, tags, notes and attachments of the others, which go
to the trash.

    waymark duplicates --user ann
    waymark duplicates --user ann --merge-exact`
}

func (c *duplicatesCommand) Run(t *terminal) error {
	return withUser(c.Store, c.User, func(ctx context.Context, s *store.Store, user waymark.User) error {
		options := service.UndoOptions{User: user, Bulk: true}
		switch {
		case c.Undo != "":
			result, err := service.New(s).Undo(ctx, options, c.Undo)
			if errors.Is(err, waymark.ErrNotFound) {
				return errors.New("--undo: the token is unknown, was used, or is older than a day")
			}
			if err == nil {
				fmt.Fprintf(t.err, "Undone: %s; kept because of later changes: %d.\n", countOf(result.Done, "link"), result.Skipped)
			}
			return err
		case c.MergeExact && !c.DryRun:
			merged, undo, err := service.New(s).MergeExact(ctx, options)
			fmt.Fprintf(t.err, "Merged: %s went to the trash.\n", countOf(merged, "link"))
			if undo.Token != "" {
				fmt.Fprintf(t.err, "Undo it with: %s\n", commandLine("duplicates --user="+shellQuote(user.Name)+" --undo="+undo.Token, c.Store))
			}
			return err
		}
		return c.print(ctx, t, s, user)
	})
}

func (*duplicatesCommand) print(ctx context.Context, t *terminal, s *store.Store, user waymark.User) error {
	groups, links := 0, 0
	for page := (store.DuplicatePage{Last: store.FirstDuplicate, More: true}); page.More; {
		var err error
		if page, err = s.Duplicates(ctx, user.ID, false, page.Last, 100); err != nil {
			return err
		}
		for _, g := range page.Groups {
			for _, l := range g.Links {
				mark := " "
				if l.ID == g.Keep {
					mark = "*"
				}
				fmt.Fprintf(t.out, "%s %d\t%s\n", mark, l.ID, printable(l.URL))
			}
			fmt.Fprintln(t.out)
			groups, links = groups+1, links+len(g.Links)-1
		}
	}
	fmt.Fprintf(t.err, "%s; to merge them would move %s to the trash.\n", countOf(groups, "group"), countOf(links, "link"))
	return nil
}
