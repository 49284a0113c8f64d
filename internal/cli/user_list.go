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

// Help is what kong shows beneath the command's summary.
func (*userList) Help() string {
	return `One line a user, after a line of headings. VISIBILITY is what their new entries get.`
}

func (c *userList) Run(t *terminal) error {
	return open(c.Store, func(ctx context.Context, s *store.Store, _ *service.Service) error {
		users, err := s.Users(ctx)
		if err != nil {
			return err
		}
		table := newTable(t.out, "NAME", "ROLE", "STATE", "VISIBILITY", "ADDED")
		for _, user := range users {
			table.row(user.Name, pick(user.Admin, "admin", "user"), pick(user.Disabled, "disabled", "active"),
				user.Visibility.String(), moment(user.CreatedAt))
		}
		return table.Flush()
	})
}

func pick(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
