package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"waymark/internal/waymark"
)

func TestDocumentIsValidInBothVersions(t *testing.T) {
	for _, version := range []string{v1, v2} {
		spec, err := openapi3.NewLoader().LoadFromData(newDocument(version, ""))
		check(t, err)
		if err := spec.Validate(t.Context()); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestDocumentContainsOnlyPathsOfItsVersion(t *testing.T) {
	others := map[string]string{v1: v2, v2: v1}
	for version, other := range others {
		if got := bytes.Count(newDocument(version, ""), []byte("/api/"+other)); got > 0 {
			t.Errorf("%s contains /api/%s %d times, want 0", version, other, got)
		}
		spec := declarations[version]().spec
		if got := spec.Info.Version; got != version {
			t.Errorf("%s: got info.version %q", version, got)
		}
		if got, want := spec.Servers[0].URL, "/api/"+version; got != want {
			t.Errorf("%s: got server %q, want %q", version, got, want)
		}
		if below := newDocument(version, "/bookmarks"); !bytes.Contains(below, []byte(`"servers":[{"url":"/bookmarks/api/`+version+`"`)) {
			t.Errorf("%s: the document has no server below /bookmarks", version)
		}
		// Clients that were generated from one version accept later ones, which may have more keys.
		for _, unwanted := range []string{"x-shared", `"<<"`, `"additionalProperties":false`} {
			if bytes.Contains(newDocument(version, ""), []byte(unwanted)) {
				t.Errorf("%s: the document contains %s", version, unwanted)
			}
		}
	}
}

func TestDocumentDeclaresKeyInQueryOnlyInV1(t *testing.T) {
	for version, want := range map[string]int{v1: 2, v2: 1} {
		spec := declarations[version]().spec
		if got := len(spec.Components.SecuritySchemes); got != want {
			t.Errorf("%s: got %d security schemes, want %d", version, got, want)
		}
		if got := len(spec.Security); got != want {
			t.Errorf("%s: got %d security requirements, want %d", version, got, want)
		}
		if spec.Components.SecuritySchemes["api_token"].Value.Scheme != "bearer" {
			t.Errorf("%s: api_token is not a bearer scheme", version)
		}
	}
}

func TestDocumentDeclaresPutLikePatch(t *testing.T) {
	for path, item := range declarations[v2]().spec.Paths.Map() {
		switch {
		case (item.Patch == nil) != (item.Put == nil):
			t.Errorf("%s has only one of PATCH and PUT", path)
		case item.Patch != nil:
			put := *item.Put
			put.OperationID, put.Tags = item.Patch.OperationID, item.Patch.Tags
			if !reflect.DeepEqual(&put, item.Patch) {
				t.Errorf("%s: PUT differs from PATCH", path)
			}
		}
	}
}

// TestDocumentRequiresAllKeysOfResponses exists because tests would not notice that a
// response lacks a key which is not required.
func TestDocumentRequiresAllKeysOfResponses(t *testing.T) {
	optional := map[string]int{"ValidationErrors": 1, "LinkPage": 1} // position, instead
	for _, name := range []string{"Link", "LinkList", "ListOfLink", "Tag", "TagOfLink", "Note", "LinkPage", "LinkListPage", "TagPage", "NotePage", "ErrorMessage", "ValidationErrors"} {
		schema := declarations[v2]().spec.Components.Schemas[name].Value
		if len(schema.Required)+optional[name] != len(schema.Properties) {
			t.Errorf("%s requires %d of %d keys, want all", name, len(schema.Required), len(schema.Properties))
		}
	}
}

func TestDocumentShowsTheErrorsOfHandlers(t *testing.T) {
	for name, err := range map[string]error{
		"Forbidden":   waymark.ErrForbidden,
		"Unavailable": waymark.ErrUnavailable,
		"ServerError": errors.New("an internal error"),
	} {
		w := httptest.NewRecorder()
		words := dialect(slog.New(slog.DiscardHandler))
		words.WriteError(w, httptest.NewRequest(http.MethodGet, "/", nil), err)
		var got any
		check(t, json.Unmarshal(w.Body.Bytes(), &got))
		want := declarations[v2]().spec.Components.Responses[name].Value.Content["application/json"].Example
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want the example of the document: %v", name, got, want)
		}
	}
}

// TestDocumentNamesHideNoType: generated clients declare a type for each name, which must not
// hide one that the language has. Names that differ only in case are one type in Go.
func TestDocumentNamesHideNoType(t *testing.T) {
	components := declarations[v2]().spec.Components
	seen := map[string]string{}
	for _, item := range declarations[v2]().spec.Paths.Map() {
		for _, op := range item.Operations() {
			seen[strings.ToLower(op.OperationID)+"response"] = "response of an operation" // by oapi-codegen
		}
	}
	for kind, names := range map[string][]string{
		"schema":       slices.Collect(maps.Keys(components.Schemas)),
		"response":     slices.Collect(maps.Keys(components.Responses)),
		"request body": slices.Collect(maps.Keys(components.RequestBodies)),
		"parameter":    slices.Collect(maps.Keys(components.Parameters)),
	} {
		for _, name := range names {
			typeName := strings.ToLower(strings.ReplaceAll(name, "_", ""))
			if other, ok := seen[typeName]; ok {
				t.Errorf("%s %s is also the name of a %s", kind, name, other)
			}
			seen[typeName] = kind
			if slices.Contains(languageTypes, typeName) {
				t.Errorf("%s %s is the name of a type of a language", kind, name)
			}
		}
	}
}

// languageTypes are types and keywords of languages in lower case.
var languageTypes = []string{
	"any", "array", "bool", "boolean", "class", "date", "datetime", "dict", "double", "enum", "error", "exception", "float",
	"function", "int", "integer", "linkedlist", "list", "long", "map", "module", "none", "null", "number", "object",
	"optional", "promise", "range", "record", "request", "response", "result", "set", "string", "switch", "symbol", "time",
	"tuple", "type", "url", "vector", "void",
}

func TestDocumentDeclaresErrorsOfEveryOperation(t *testing.T) {
	for path, item := range declarations[v2]().spec.Paths.Map() {
		for method, op := range item.Operations() {
			if op.Security != nil {
				continue // needs no API key
			}
			want := []int{200, 401, 403, 405, 414, 429, 500, 503}
			if strings.Contains(path, "{id}") {
				want = append(want, 404)
			}
			if op.RequestBody != nil {
				want = append(want, 400, 413, 415, 422)
			}
			for _, status := range want {
				if op.Responses.Status(status) == nil {
					t.Errorf("%s %s does not declare %d %s", method, path, status, http.StatusText(status))
				}
			}
		}
	}
}
