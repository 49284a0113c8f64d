package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"waymark/internal/config"
	"waymark/internal/query"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type searchCommand struct {
	Query []string `arg:"" help:"Query, in the language of the search field."`

	User  string `required:"" placeholder:"NAME" help:"User who searches."`
	Order string `enum:"best,newest" default:"best" help:"Order of the links: best match first, or newest first."`
	Limit int    `default:"50" help:"Maximum number of links; 0 for all."`
	JSON  bool   `name:"json" help:"Print a JSON array."`

	config.Store `embed:""`
}

func (*searchCommand) Help() string {
	return `Prints the links that the user sees and that match the query. Put it into single quotes, and write -- before
one that begins with a minus. Days are those of this computer's time zone. docs/search.md has the language.
If fewer than five links match, searches that find more go to standard error.

    waymark search --user ann 'docker OR podman #containers'
    waymark search --user ann 'is:broken -list:Archive' --limit 0 --json | jq -r '.[].url'`
}

func (c *searchCommand) Run(t *terminal) error {
	where, problems := query.Parse(strings.Join(c.Query, " "))
	if len(problems) > 0 {
		return usageError{problems[0]}
	}
	return withUser(c.Store, c.User, func(ctx context.Context, s *store.Store, user waymark.User) error {
		order := waymark.Order{By: waymark.SortByCreatedAt, Desc: true}
		if c.Order == "best" && len(waymark.Wanted(where)) > 0 {
			order = waymark.BestMatch
		}
		found, err := s.SearchLinks(user.ID, waymark.LinkFilter{Where: where, Zone: time.Local}, order, waymark.Pagination{Limit: max(0, c.Limit)}).Page(ctx)
		if err != nil {
			return err
		}
		if n := len(found.Entities); n < found.Total { // last, where it is seen
			defer fmt.Fprintf(t.err, "%d of %d links. To print more of them, set --limit.\n", n, found.Total)
		}
		parts := query.Parts(where)
		instead, err := s.Instead(ctx, user.ID, waymark.LinkFilter{Zone: time.Local}, parts, found.Total)
		if err != nil {
			return err
		}
		for _, in := range instead {
			fmt.Fprintf(t.err, "Instead: %s (%d)\n", printable(query.Print(in.Apply(parts))), in.Total)
		}
		if c.JSON {
			return printLinks(t.out, found.Entities)
		}
		table := newTable(t.out, "ID", "ADDED", "URL", "TITLE")
		for _, link := range found.Entities {
			table.row(strconv.FormatInt(int64(link.ID), 10), formatTime(link.CreatedAt), printable(link.URL), printable(link.Title))
		}
		return table.Flush()
	})
}

func printLinks(w io.Writer, links []waymark.Link) error {
	type link struct {
		ID          waymark.LinkID `json:"id"`
		URL         string         `json:"url"`
		Title       string         `json:"title"`
		Description string         `json:"description"`
		Lists       []string       `json:"lists"`
		Tags        []string       `json:"tags"`
		CreatedAt   string         `json:"created_at"`
	}
	var list []link
	for _, l := range links {
		printed := link{l.ID, l.URL, l.Title, l.Description, []string{}, []string{}, formatTime(l.CreatedAt)}
		for _, label := range l.Lists {
			printed.Lists = append(printed.Lists, label.Name)
		}
		for _, label := range l.Tags {
			printed.Tags = append(printed.Tags, label.Name)
		}
		list = append(list, printed)
	}
	return printJSONList(w, list)
}
