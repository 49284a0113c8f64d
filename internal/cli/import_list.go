package cli

import (
	"context"
	"io"
	"strconv"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type importList struct {
	User string `required:"" placeholder:"NAME" help:"User whose imports are listed."`
	JSON bool   `name:"json" help:"Print a JSON array."`

	config.Store `embed:""`
}

func (*importList) Help() string {
	return `Prints the last 100 imports, the newest first. If one was interrupted, run it again, or undo it.

    waymark import list --user ann`
}

func (c *importList) Run(t *terminal) error {
	return withUser(c.Store, c.User, func(ctx context.Context, s *store.Store, user waymark.User) error {
		all, err := s.Imports(ctx, user.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return printImports(t.out, all)
		}
		table := newTable(t.out, "ID", "STATE", "STARTED", "ADDED", "UPDATED", "SKIPPED", "FAILED", "FILE")
		for _, i := range all {
			table.row(strconv.FormatInt(int64(i.ID), 10), string(i.State), formatTime(i.StartedAt),
				strconv.Itoa(i.Counts.Added), strconv.Itoa(i.Counts.Updated), strconv.Itoa(i.Counts.Skipped+i.Counts.Merged), strconv.Itoa(i.Counts.Failed),
				printable(choose(i.File == "", "-", i.File)))
		}
		return table.Flush()
	})
}

func printImports(w io.Writer, imports []waymark.Import) error {
	type printed struct {
		ID         waymark.ImportID    `json:"id"`
		File       string              `json:"file"`
		Format     string              `json:"format"`
		State      waymark.ImportState `json:"state"`
		Error      string              `json:"error"`
		StartedAt  string              `json:"started_at"`
		FinishedAt *string             `json:"finished_at"` // null while it runs
		Read       int                 `json:"read"`
		Added      int                 `json:"added"`
		Updated    int                 `json:"updated"`
		Merged     int                 `json:"merged"`
		Skipped    int                 `json:"skipped"`
		Failed     int                 `json:"failed"`
		Problems   int                 `json:"problems"`
	}
	var list []printed
	for _, i := range imports {
		list = append(list, printed{
			i.ID, i.File, i.Format, i.State, i.Error, formatTime(i.StartedAt), jsonTime(i.FinishedAt),
			i.Counts.Read, i.Counts.Added, i.Counts.Updated, i.Counts.Merged, i.Counts.Skipped, i.Counts.Failed, i.Problems,
		})
	}
	return printJSONList(w, list)
}
