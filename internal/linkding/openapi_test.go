package linkding

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// document is the part of the OpenAPI document that the tests read.
type document struct {
	Info       struct{ Version string }
	Paths      map[string]map[string]any
	Components struct {
		Schemas map[string]struct{ Properties map[string]any }
	}
}

func parseDocument(t *testing.T) (d document) {
	t.Helper()
	if err := yaml.Unmarshal(openapi, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDocumentHasAllRoutes(t *testing.T) {
	d := parseDocument(t)
	if d.Info.Version != Version {
		t.Errorf("got version %s, want %s", d.Info.Version, Version)
	}
	var documented, want []string
	for path, operations := range d.Paths {
		for method := range operations {
			if method != "parameters" {
				documented = append(documented, strings.ToUpper(method)+" "+strings.TrimSuffix(path, "/"))
			}
		}
	}
	for _, r := range routes {
		if r.Path != "/api" && r.Path != documentPath {
			want = append(want, r.Method+" "+r.Path)
		}
	}
	slices.Sort(documented)
	slices.Sort(want)
	if !slices.Equal(documented, want) {
		t.Errorf("got %q\nwant %q", documented, want)
	}
}

func TestDocumentHasTheFieldsOfResponses(t *testing.T) {
	d := parseDocument(t)
	for name, value := range map[string]any{
		"Bookmark": newBookmarkJSON(&waymark.Link{}, ""), "Tag": newTagJSON(waymark.Tag{}), "Bundle": newBundleJSON(waymark.Bundle{}),
		"Asset": newAssetJSON(waymark.Attachment{}), "Check": checkJSON{}, "Profile": profileJSON{}, "Health": healthJSON{},
	} {
		w := httptest.NewRecorder()
		if err := httpx.WriteJSON(w, 200, value); err != nil {
			t.Fatal(err)
		}
		var body map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		for field := range body {
			if _, ok := d.Components.Schemas[name].Properties[field]; !ok {
				t.Errorf("%s has no %s", name, field)
			}
		}
		if got, want := len(d.Components.Schemas[name].Properties), len(body); got != want {
			t.Errorf("%s: got %d properties, want %d", name, got, want)
		}
	}
}
