package query_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"waymark/internal/query"
)

// TestDocumentedQueriesAreRead reads the queries in the tables of docs/search.md, and checks that all
// fields are documented there.
func TestDocumentedQueriesAreRead(t *testing.T) {
	page, err := os.ReadFile("../../docs/search.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cell, _, _ := strings.Cut(line[1:], "|")
		for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			n++
			if c, problems := query.Parse(match[1]); len(problems) > 0 || query.Print(c) == "" {
				t.Errorf("%s: got %#v, problems %v", match[1], c, problems)
			}
		}
	}
	if n < 20 {
		t.Errorf("got %d queries, want those of two tables", n)
	}
	for _, field := range query.Fields() {
		if !strings.Contains(string(page), field+":") {
			t.Errorf("the field %s: is not documented", field)
		}
	}
}
