package linkace

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// TestRoutesAndDocumentAreTheSame holds both ways: nothing is promised that is not
// there, and nothing is there that is not promised.
func TestRoutesAndDocumentAreTheSame(t *testing.T) {
	for _, version := range []string{v1, v2} {
		served := map[string]bool{}
		for _, r := range routes {
			served[r.method+" "+r.path] = true
		}
		for _, r := range docsRoutes("") {
			if path, ok := strings.CutPrefix(r.path, "/api/"+version+"/"); ok {
				served[r.method+" /"+path] = true
			}
		}
		promised := map[string]bool{}
		for path, item := range declarations[version]().spec.Paths.Map() {
			for method := range item.Operations() {
				promised[method+" "+path] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(served)) {
			if !promised[name] {
				t.Errorf("%s: %s is served, and the document does not have it", version, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(promised)) {
			if !served[name] {
				t.Errorf("%s: %s is in the document, and not served", version, name)
			}
		}
	}
}

// TestDocumentHasTheOrdersThatThereAre compares the values that the document names
// with those that the server knows.
func TestDocumentHasTheOrdersThatThereAre(t *testing.T) {
	for path, known := range map[string][]waymark.SortField{
		"/links": waymark.LinkSortFields, "/lists/{id}/links": waymark.LinkSortFields, "/tags/{id}/links": waymark.LinkSortFields,
		"/lists": waymark.ListSortFields, "/tags": waymark.TagSortFields,
	} {
		parameter := declarations[v2]().spec.Paths.Find(path).Get.Parameters.GetByInAndName("query", "order_by")
		var named []string
		var names []string
		for _, field := range known {
			names = append(names, sortFieldNames[field])
		}
		for _, value := range parameter.Schema.Value.Enum {
			named = append(named, value.(string))
		}
		if !slices.Equal(named, names) {
			t.Errorf("%s: the document names %v, want %v", path, named, names)
		}
	}
}
