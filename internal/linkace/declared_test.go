package linkace

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
	spec     *openapi3.T
	mux      *http.ServeMux // matches paths in the same way as the server
	problem  *jsonschema.Schema
	compiler *jsonschema.Compiler
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
	body    *jsonschema.Schema
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
	d := &declared{spec: spec, mux: http.NewServeMux(), compiler: jsonschema.NewCompiler()}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(documentURL, orPanic(jsonschema.UnmarshalJSON(bytes.NewReader(text)))); err != nil {
		panic(err)
	}
	d.problem = d.compile("#/components/schemas/ErrorMessage")
	for path, item := range spec.Paths.Map() {
		operations := declaredPath{}
		for method, op := range item.Operations() {
			operations[method] = d.operation(method, path, item, op)
		}
		d.mux.Handle(path, operations)
	}
	return d
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
	if op.RequestBody != nil {
		o.body = d.content(cmp.Or(op.RequestBody.Ref, jsonPointer(here, "requestBody")))
	}
	for status, response := range op.Responses.Map() {
		a := declaredResponse{headers: map[string]declaredHeader{}}
		at := cmp.Or(response.Ref, jsonPointer(here, "responses", status))
		a.body = d.content(at)
		for name, h := range response.Value.Headers {
			at := cmp.Or(h.Ref, jsonPointer(at, "headers", name))
			a.headers[name] = declaredHeader{h.Value.Required, d.compile(jsonPointer(at, "schema"))}
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
	p.schema = d.compile(jsonPointer(cmp.Or(ref.Ref, at), "schema"))
	return p
}

// content compiles the schema of the JSON body of the request or response at a JSON pointer.
func (d *declared) content(at string) *jsonschema.Schema {
	return d.compile(jsonPointer(at, "content", "application/json", "schema"))
}

func (d *declared) compile(at string) *jsonschema.Schema {
	return orPanic(d.compiler.Compile(documentURL + at))
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
