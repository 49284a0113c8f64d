package api

import (
	"flag"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// generatedSeed selects the requests. The test must pass with any.
var generatedSeed = flag.Uint64("seed", 2, "seed of TestGeneratedRequestsFindNoUndeclaredResponse")

// TestGeneratedRequestsFindNoUndeclaredResponse sends requests that are generated from the
// document, some of them invalid. The transport compares every response with the document.
func TestGeneratedRequestsFindNoUndeclaredResponse(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		g := &generator{Rand: rand.New(rand.NewPCG(20200309, *generatedSeed)), testServer: s, recent: map[string]string{}}
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		spec := declarations[s.version]().spec
		var operations []operation
		for _, path := range slices.Sorted(maps.Keys(spec.Paths.Map())) {
			item := spec.Paths.Find(path)
			if path == "/links/full-snapshot" { // its body is a form
				continue
			}
			for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
				operations = append(operations, operation{method, path, item.Parameters, item.GetOperation(method)})
			}
		}
		succeeded, requests := map[string]int{}, 1000
		if testing.Short() {
			requests = 2 * len(operations)
		}
		// After these requests it goes on with what has not succeeded yet, which depends on chance.
		for i := 0; i < requests || i < 10_000 && len(succeeded) < len(operations); i++ {
			op := operations[i%len(operations)]
			if i >= requests && succeeded[op.method+" "+op.path] > 0 {
				continue
			}
			if i >= requests { // a generated request may have turned them off
				ann.patch(t, "/settings", `{"check":true}`).ok(t)
			}
			if i == 0 || i >= requests || g.oneIn(12) { // add entities that are not deleted yet
				g.recent["lists"] = ann.list(t, `{"name":"a","visibility":2}`)
				ann.call(t, "PUT", "/lists/"+g.recent["lists"]+"/editors", `{"who":"named","users":["ben"]}`).ok(t)
				ben.link(t, `{"url":"https://`+g.uniqueName()+`.example","lists":[`+g.recent["lists"]+`]}`)
				g.recent["changes"] = ann.get(t, "/lists/"+g.recent["lists"]+"/changes").ok(t).value(t, "0.id")
				g.recent["tags"] = ann.tag(t, `{"name":"`+g.uniqueName()+`"}`)
				g.recent["links"] = ann.link(t, `{"url":"https://`+g.uniqueName()+`.example","lists":[`+g.recent["lists"]+`],"tags":[`+g.recent["tags"]+`]}`)
				moved := ann.link(t, `{"url":"https://`+g.uniqueName()+`.example"}`)
				s.move(t, moved, "https://"+g.uniqueName()+".example")
				g.recent["keep"] = ann.link(t, `{"url":"https://`+moved+`.twice.example"}`)
				g.recent["merge"] = ann.link(t, `{"url":"http://`+moved+`.twice.example"}`)
				g.recent["undo"] = ann.post(t, "/links/"+moved+"/accept-new-url", "").ok(t).header.Get("Undo-Token")
				s.move(t, g.recent["links"], "https://"+g.uniqueName()+".example")
				if strings.Contains(op.path, "snapshot") {
					s.saveSnapshot(t, ann, g.recent["links"], "<p>Saved</p>")
				}
				ann.call(t, "DELETE", "/saved-searches/"+g.recent["saved-searches"], "") // a user has 100 at most
				if got := ann.post(t, "/saved-searches", `{"name":"`+g.uniqueName()+`","query":"a"}`); got.status == 200 {
					g.recent["saved-searches"] = got.id(t)
				}
				if got := ann.post(t, "/links/"+g.recent["links"]+"/passages", `{"exact":"a"}`); got.status == 200 {
					g.recent["passages"] = got.id(t)
				}
				g.recent["notes"] = ann.note(t, `{"link_id":`+g.recent["links"]+`,"note":"a"}`)
			}
			who := []*testClient{ann, ann, ben}[g.IntN(3)]
			g.valid = g.IntN(2) == 0
			path, body := g.request(op)
			got := who.call(t, op.method, path, body)
			if got.status >= 500 {
				t.Errorf("%s with %s: got %d %s", got.call, body, got.status, got.body)
			}
			if got.status == 200 {
				succeeded[op.method+" "+op.path]++
			}
			if kind := kindOf(op.path); got.status == 200 && op.path == "/"+kind && op.method == "POST" {
				g.recent[kind] = got.id(t)
			}
		}
		for _, op := range operations {
			if name := op.method + " " + op.path; succeeded[name] == 0 {
				t.Errorf("%s never succeeded, so this test does not cover it", name)
			}
		}
	})
}

type operation struct {
	method, path string
	shared       openapi3.Parameters
	*openapi3.Operation
}

// generator generates requests from a seed.
type generator struct {
	*rand.Rand
	*testServer
	recent map[string]string // last id of each kind, and last token of an undo
	valid  bool              // the request contains no invalid values
}

func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// invalid reports whether to generate an invalid value: once in n times, unless valid is
// set.
func (g *generator) invalid(n int) bool { return !g.valid && g.oneIn(n) }

