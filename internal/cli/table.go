package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table prints aligned columns that are at least two spaces apart, so that scripts can
// split them even if a name contains a space.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer, headings ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(headings...)
	return t
}

// row adds a row. Errors are returned by Flush.
func (t table) row(cells ...string) {
	fmt.Fprintln(t, strings.Join(cells, "\t"))
}
