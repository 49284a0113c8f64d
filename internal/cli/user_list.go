package cli

import (
	"context"
	"io"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userList struct {
	JSON bool `name:"json" help:"Print a JSON array."`

	config.Store `embed:""`
}

func (*userList) Help() string {
	return `VISIBILITY is the default for the user's new links, lists, tags and notes.

    waymark user list
    waymark user list --json | jq -r '.[] | select(.disabled) | .name'`
}

func (c *userList) Run(t *terminal) error {
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		users, err := s.Accounts.Users(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return printUsers(t.out, users)
		}
		table := newTable(t.out, "NAME", "STATE", "ROLE", "VISIBILITY", "ADDED")
		for _, user := range users {
			table.row(user.Name, choose(user.Disabled, "disabled", "active"),
				choose(user.Admin, "admin", "user"), user.DefaultVisibility.String(), formatTime(user.CreatedAt))
		}
		return table.Flush()
	})
}

func printUsers(w io.Writer, users []waymark.User) error {
	type user struct {
		Name              string            `json:"name"`
		Admin             bool              `json:"admin"`
		Disabled          bool              `json:"disabled"`
		DefaultVisibility map[string]string `json:"default_visibility"` // by kind of entity
		CreatedAt         string            `json:"created_at"`
	}
	var list []user
	for _, u := range users {
		v := u.DefaultVisibility
		list = append(list, user{u.Name, u.Admin, u.Disabled, map[string]string{
			"links": v.Links.String(), "lists": v.Lists.String(), "tags": v.Tags.String(), "notes": v.Notes.String(),
		}, formatTime(u.CreatedAt)})
	}
	return printJSONList(w, list)
}
