package linkace

import (
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestGeneratedRequestsFindNoUndeclaredAnswer sends what the document says may be
// sent, with junk among it. The transport compares every answer with the document.
func TestGeneratedRequestsFindNoUndeclaredAnswer(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		g := &generator{Rand: rand.New(rand.NewPCG(20200309, 1)), site: s, recent: map[string]string{}}
		ann, ben := s.person(t, "ann"), s.person(t, "ben")
		spec := declarations[s.version]().spec
		var operations []operation
		for _, path := range slices.Sorted(maps.Keys(spec.Paths.Map())) {
			item := spec.Paths.Find(path)
			for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
				operations = append(operations, operation{method, path, item.Parameters, item.GetOperation(method)})
			}
		}
		succeeded := map[string]int{}
		for i := range 1500 {
			if i%20 == 0 { // something to find that is not deleted yet
				g.recent["links"] = ann.link(t, `{"url":"https://`+g.next()+`.example"}`)
				g.recent["lists"] = ann.list(t, `{"name":"a"}`)
				g.recent["tags"] = ann.tag(t, `{"name":"`+g.next()+`"}`)
				g.recent["notes"] = ann.note(t, `{"link_id":`+g.recent["links"]+`,"note":"a"}`)
			}
			op := pick(g, operations)
			who := []*person{ann, ann, ben}[g.IntN(3)]
			g.sane = g.IntN(2) == 0
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
				t.Errorf("%s never succeeded, so this proves little about it", name)
			}
		}
	})
}

type operation struct {
	method, path string
	shared       openapi3.Parameters
	*openapi3.Operation
}

// generator makes requests up, always the same ones.
type generator struct {
	*rand.Rand
	*site
	recent map[string]string // the last id of each kind
	sane   bool              // whether this request has no junk in it
}

func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// slips tells whether something goes wrong here: once in n times, unless sane.
func (g *generator) slips(n int) bool { return !g.sane && g.oneIn(n) }

func pick[T any](g *generator, among []T) T { return among[g.IntN(len(among))] }

// kindOf is the first word of a path: links, lists, tags or notes.
func kindOf(path string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return kind
}

func (g *generator) request(op operation) (path, body string) {
	path = op.path
	query, noBody := url.Values{}, g.slips(15)
	for _, ref := range slices.Concat(op.shared, op.Parameters) {
		p := ref.Value
		value := strings.Trim(g.value(p.Schema.Value, 0), `"`)
		junk := g.slips(6)
		switch {
		case junk:
			value = strings.Trim(g.junk(), `"`)
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
	if op.RequestBody == nil || noBody {
		return path, ""
	}
	body = g.value(op.RequestBody.Value.Content.Get("application/json").Schema.Value, 0)
	if g.slips(15) { // a slip in the text itself
		at := g.IntN(len(body))
		body = body[:at] + pick(g, []string{"\xff", ",", "}", "\x00", "[", "\"", "\\u0000"}) + body[at:]
	}
	return path, body
}

// value makes JSON up that fits a schema, mostly.
func (g *generator) value(schema *openapi3.Schema, depth int) string {
	switch {
	case depth > 0 && g.slips(12) || depth > 4:
		return g.junk()
	case len(schema.AnyOf) > 0:
		return g.value(pick(g, schema.AnyOf).Value, depth)
	case len(schema.Enum) > 0:
		if n, ok := schema.Enum[0].(float64); ok {
			return strconv.Itoa(int(n) + g.IntN(len(schema.Enum)))
		}
		return `"` + pick(g, schema.Enum).(string) + `"`
	case schema.Type == nil || len(*schema.Type) == 0:
		return g.junk()
	}
	switch pick(g, *schema.Type) {
	case "object":
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			if required := slices.Contains(schema.Required, name); required && !g.slips(20) || !required && g.oneIn(2) {
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
	return pick(g, []string{`"a"`, `"A"`, `"ж,b"`, `"` + g.next() + `"`, `" Straße "`, `"1"`, `"0"`, `"true"`, `""`, `"\u2028\"<&>"`})
}

// field makes up the value of a field. What its schema says is not enough for some
// to succeed at times.
func (g *generator) field(name string, schema *openapi3.Schema, depth int) string {
	switch {
	case g.slips(15):
		return g.junk()
	case name == "url":
		return `"https://` + pick(g, []string{"go.dev", g.next() + ".example"}) + `/"`
	case name == "link_id" && !g.oneIn(4):
		return g.recent["links"]
	case name == "model" || name == "type":
		if len(schema.Enum) == 0 {
			return pick(g, []string{`"links"`, `"lists"`, `"tags"`, `"notes"`, "null"})
		}
	}
	return g.value(schema, depth+1)
}

// junk fits nothing.
func (g *generator) junk() string {
	return pick(g, []string{
		`null`, `true`, `false`, `0`, `-1`, `1.5`, `1e400`, `9223372036854775808`, `""`, `" "`, `"x"`, `"\u0000"`, `"\ud800"`, `[]`, `{}`, `[[]]`, `[null]`, `{"id":1}`, `[{"name":"n"}]`,
		`"' OR 1=1 --"`, `"%_*\\\""`, `"javascript:x"`, `"` + strings.Repeat("long ", 300) + `"`, `"😀\u202e"`, `[1,"2",{"id":"3"},[4]]`, `99999999999999999999`, `"-5"`, `"ASC"`,
	})
}
