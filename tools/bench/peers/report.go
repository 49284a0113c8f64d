package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"waymark/tools/bench"
)

// report has the measurements of all servers, Waymark's first, and prints them.
type report struct {
	links       int
	rounds      int
	duration    time.Duration
	connections []int
	servers     []*server
	operations  []*operation
	leftOut     []string // programs that could not be built or started
}

// enough is the factor by which Waymark should be ahead where a peer does the same work.
const enough = 5

func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "%d links with 3 tags each; %d rounds of %s per operation, the programs one after the other in each.\n\n",
		r.links, r.rounds, r.duration)
	for _, program := range r.leftOut {
		fmt.Fprintf(w, "Left out: %s\n\n", program)
	}
	r.printPrograms(w)
	r.printTotals(w)
	for _, connections := range r.connections {
		r.printRates(w, connections)
		r.printLatencies(w, connections)
		r.printCosts(w, connections)
	}
	r.printFailures(w)
	r.printResult(w)
	r.printDifferences(w)
}

// row is a row of a Markdown table.
func row(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }

// head prints the head of a table whose first column is text.
func head(w io.Writer, cells ...string) {
	row(w, cells...)
	fmt.Fprintln(w, "|---|"+strings.Repeat("--:|", len(cells)-1))
}

// each returns what of says about each server, after a first cell.
func (r *report) each(first string, of func(s *server) string) []string {
	cells := []string{first}
	for _, s := range r.servers {
		cells = append(cells, of(s))
	}
	return cells
}

func (r *report) printPrograms(w io.Writer) {
	head(w, r.each("", func(s *server) string { return strings.TrimSpace(s.about.name + " " + s.about.version) })...)
	megabytes := func(of func(s *server) int64) func(s *server) string {
		return func(s *server) string { return fmt.Sprintf("%.1f", float64(of(s))/1e6) }
	}
	row(w, r.each("links stored", func(s *server) string { return strconv.Itoa(len(s.loaded)) })...)
	row(w, r.each("stored with", func(s *server) string { return s.about.loading })...)
	row(w, r.each("time for that, s", func(s *server) string { return fmt.Sprintf("%.1f", s.loadTime.Seconds()) })...)
	row(w, r.each("program, MB", megabytes(func(s *server) int64 { return s.fileSize }))...)
	row(w, r.each("data after that, MB", megabytes(func(s *server) int64 { return s.dataSize }))...)
	row(w, r.each("memory at the start, MB", megabytes(func(s *server) int64 { return s.idleMemory }))...)
	row(w, r.each("memory after storing, MB", megabytes(func(s *server) int64 { return s.loadedMemory }))...)
	fmt.Fprintln(w)
}

func (r *report) printTotals(w io.Writer) {
	head(w, r.each("links found", func(s *server) string { return s.about.name })...)
	for _, text := range searchedTexts {
		row(w, r.each(text, func(s *server) string { return s.totals[text] })...)
	}
	fmt.Fprintln(w)
}

// title names a table.
func title(what string, connections int) string {
	if connections == 1 {
		return what + ", 1 connection"
	}
	return fmt.Sprintf("%s, %d connections", what, connections)
}

// factor returns Waymark's rate divided by a peer's, 0 if one of them was not measured.
func (r *report) factor(s *server, key cellKey) float64 {
	own, other := r.servers[0].cells[key], s.cells[key]
	if own == nil || other == nil || len(own.rates) == 0 || len(other.rates) == 0 {
		return 0
	}
	return own.rate() / other.rate()
}

func factorText(factor float64) string {
	switch {
	case factor == 0:
		return "–"
	case factor < 10:
		return fmt.Sprintf("%.2f", factor)
	}
	return fmt.Sprintf("%.0f", factor)
}

// difference says how a peer's work differs from Waymark's, "" if it is the same.
func (s *server) difference(o *operation) string {
	var texts []string
	if text := s.about.differs[o.kind]; text != "" {
		texts = append(texts, text)
	}
	if text := s.about.differsIfEmpty; o.kind == searchKind && text != "" && s.totals[o.text] == "0" {
		texts = append(texts, text)
	}
	if s.about.noSync && (o.kind == createKind || o.kind == updateKind || o.kind == deleteKind) {
		texts = append(texts, s.about.name+" does not sync the disk before it responds")
	}
	return strings.Join(texts, "; ")
}

func (r *report) printRates(w io.Writer, connections int) {
	cells := r.each(title("requests per second", connections), func(s *server) string { return s.about.name })
	for _, s := range r.servers[1:] {
		cells = append(cells, "Waymark/"+s.about.name)
	}
	head(w, cells...)
	for _, o := range r.operations {
		key := cellKey{o.name, connections}
		cells := r.each(o.name, func(s *server) string {
			if c := s.cells[key]; c != nil && len(c.rates) > 0 {
				return fmt.Sprintf("%.0f", c.rate())
			}
			return "–"
		})
		for _, s := range r.servers[1:] {
			text := factorText(r.factor(s, key))
			if s.difference(o) != "" {
				text += " *"
			}
			cells = append(cells, text)
		}
		row(w, cells...)
	}
	fmt.Fprintf(w, "\n\\* The program does other work than Waymark: see below.\n\n")
}

