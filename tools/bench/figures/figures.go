// Command figures converts the output of the benchmarks to the tables and plots of
// docs/performance.md: latencies by number of links.
//
//	make bench > sqlite.txt
//	WAYMARK_BENCH_DATABASE=postgres://… make bench > postgres.txt
//	go -C tools/bench run ./figures --sqlite "$PWD/sqlite.txt" --postgres "$PWD/postgres.txt" --out "$PWD/docs/figures" > tables.md
//
// Set WAYMARK_BENCH_LINKS=10000,100000,1000000 to measure three sizes. If a benchmark ran
// several times, the median is shown.
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
	SQLite   string `help:"Output of the benchmarks with SQLite." name:"sqlite" type:"existingfile" required:""`
	Postgres string `help:"Output of the benchmarks with PostgreSQL." type:"existingfile" required:""`
	Out      string `help:"Folder for the plots." default:"docs/figures"`
	Metric   string `help:"Metric to show, in milliseconds." default:"p50-ms"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("figures"), kong.Description("Converts the output of the benchmarks to tables, which it prints, and plots."))
	if err := f.run(); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func (f *flags) run() error {
	var panels []panel
	for _, database := range []struct{ name, file string }{{"SQLite", f.SQLite}, {"PostgreSQL", f.Postgres}} {
		results, err := read(database.file, f.Metric)
		if err != nil {
			return err
		}
		panels = append(panels, panel{database.name, results})
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

// chart is a table and a plot of some benchmarks.
type chart struct {
	file, title string
	lines       []line
}

// line is a benchmark, named without the number of links.
type line struct{ name, benchmark string }

var charts = []chart{
	{"pages", "Pages", []line{
		{"one link", "Link/clients=1/handler=waymark"},
		{"page 1", "Page/page=1"},
		{"page 100", "Page/page=100"},
		{"page in the middle", "Page/page=middle"},
		{"last page", "Page/page=last"},
		{"tag of every tenth link, page 1", "Tag/by=created_at/page=1"},
		{"tag of every tenth link, page 100", "Tag/by=created_at/page=100"},
		{"10 of 5,000 tag names", "Names/limit=10"},
	}},
	{"orders", "Page 1 in each sort order", []line{
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
	{"search", "Search", []line{
		{"1 letter, common", "Search/letters=1/kind=common"},
		{"2 letters, common", "Search/letters=2/kind=common"},
		{"2 letters, rare", "Search/letters=2/kind=rare"},
		{"3 letters, random", "Search/letters=3/kind=any"},
		{"3 letters, common", "Search/letters=3/kind=common"},
		{"6 letters, random", "Search/letters=6/kind=any"},
		{"6 letters, common", "Search/letters=6/kind=common"},
		{"12 letters, random", "Search/letters=12/kind=any"},
		{"12 letters, common", "Search/letters=12/kind=common"},
		{"https:", "Search/letters=6/kind=https"},
	}},
	{"filters", "Search for a common text of 3 letters, with a filter", []line{
		{"none", "Filter/filter=none"},
		{"visibility", "Filter/filter=visibility"},
		{"private_only", "Filter/filter=private_only"},
		{"broken_only", "Filter/filter=broken_only"},
		{"empty_lists", "Filter/filter=empty_lists"},
		{"empty_tags", "Filter/filter=empty_tags"},
		{"only_lists", "Filter/filter=only_lists"},
		{"only_tags", "Filter/filter=only_tags"},
		{"only_tags, any of two", "Filter/filter=only_tags-any"},
		{"only_tags, all of two", "Filter/filter=only_tags-all"},
		{"exclude_lists", "Filter/filter=exclude_lists"},
		{"exclude_tags", "Filter/filter=exclude_tags"},
	}},
	{"writes", "Writes", []line{
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

// read returns a metric of each benchmark in a file, or the time per operation if
// a benchmark does not report that metric.
func read(file, metric string) (measurements, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // the file is only read
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

// panel has the measurements of one database.
type panel struct {
	name string
	measurements
}

// sizes are the numbers of links in the measurements, sorted.
func sizes(panels []panel) []int {
	numbers := map[int]bool{}
	for _, p := range panels {
		for _, results := range p.measurements {
			for links := range results {
				numbers[links] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(numbers))
}

// table returns the chart as a Markdown table, in milliseconds.
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

// round rounds to two or three digits.
func round(ms float64) string {
	switch {
	case ms < 1:
		return strconv.FormatFloat(ms, 'f', 2, 64)
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return thousands(int(ms + 0.5))
}

// thousands formats 1000000 as 1,000,000.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
