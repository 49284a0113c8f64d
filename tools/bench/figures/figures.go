// Command figures converts the output of the benchmarks to tables and plots:
// latencies by number of links.
//
//	make bench > sqlite.txt
//	WAYMARK_BENCH_DATABASE=postgres://… make bench > postgres.txt
//	go -C tools/bench run ./figures --sqlite "$PWD/sqlite.txt" --postgres "$PWD/postgres.txt" --out /tmp/figures > tables.md
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
	SQLite   string   `help:"Output of the benchmarks with SQLite." name:"sqlite" type:"existingfile" required:""`
	Postgres string   `help:"Output of the benchmarks with PostgreSQL." type:"existingfile" required:""`
	Out      string   `help:"Folder for the plots." default:"figures"`
	Metric   string   `help:"Metric to show and plot, in milliseconds." default:"p50-ms"`
	Details  []string `help:"Metrics to show in brackets behind it, in milliseconds." default:"p99-ms,cpu-ms"`
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
	var panels, ratios []panel
	for _, database := range []struct{ name, file string }{{"SQLite", f.SQLite}, {"PostgreSQL", f.Postgres}} {
		p := panel{name: database.name}
		for i, metric := range append([]string{f.Metric}, f.Details...) {
			results, err := read(database.file, metric, i == 0)
			if err != nil {
				return err
			}
			p.metrics = append(p.metrics, results)
		}
		p.measurements = p.metrics[0]
		panels = append(panels, p)

		ratio := panel{name: database.name}
		for _, metric := range []string{"ratio", "cpu-ratio"} {
			results, err := read(database.file, metric, false)
			if err != nil {
				return err
			}
			ratio.metrics = append(ratio.metrics, results)
		}
		ratio.measurements = ratio.metrics[0]
		ratios = append(ratios, ratio)
	}
	if err := os.MkdirAll(f.Out, 0o755); err != nil {
		return err
	}
	fmt.Printf("### Requests per second relative to the baseline (the same by CPU time)\n\n%s\n", baselineChart.table("", ratios))
	fmt.Printf("Milliseconds: %s", f.Metric)
	if len(f.Details) > 0 {
		fmt.Printf(" (%s)", strings.Join(f.Details, ", "))
	}
	fmt.Print("\n\n")
	for _, c := range charts {
		if len(c.sizes(panels)) == 0 {
			continue // its benchmarks did not run
		}
		fmt.Printf("### %s\n\n%s\n", c.title, c.table("ms", panels))
		if c.file == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(f.Out, c.file+".svg"), []byte(c.plot(panels)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// chart is a table of some benchmarks, and a plot if it has a file.
type chart struct {
	file, title string
	lines       []line
}

// line is a benchmark, named without the number of links.
type line struct{ name, benchmark string }

// baselineChart compares Waymark with the baseline.
var baselineChart = chart{lines: []line{
	{"one link, 1 client", "Link/clients=1/handler=both"},
	{"one link, 16 clients", "Link/clients=16/handler=both"},
	{"one link, 200 clients", "Link/clients=200/handler=both"},
	{"page of 24, 1 client", "FirstPage/clients=1/handler=both"},
	{"page of 24, 16 clients", "FirstPage/clients=16/handler=both"},
	{"page of 24, 200 clients", "FirstPage/clients=200/handler=both"},
	{"create, 1 client", "Create/clients=1/handler=both"},
	{"create, 16 clients", "Create/clients=16/handler=both"},
	{"create, 200 clients", "Create/clients=200/handler=both"},
}}

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
	{"", "Search for texts that people type", []line{
		{"all of them", "SearchTyped/text=all"},
		{"github", "SearchTyped/text=github"},
		{"kubernetes", "SearchTyped/text=kubernetes"},
		{"https:", "SearchTyped/text=https:"},
		{"py", "SearchTyped/text=py"},
		{"python", "SearchTyped/text=python"},
		{"machine learning", "SearchTyped/text=machine_learning"},
		{"中文", "SearchTyped/text=中文"},
		{"книга", "SearchTyped/text=книга"},
		{"zzqqxx", "SearchTyped/text=zzqqxx"},
	}},
	{"", "One person beside eight who search", []line{
		{"one link", "Searchers/do=link/searched=nothing"},
		{"one link, the others github", "Searchers/do=link/searched=github"},
		{"one link, the others py", "Searchers/do=link/searched=py"},
		{"page 1", "Searchers/do=page-1/searched=nothing"},
		{"page 1, the others github", "Searchers/do=page-1/searched=github"},
		{"page 1, the others py", "Searchers/do=page-1/searched=py"},
		{"search for kubernetes", "Searchers/do=search-kubernetes/searched=nothing"},
		{"search for kubernetes, the others github", "Searchers/do=search-kubernetes/searched=github"},
		{"search for kubernetes, the others py", "Searchers/do=search-kubernetes/searched=py"},
	}},
	{"", "A user with 1,000 links, among others with 1,000 links each", []line{
		{"page 1", "Users/do=page-1"},
		{"page 20", "Users/do=page-20"},
		{"page 1 by title", "Users/do=by-title"},
		{"tags", "Users/do=tags"},
		{"links without tags", "Users/do=empty_tags"},
		{"search for e", "Users/do=search-e"},
		{"search for py", "Users/do=search-py"},
		{"search for 中文", "Users/do=search-中文"},
		{"search for com", "Users/do=search-com"},
		{"search for github", "Users/do=search-github"},
		{"search for https:", "Users/do=search-https:"},
		{"search for kubernetes", "Users/do=search-kubernetes"},
		{"search for zzqqxx", "Users/do=search-zzqqxx"},
		{"create", "Users/do=create"},
		{"page 1, ten users at once", "Users/do=page-1/clients=10"},
		{"search for github, ten users at once", "Users/do=search-github/clients=10"},
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

// read returns a metric of each benchmark in a file. Of a benchmark that does not report
// the metric it returns the time per operation, if orTime is set.
func read(file, metric string, orTime bool) (measurements, error) {
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
		switch at := slices.Index(fields, metric); {
		case at > 0:
			if value, err = strconv.ParseFloat(fields[at-1], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		case !orTime:
			continue
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
	metrics []measurements // the measurements and the details
}

// sizes are the numbers of links in the measurements of the chart, sorted.
func (c *chart) sizes(panels []panel) []int {
	numbers := map[int]bool{}
	for _, p := range panels {
		for _, l := range c.lines {
			for links := range p.measurements[l.benchmark] {
				numbers[links] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(numbers))
}

// table returns the chart as a Markdown table.
func (c *chart) table(unit string, panels []panel) string {
	var t strings.Builder
	sizes := c.sizes(panels)
	t.WriteString("| " + unit + " |")
	for _, p := range panels {
		for i, links := range sizes {
			if i == 0 {
				t.WriteString(" " + p.name)
			}
			t.WriteString(" " + thousands(links) + " |")
		}
	}
	t.WriteString("\n|---|" + strings.Repeat("--:|", len(panels)*len(sizes)) + "\n")
	for _, l := range c.lines {
		t.WriteString("| " + l.name + " |")
		for _, p := range panels {
			for _, links := range sizes {
				t.WriteString(" " + p.cell(l.benchmark, links) + " |")
			}
		}
		t.WriteString("\n")
	}
	return t.String()
}

// cell returns the measurement, with the details in brackets, or a dash.
func (p *panel) cell(benchmark string, links int) string {
	ms, ok := p.measurements[benchmark][links]
	if !ok {
		return "–"
	}
	var details []string
	for _, metric := range p.metrics[1:] {
		if ms, ok := metric[benchmark][links]; ok {
			details = append(details, round(ms))
		}
	}
	if len(details) == 0 {
		return round(ms)
	}
	return round(ms) + " (" + strings.Join(details, ", ") + ")"
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
