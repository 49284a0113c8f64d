package cli

import (
	"context"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
)

type userRemove struct {
	Name string `arg:"" help:"Whom to erase."`

	Yes bool `help:"Do not ask."`

	config.Store `embed:""`
}

// Help is what kong shows beneath the command's summary.
func (*userRemove) Help() string {
	return `Erases their links, lists, tags, notes and keys, and the notes of others on their links.
Nothing brings them back: "waymark user disable" is the gentler way. A person is asked
first; a script must say --yes.

    waymark user remove ann
    waymark user remove ann --yes`
}

func (c *userRemove) Run(t *terminal) error {
	return open(c.Store, func(ctx context.Context, s *store.Store, lib *service.Service) error {
		user, err := userNamed(ctx, s, c.Name)
		if err != nil {
			return err
		}
		if !c.Yes {
			if err := t.confirm("This erases "+user.Name+" and everything of theirs for good.", user.Name); err != nil {
				return err
			}
		}
		return lib.RemoveUser(ctx, c.Name)
	})
}
