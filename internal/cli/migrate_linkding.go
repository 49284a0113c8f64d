package cli

import "waymark/internal/migrate"

type migrateLinkding struct {
	migrateAPI `embed:""`
}

func (*migrateLinkding) Help() string {
	return `Adds the bookmarks, tags and notes of a linkding with their dates. Shared bookmarks become internal, the
others private. The server may be running, and linkding is not changed. After an interruption, run the
command again. "waymark import undo" undoes it.

    WAYMARK_MIGRATE_KEY=… waymark migrate linkding --url https://links.example.org --user ann

The key is the token on linkding's page Settings, Integrations.`
}

func (c *migrateLinkding) Run(t *terminal) error {
	p := newProgress(t.err)
	defer p.end()
	client, err := c.client(t, "Token", p)
	if err != nil {
		return err
	}
	l := &migrate.Linkding{Client: client, Progress: p.links}
	m := &migration{from: "linkding", file: client.URL, records: l.Records, totals: func() migrate.Totals { return l.Totals }, print: p.print}
	return migrateThroughAPI(c.migrateAPI, m)
}
