package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// TestRoutesMatchDocument checks that every declared operation has a route, and every route
// is declared.
func TestRoutesMatchDocument(t *testing.T) {
	for _, version := range []string{v1, v2} {
		served := map[string]bool{}
		for _, r := range routes {
			served[r.Method+" "+r.Path] = true
			if r.Method == http.MethodPatch {
				served["PUT "+r.Path] = true
			}
		}
		for _, r := range docsRoutes("") {
			if path, ok := strings.CutPrefix(r.Path, "/api/"+version+"/"); ok {
				served[r.Method+" /"+path] = true
			}
		}
		declaredNames := map[string]bool{}
		for path, item := range declarations[version]().spec.Paths.Map() {
			for method := range item.Operations() {
				declaredNames[method+" "+path] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(served)) {
			if !declaredNames[name] {
				t.Errorf("%s: %s has a route, but is not declared", version, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(declaredNames)) {
			if !served[name] {
				t.Errorf("%s: %s is declared, but has no route", version, name)
			}
		}
	}
}

// TestDocumentDeclaresSortFields compares the declared values of order_by with the sort
// fields of the server.
func TestDocumentDeclaresSortFields(t *testing.T) {
	for path, known := range map[string][]waymark.SortField{
		"/links": waymark.LinkSortFields, "/lists/{id}/links": waymark.LinkSortFields, "/tags/{id}/links": waymark.LinkSortFields,
		"/lists": waymark.ListSortFields, "/tags": waymark.TagSortFields,
	} {
		parameter := declarations[v2]().spec.Paths.Find(path).Get.Parameters.GetByInAndName("query", "order_by")
		var declared, want []string
		for _, value := range parameter.Schema.Value.Enum {
			declared = append(declared, value.(string))
		}
		for _, field := range known {
			want = append(want, sortFieldNames[field])
		}
		if !slices.Equal(declared, want) {
			t.Errorf("%s: the document declares %v, want %v", path, declared, want)
		}
	}
}
