package main

import (
	"strings"
	"testing"
	"time"

	"waymark/tools/bench"
)

func TestEveryLinkHasThreeTags(t *testing.T) {
	links := tagged([]bench.Example{{URL: "https://a.example", Source: "a"}, {URL: "https://b.example"}, {URL: "https://c.example"}})
	for _, l := range links {
		if len(l.tags) != 3 {
			t.Errorf("%s: got tags %q, want three", l.url, l.tags)
		}
	}
	if got := tagsToRead(links)[0]; got != "sample" {
		t.Errorf("most common tag: got %q, want sample", got)
	}
}

// The token is what memos returns as nextPageToken of the page before.
func TestMemosPageToken(t *testing.T) {
	if got, want := (&memos{}).page(3).path, "/api/v1/memos?pageToken=CBgQMA%3D%3D"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReportSaysWhereWaymarkIsNotFirst(t *testing.T) {
	cells := func(slow, fast float64) map[cellKey]*cell {
		latencies := bench.Latencies{time.Millisecond}
		return map[cellKey]*cell{
			{"get one", 1}: {rates: []float64{fast}, latencies: latencies},
			{"create", 1}:  {rates: []float64{slow}, latencies: latencies},
		}
	}
	r := &report{
		links: 1, connections: []int{1},
		servers: []*server{
			{about: about{name: "Waymark"}, loaded: []string{"1"}, cells: cells(10, 300)},
			{about: about{name: "Other", version: "1.0", noSync: true}, loaded: []string{"1"}, cells: cells(20, 100)},
		},
		operations: []*operation{{name: "get one", kind: getKind}, {name: "create", kind: createKind}},
		leftOut:    []string{"Third 2.0: it does not build"},
	}
	var out strings.Builder
	r.print(&out)
	for _, want := range []string{
		"Left out: Third 2.0: it does not build",
		"| get one | 300 | 100 | 3.00 |",
		"| create | 10 | 20 | 0.50 * |",
		"**not first** here:\n\n- create, 1 connection, beside Other: 0.50 times its requests per second (Other does not sync the disk before it responds)",
		"**less than 5 times** here, where the program does the same work:\n\n- get one, 1 connection, beside Other: 3.00 times",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report does not contain %q:\n%s", want, out.String())
		}
	}
}
