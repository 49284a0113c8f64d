package api

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// declared is an OpenAPI document with compiled schemas. They are compiled once, because
// kin-openapi would compile them again for each call.
type declared struct {
	spec      *openapi3.T
	mux       *http.ServeMux // matches paths in the same way as the server
	problem   *jsonschema.Schema
	requests  *jsonschema.Compiler // of the document with what the server accepts besides
	responses *jsonschema.Compiler // of the document without undeclared keys
}

type declaredOperation struct {
	name       string // method and path
	parameters []declaredParameter
	body       *jsonschema.Schema // nil if the operation has no body
	responses  map[int]declaredResponse
}

type declaredParameter struct {
	name     string
	segment  int  // index of the path segment, or -1 for the query
	anyValue bool // invalid values are accepted and replaced by the default
	schema   *jsonschema.Schema
}

type declaredResponse struct {
	headers map[string]declaredHeader
	body    *jsonschema.Schema // of JSON
	others  []string           // the media types besides JSON
}

type declaredHeader struct {
	required bool
	schema   *jsonschema.Schema
}

// declarations holds the documents of both versions. They are loaded on first use.
var declarations = map[string]func() *declared{
	v1: sync.OnceValue(func() *declared { return loadDeclared(v1) }),
	v2: sync.OnceValue(func() *declared { return loadDeclared(v2) }),
}

// loadDeclared loads the document of a version. It panics if the document is invalid,
// which TestDocumentIsValidInBothVersions reports with a better message.
func loadDeclared(version string) *declared {
	text := newDocument(version, "")
	spec := orPanic(openapi3.NewLoader().LoadFromData(text))
	d := &declared{spec: spec, mux: http.NewServeMux(), requests: newCompiler(text, accepting), responses: newCompiler(text, closed)}
	d.problem = compile(d.responses, "#/components/schemas/ErrorMessage")
	for path, item := range spec.Paths.Map() {
		operations := declaredPath{}
		for method, op := range item.Operations() {
			operations[method] = d.operation(method, path, item, op)
		}
		d.mux.Handle(path, operations)
	}
	return d
}

// newCompiler returns a compiler for the schemas of a document. It changes each schema first.
func newCompiler(document []byte, change func(schema map[string]any) map[string]any) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	root := changeObjects(orPanic(jsonschema.UnmarshalJSON(bytes.NewReader(document))), change)
	if err := c.AddResource(documentURL, root); err != nil {
		panic(err)
	}
	return c
}

// changeObjects applies change to every JSON object in value, from the inside out.
func changeObjects(value any, change func(map[string]any) map[string]any) any {
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			value[i] = changeObjects(element, change)
		}
	case map[string]any:
		for key, element := range value {
			value[key] = changeObjects(element, change)
		}
		return change(value)
	}
	return value
}

// accepting adds to a schema what the server accepts besides.
func accepting(schema map[string]any) map[string]any {
	also, ok := schema["x-also-accepts"]
	if !ok {
		return schema
	}
	return map[string]any{"anyOf": []any{schema, also}}
}

// closed forbids undeclared keys. The document allows them, so that later versions can have
// more.
func closed(schema map[string]any) map[string]any {
	_, declares := schema["properties"].(map[string]any)
	if _, open := schema["additionalProperties"]; declares && !open {
		schema["additionalProperties"] = false
	}
	return schema
}

const documentURL = "https://waymark.invalid/openapi.json"

// declaredPath maps methods to the operations of a path.
type declaredPath map[string]*declaredOperation

// ServeHTTP makes declaredPath an http.Handler, so that a ServeMux can match paths.
func (declaredPath) ServeHTTP(http.ResponseWriter, *http.Request) {}

// find returns the operation of a method and a path, or nil.
func (d *declared) find(method, path string) *declaredOperation {
	h, _ := d.mux.Handler(&http.Request{Method: method, URL: &url.URL{Path: path}})
	operations, _ := h.(declaredPath)
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return operations[method]
}

func (d *declared) operation(method, path string, item *openapi3.PathItem, op *openapi3.Operation) *declaredOperation {
	o := &declaredOperation{name: method + " " + path, responses: map[int]declaredResponse{}}
	here := jsonPointer("#", "paths", path, strings.ToLower(method))
	for i, p := range item.Parameters {
		o.parameters = append(o.parameters, d.parameter(path, jsonPointer("#", "paths", path, "parameters", strconv.Itoa(i)), p))
	}
	for i, p := range op.Parameters {
		o.parameters = append(o.parameters, d.parameter(path, jsonPointer(here, "parameters", strconv.Itoa(i)), p))
	}
	if op.RequestBody != nil && op.RequestBody.Value.Content.Get("application/json") != nil {
		o.body = compileContent(d.requests, cmp.Or(op.RequestBody.Ref, jsonPointer(here, "requestBody")))
	}
	for status, response := range op.Responses.Map() {
		a := declaredResponse{headers: map[string]declaredHeader{}}
		at := cmp.Or(response.Ref, jsonPointer(here, "responses", status))
		if response.Value.Content.Get("application/json") != nil {
			a.body = compileContent(d.responses, at)
		}
		for media := range response.Value.Content {
			if media != "application/json" {
				a.others = append(a.others, media)
			}
		}
		for name, h := range response.Value.Headers {
			at := cmp.Or(h.Ref, jsonPointer(at, "headers", name))
			a.headers[name] = declaredHeader{h.Value.Required, compile(d.responses, jsonPointer(at, "schema"))}
		}
		o.responses[orPanic(strconv.Atoi(status))] = a
	}
	return o
}

func (d *declared) parameter(path, at string, ref *openapi3.ParameterRef) declaredParameter {
	p := declaredParameter{name: ref.Value.Name, segment: -1}
	for i, segment := range strings.Split(path, "/") {
		if ref.Value.In == "path" && segment == "{"+p.name+"}" {
			p.segment = i
		}
	}
	_, p.anyValue = ref.Value.Extensions["x-any-value"]
	p.schema = compile(d.requests, jsonPointer(cmp.Or(ref.Ref, at), "schema"))
	return p
}

// compileContent compiles the schema of the JSON body of the request or response at a JSON
// pointer.
func compileContent(c *jsonschema.Compiler, at string) *jsonschema.Schema {
	return compile(c, jsonPointer(at, "content", "application/json", "schema"))
}

func compile(c *jsonschema.Compiler, at string) *jsonschema.Schema {
	return orPanic(c.Compile(documentURL + at))
}

// jsonPointer appends keys to a JSON pointer.
func jsonPointer(at string, keys ...string) string {
	for _, key := range keys {
		at += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(key)
	}
	return at
}

func orPanic[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
