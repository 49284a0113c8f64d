package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table prints rows whose columns stand beneath each other, at least two spaces
// apart, so that a name with a space in it is still one column.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer, headings ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(headings...)
	return t
}

// row adds a row; Flush tells whether it could be written.
func (t table) row(cells ...string) {
	fmt.Fprintln(t, strings.Join(cells, "\t"))
}