func pick[T any](g *generator, among []T) T { return among[g.IntN(len(among))] }

// kindOf returns the first segment of a path: links, lists, tags or notes.
func kindOf(path string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return kind
}

func (g *generator) request(op operation) (path, body string) {
	path = op.path
	query, withoutBody := url.Values{}, g.invalid(15)
	for _, ref := range slices.Concat(op.shared, op.Parameters) {
		p := ref.Value
		if p.In == "header" {
			continue
		}
		value := strings.Trim(g.value(p.Schema.Value, 0), `"`)
		isInvalid := g.invalid(6)
		switch {
		case isInvalid:
			value = strings.Trim(g.invalidValue(), `"`)
		case p.Name == "link_id" && !g.oneIn(4):
			value = g.recent["links"]
		case p.Name == "passage_id" && !g.oneIn(4):
			value = g.recent["passages"]
		case p.In == "path" && !g.oneIn(4):
			value = g.recent[kindOf(path)]
		}
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case !g.oneIn(3):
			query.Set(p.Name, value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if op.RequestBody == nil || withoutBody {
		return path, ""
	}
	if op.RequestBody.Value.Content.Get("application/json") == nil {
		return path, pick(g, []string{"https://" + g.uniqueName() + ".example/", "\x00\x01", `{"a":`})
	}
	body = g.value(op.RequestBody.Value.Content.Get("application/json").Schema.Value, 0)
	if g.invalid(15) { // insert bytes that make the JSON invalid
		at := g.IntN(len(body))
		body = body[:at] + pick(g, []string{"\xff", ",", "}", "\x00", "[", "\"", "\\u0000"}) + body[at:]
	}
	return path, body
}

// value generates JSON that matches a schema, except for some invalid values.
func (g *generator) value(schema *openapi3.Schema, depth int) string {
	switch {
	case depth > 0 && g.invalid(12) || depth > 4:
		return g.invalidValue()
	case len(schema.AnyOf) > 0:
		return g.value(pick(g, schema.AnyOf).Value, depth)
	case len(schema.Enum) > 0:
		if n, ok := schema.Enum[0].(float64); ok {
			return strconv.Itoa(int(n) + g.IntN(len(schema.Enum)))
		}
		return `"` + pick(g, schema.Enum).(string) + `"`
	case schema.Type == nil || len(*schema.Type) == 0:
		return g.invalidValue()
	}
	switch pick(g, *schema.Type) {
	case "object":
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			if required := slices.Contains(schema.Required, name); required && !g.invalid(20) || !required && g.oneIn(2) {
				fields = append(fields, `"`+name+`":`+g.field(name, schema.Properties[name].Value, depth))
			}
		}
		return "{" + strings.Join(fields, ",") + "}"
	case "array":
		var items []string
		for range g.IntN(4) {
			items = append(items, g.value(schema.Items.Value, depth+1))
		}
		return "[" + strings.Join(items, ",") + "]"
	case "integer":
		return strconv.Itoa(1 + g.IntN(12))
	case "boolean":
		return pick(g, []string{"true", "false"})
	case "null":
		return "null"
	}
	if schema.Pattern != "" && strings.Contains(schema.Pattern, "0-9") {
		return `"` + strconv.Itoa(g.IntN(9)) + `"`
	}
	return pick(g, []string{`"a"`, `"A"`, `"ж,b"`, `"` + g.uniqueName() + `"`, `" Straße "`, `"1"`, `"0"`, `"true"`, `""`, `"\u2028\"<&>"`})
}

// field generates the value of a field. Some fields need values that their schema does not
// require, so that requests succeed often enough.
func (g *generator) field(name string, schema *openapi3.Schema, depth int) string {
	switch {
	case g.invalid(15):
		return g.invalidValue()
	case name == "url":
		return `"https://` + pick(g, []string{"go.dev", g.uniqueName() + ".example"}) + `/"`
	case name == "link_id" && !g.oneIn(4):
		return g.recent["links"]
	case name == "keep":
		return g.recent["keep"]
	case name == "merge" || name == "links":
		return "[" + g.recent["keep"] + "," + g.recent["merge"] + "]"
	case name == "model" || name == "type":
		if len(schema.Enum) == 0 {
			return pick(g, []string{`"links"`, `"lists"`, `"tags"`, `"notes"`, "null"})
		}
	}
	return g.value(schema, depth+1)
}

// invalidValue returns a value that matches no schema.
func (g *generator) invalidValue() string {
	return pick(g, []string{
		`null`, `true`, `false`, `0`, `-1`, `1.5`, `1e400`, `9223372036854775808`, `""`, `" "`, `"x"`, `"\u0000"`, `"\ud800"`, `[]`, `{}`, `[[]]`, `[null]`, `{"id":1}`, `[{"name":"n"}]`,
		`"' OR 1=1 --"`, `"%_*\\\""`, `"javascript:x"`, `"` + strings.Repeat("long ", 300) + `"`, `"😀\u202e"`, `[1,"2",{"id":"3"},[4]]`, `99999999999999999999`, `"-5"`, `"ASC"`,
	})
}