func (r *report) printLatencies(w io.Writer, connections int) {
	head(w, r.each(title("p50 and p99 in ms", connections), func(s *server) string { return s.about.name })...)
	for _, o := range r.operations {
		row(w, r.each(o.name, func(s *server) string {
			c := s.cells[cellKey{o.name, connections}]
			if c == nil || len(c.latencies) == 0 {
				return "–"
			}
			p50, p99, _ := c.latencies.Percentiles()
			return fmt.Sprintf("%.2f, %.2f", bench.Milliseconds(p50), bench.Milliseconds(p99))
		})...)
	}
	fmt.Fprintln(w)
}

func (r *report) printCosts(w io.Writer, connections int) {
	head(w, r.each(title("CPU ms per request, highest memory in MB", connections), func(s *server) string { return s.about.name })...)
	for _, o := range r.operations {
		row(w, r.each(o.name, func(s *server) string {
			c := s.cells[cellKey{o.name, connections}]
			if c == nil || len(c.latencies) == 0 {
				return "–"
			}
			return fmt.Sprintf("%.2f, %.0f", bench.Milliseconds(c.cpu)/float64(len(c.latencies)), float64(c.memory)/1e6)
		})...)
	}
	fmt.Fprintln(w)
}

// printFailures lists the cells with requests that failed. They count for nothing else.
func (r *report) printFailures(w io.Writer) {
	for _, s := range r.servers {
		if s.broken != nil {
			fmt.Fprintf(w, "%s was **not measured to the end**: %v\n\n", s.about.name, s.broken)
		}
	}
	for _, connections := range r.connections {
		for _, o := range r.operations {
			for _, s := range r.servers {
				if c := s.cells[cellKey{o.name, connections}]; c != nil && c.failed > 0 {
					fmt.Fprintf(w, "**Failed** requests of %s, %s: %d beside %d that succeeded, such as %v\n\n",
						s.about.name, title(o.name, connections), c.failed, len(c.latencies), c.failure)
				}
			}
		}
	}
}

// printResult says where Waymark is not first, and where it is first by less than
// enough although the peer does the same work.
func (r *report) printResult(w io.Writer) {
	var behind, near []string
	rows := 0
	for _, connections := range r.connections {
		for _, o := range r.operations {
			rows++
			for _, s := range r.servers[1:] {
				factor := r.factor(s, cellKey{o.name, connections})
				text := fmt.Sprintf("- %s, beside %s: %s times its requests per second", title(o.name, connections), s.about.name, factorText(factor))
				difference := s.difference(o)
				if difference != "" {
					text += " (" + difference + ")"
				}
				if len(s.loaded) < r.links {
					text += fmt.Sprintf(" (%s has %d links of %d)", s.about.name, len(s.loaded), r.links)
				}
				switch {
				case factor == 0:
				case factor < 1:
					behind = append(behind, text)
				case factor < enough && difference == "":
					near = append(near, text)
				}
			}
		}
	}
	if len(behind) == 0 {
		fmt.Fprintf(w, "Waymark is first in all %d rows.\n\n", rows)
	} else {
		fmt.Fprintf(w, "Waymark is **not first** here:\n\n%s\n\n", strings.Join(behind, "\n"))
	}
	if len(near) == 0 {
		fmt.Fprintf(w, "It has at least %d times the requests per second wherever a program does the same work.\n\n", enough)
	} else {
		fmt.Fprintf(w, "It is first by **less than %d times** here, where the program does the same work:\n\n%s\n\n", enough, strings.Join(near, "\n"))
	}
}

func (r *report) printDifferences(w io.Writer) {
	fmt.Fprintf(w, "The programs that do other work than Waymark:\n\n")
	fmt.Fprintln(w, "- Waymark moves deleted links to the trash and returns exact totals.")
	for _, s := range r.servers[1:] {
		var texts []string
		if len(s.loaded) < r.links {
			texts = append(texts, fmt.Sprintf("It has %d links of %d.", len(s.loaded), r.links))
		}
		for _, o := range r.operations {
			if text := s.difference(o); text != "" {
				text = string(o.kind) + ": " + text + "."
				if !slices.Contains(texts, text) {
					texts = append(texts, text)
				}
			}
		}
		if len(texts) > 0 {
			fmt.Fprintf(w, "- %s. %s\n", s.about.name, strings.Join(texts, " "))
		}
	}
}
