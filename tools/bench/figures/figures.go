// Command figures turns what the benchmarks print into the tables and plots of
// docs/performance.md: how long requests take, against how many links there are.
//
//	make bench > sqlite.txt
//	WAYMARK_BENCH_DATABASE=postgres://… make bench > postgres.txt
//	go run ./internal/measure/figures --sqlite sqlite.txt --postgres postgres.txt --out docs/figures > tables.md
//
// WAYMARK_BENCH_LINKS=10000,100000,1000000 measures three sizes. Of several runs of a
// benchmark the median counts.
package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

type flags struct {
	SQLite   string `help:"What the benchmarks have printed with SQLite." name:"sqlite" type:"existingfile" required:""`
	Postgres string `help:"What they have printed with PostgreSQL." type:"existingfile" required:""`
	Out      string `help:"The folder for the plots." default:"docs/figures"`
	Metric   string `help:"What is shown, in milliseconds." default:"p50-ms"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("figures"), kong.Description("Turns what the benchmarks print into tables, printed here, and plots."))
	if err := f.run(); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func (f *flags) run() error {
	var panels []panel
	for _, database := range []struct{ name, file string }{{"SQLite", f.SQLite}, {"PostgreSQL", f.Postgres}} {
		measured, err := read(database.file, f.Metric)
		if err != nil {
			return err
		}
		panels = append(panels, panel{database.name, measured})
	}
	if err := os.MkdirAll(f.Out, 0o755); err != nil {
		return err
	}
	for _, c := range charts {
		fmt.Printf("### %s\n\n%s\n", c.title, c.table(panels))
		if err := os.WriteFile(filepath.Join(f.Out, c.file+".svg"), []byte(c.plot(panels)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// chart is a table and a plot of several benchmarks.
type chart struct {
	file, title string
	lines       []line
}

// line is a benchmark; what stands for the number of links in its name is left out.
type line struct{ name, benchmark string }

var charts = []chart{
	{"pages", "Looking", []line{
		{"one link", "Link/clients=1/handler=waymark"},
		{"page 1", "Page/page=1"},
		{"page 100", "Page/page=100"},
		{"page in the middle", "Page/page=middle"},
		{"last page", "Page/page=last"},
		{"tag on a tenth, page 1", "Tag/by=created_at/page=1"},
		{"tag on a tenth, page 100", "Tag/by=created_at/page=100"},
		{"10 of 5,000 names", "Names/limit=10"},
	}},
	{"orders", "Page 1 in each order", []line{
		{"by id", "Order/by=id/page=1"},
		{"by url", "Order/by=url/page=1"},
		{"by title", "Order/by=title/page=1"},
		{"by description", "Order/by=description/page=1"},
		{"by is_private", "Order/by=is_private/page=1"},
		{"by visibility", "Order/by=visibility/page=1"},
		{"by status", "Order/by=status/page=1"},
		{"by check_disabled", "Order/by=check_disabled/page=1"},
		{"by created_at", "Order/by=created_at/page=1"},
		{"by updated_at", "Order/by=updated_at/page=1"},
	}},
	{"search", "Searching", []line{
		{"1 letter, common", "Search/letters=1/kind=common"},
		{"2 letters, common", "Search/letters=2/kind=common"},
		{"2 letters, rare", "Search/letters=2/kind=rare"},
		{"3 letters, any", "Search/letters=3/kind=any"},
		{"3 letters, common", "Search/letters=3/kind=common"},
		{"6 letters, any", "Search/letters=6/kind=any"},
		{"6 letters, common", "Search/letters=6/kind=common"},
		{"12 letters, any", "Search/letters=12/kind=any"},
		{"12 letters, common", "Search/letters=12/kind=common"},
		{"https:", "Search/letters=6/kind=https"},
	}},
	{"filters", "A common text of 3 letters, with a filter", []line{
		{"none", "Filter/filter=none"},
		{"visibility", "Filter/filter=visibility"},
		{"private_only", "Filter/filter=private_only"},
		{"broken_only", "Filter/filter=broken_only"},
		{"empty_lists", "Filter/filter=empty_lists"},
		{"empty_tags", "Filter/filter=empty_tags"},
		{"only_lists", "Filter/filter=only_lists"},
		{"only_tags", "Filter/filter=only_tags"},
		{"only_tags, one of two", "Filter/filter=only_tags-any"},
		{"only_tags, both", "Filter/filter=only_tags-all"},
		{"exclude_lists", "Filter/filter=exclude_lists"},
		{"exclude_tags", "Filter/filter=exclude_tags"},
	}},
	{"writes", "Writing", []line{
		{"create", "Create/clients=1/handler=waymark"},
		{"create 1,000", "BulkCreate"},
		{"append to 1,000", "BulkEdit/mode=append"},
		{"replace in 1,000", "BulkEdit/mode=replace"},
		{"trash 1,000", "Trash/do=trash"},
		{"restore 1,000, one by one", "Trash/do=restore"},
	}},
}

// measurements are milliseconds, by benchmark and number of links.
type measurements map[string]map[int]float64

var (
	result     = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op(.*)`)
	numberPart = regexp.MustCompile(`/links=(\d+)`)
)

// read takes a metric from what the benchmarks have printed, or their time where one
// has no such metric.
func read(file, metric string) (measurements, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	runs := map[string]map[int][]float64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		found := result.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		size := numberPart.FindStringSubmatch(found[1])
		if size == nil {
			continue
		}
		links, err := strconv.Atoi(size[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		value, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		value /= 1e6
		fields := strings.Fields(found[3])
		if at := slices.Index(fields, metric); at > 0 {
			if value, err = strconv.ParseFloat(fields[at-1], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		name := numberPart.ReplaceAllString(found[1], "")
		if runs[name] == nil {
			runs[name] = map[int][]float64{}
		}
		runs[name][links] = append(runs[name][links], value)
	}
	medians := measurements{}
	for name, sizes := range runs {
		medians[name] = map[int]float64{}
		for links, values := range sizes {
			slices.Sort(values)
			medians[name][links] = values[len(values)/2]
		}
	}
	return medians, nil
}

// panel is what was measured with one database.
type panel struct {
	name string
	measurements
}

// sizes are the numbers of links that anything was measured with.
func sizes(panels []panel) []int {
	all := map[int]bool{}
	for _, p := range panels {
		for _, one := range p.measurements {
			for links := range one {
				all[links] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// table is the chart in Markdown, in milliseconds.
func (c *chart) table(panels []panel) string {
	var t strings.Builder
	t.WriteString("| ms |")
	for _, p := range panels {
		for i, links := range sizes(panels) {
			if i == 0 {
				t.WriteString(" " + p.name)
			}
			t.WriteString(" " + thousands(links) + " |")
		}
	}
	t.WriteString("\n|---|" + strings.Repeat("--:|", len(panels)*len(sizes(panels))) + "\n")
	for _, l := range c.lines {
		t.WriteString("| " + l.name + " |")
		for _, p := range panels {
			for _, links := range sizes(panels) {
				text := "–"
				if ms, ok := p.measurements[l.benchmark][links]; ok {
					text = round(ms)
				}
				t.WriteString(" " + text + " |")
			}
		}
		t.WriteString("\n")
	}
	return t.String()
}

// round keeps two or three digits.
func round(ms float64) string {
	switch {
	case ms < 1:
		return strconv.FormatFloat(ms, 'f', 2, 64)
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return thousands(int(ms + 0.5))
}

// thousands writes 1000000 as 1,000,000.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
