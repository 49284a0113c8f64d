package cli

import (
	"context"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
)

type userList struct {
	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*userList) Help() string {
	return `Prints a header line and a line for each user. VISIBILITY is the default for the user's new
entities.`
}

func (c *userList) Run(t *terminal) error {
	return withReadOnlyStore(c.Store, func(ctx context.Context, s *store.Store, _ *service.Service) error {
		users, err := s.Users(ctx)
		if err != nil {
			return err
		}
		table := newTable(t.out, "NAME", "STATE", "ROLE", "VISIBILITY", "ADDED")
		for _, user := range users {
			table.row(user.Name, choose(user.Disabled, "disabled", "active"),
				choose(user.Admin, "admin", "user"), user.DefaultVisibility.String(), formatTime(user.CreatedAt))
		}
		return table.Flush()
	})
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
