package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the reference in docs")

// checkReference compares a document with what it must be. make reference runs the tests with -update.
func checkReference(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		check(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s is not that of the code: run make reference (error %v)", file, err)
	}
}

func TestOperationReferenceIsUpToDate(t *testing.T) {
	var document struct {
		Tags  []struct{ Name string }
		Paths map[string]map[string]json.RawMessage
	}
	text, err := os.ReadFile("internal/api/openapi.v2.json")
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	check(t, err)
	rows := map[string]map[string]string{} // by tag, then by path and method
	for path, operations := range document.Paths {
		for method, raw := range operations {
			var operation struct {
				Tags    []string
				Summary string
			}
			if err := json.Unmarshal(raw, &operation); err != nil || len(operation.Tags) == 0 {
				continue // parameters of the path
			}
			tag := operation.Tags[0]
			if rows[tag] == nil {
				rows[tag] = map[string]string{}
			}
			rows[tag][path+" "+method] = fmt.Sprintf("- `%s %s`: %s\n", strings.ToUpper(method), path, operation.Summary)
		}
	}
	var page strings.Builder
	page.WriteString(`# Operations of the API

Made from the OpenAPI document by ` + "`make reference`" + `. All paths are below ` + "`/api/v2`" + `; PUT works like PATCH. Your server has the
parameters, bodies and responses at ` + "`/api/docs`" + `, where you can also try them. [Using the API](api.md) shows common tasks.
`)
	for _, tag := range document.Tags {
		if rows[tag.Name] == nil {
			t.Errorf("no operation has the tag %s", tag.Name)
		}
		if tag.Name != "PUT" { // each is like the PATCH of its path
			fmt.Fprintf(&page, "\n## %s\n\n%s", tag.Name, sorted(rows[tag.Name]))
		}
	}
	checkReference(t, "docs/operations.md", page.String())
}

// sorted returns the rows of a list in the order of their keys.
func sorted(rows map[string]string) string {
	list := ""
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		list += rows[key]
	}
	return list
}

// The metrics are read from the sources, because some appear only after something has failed.
func TestMetricReferenceIsUpToDate(t *testing.T) {
	rows := map[string]string{}
	_, packages := parsePackages(t)
	for _, p := range packages {
		for name, file := range p.files {
			if isTest(name) || p.dir != "internal/server" && p.dir != "internal/database" {
				continue
			}
			for node := range ast.Preorder(file) {
				name, help, labels := metric(node)
				title := name
				if len(labels) > 0 {
					title += "{" + strings.Join(labels, ",") + "}"
				}
				row := fmt.Sprintf("- `%s`: %s\n", title, help)
				if name != "" && len(row) > len(rows[name]) { // the declaration of a vector has the metric once more, without labels
					rows[name] = row
				}
			}
		}
	}
	if len(rows) < 15 {
		t.Errorf("only %d metrics were found", len(rows))
	}
	checkReference(t, "docs/metrics.md", `# Metrics

Made from the sources by `+"`make reference`"+`. `+"`--metrics-listen 127.0.0.1:9090`"+` serves them at `+"`/metrics`"+` for Prometheus, beside those of
Go, of the process and of the connections to the database (`+"`go_sql_…`"+`). [Monitoring](monitoring.md#metrics) says which to watch.
Names that end with `+"`_total`"+` are counters since the start of the server; those of durations are histograms; the others are gauges.

`+sorted(rows))
}

// metric returns the name, help and labels of a metric that is declared at a node, and "" if none is.
func metric(node ast.Node) (name, help string, labels []string) {
	switch node := node.(type) {
	case *ast.CallExpr:
		if len(node.Args) < 2 {
			return "", "", nil
		}
		if function, ok := node.Fun.(*ast.SelectorExpr); ok && strings.HasSuffix(function.Sel.Name, "Vec") {
			name, help, _ = metric(node.Args[0])
			return name, help, literals(node.Args[1:])
		}
		if name = literal(node.Args[0]); strings.HasPrefix(name, "waymark_") {
			return name, literal(node.Args[1]), literals(node.Args[2:])
		}
	case *ast.CompositeLit:
		fields := map[string]string{}
		for _, element := range node.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				if key, ok := pair.Key.(*ast.Ident); ok {
					fields[key.Name] = literal(pair.Value)
				}
			}
		}
		if strings.HasPrefix(fields["Name"], "waymark_") {
			return fields["Name"], fields["Help"], nil
		}
	}
	return "", "", nil
}

// auditEvent is a text of two or more words in a statement or a call that writes audit events.
var auditEvent = regexp.MustCompile(`['"]([A-Za-z]+(?:[ -][A-Za-z]+)+)['"]`)

func TestAuditEventsAreDocumented(t *testing.T) {
	monitoring, err := os.ReadFile("docs/monitoring.md")
	check(t, err)
	writers := regexp.MustCompile(`INSERT INTO audit_events [^;]*|(?:AddAuditEvent|auditUser|changeFactors)\(ctx.*`)
	found := 0
	check(t, filepath.WalkDir("internal/store", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(file, "_test.go") {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, writer := range writers.FindAllString(string(content), -1) {
			for _, event := range auditEvent.FindAllStringSubmatch(writer, -1) {
				found++
				if !strings.Contains(string(monitoring), "`"+event[1]+"`") {
					t.Errorf("%s writes the event %q, which docs/monitoring.md does not have", file, event[1])
				}
			}
		}
		return nil
	}))
	if found < 30 {
		t.Errorf("got %d events, want 30 or more", found)
	}
}

// literals returns the texts in expressions.
func literals(expressions []ast.Expr) (texts []string) {
	for _, expression := range expressions {
		for node := range ast.Preorder(expression) {
			if text, ok := node.(ast.Expr); ok && literal(text) != "" {
				texts = append(texts, literal(text))
			}
		}
	}
	return texts
}

// literal returns the text of a string literal, and "" for other expressions.
func literal(expression ast.Expr) string {
	if basic, ok := expression.(*ast.BasicLit); ok && basic.Kind == token.STRING {
		text, err := strconv.Unquote(basic.Value)
		if err == nil {
			return text
		}
	}
	return ""
}
