package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the OpenAPI documents")

// go generate runs this test with -update.
func TestOpenAPIDocumentsAreUpToDate(t *testing.T) {
	source, err := os.ReadFile("openapi.yaml")
	check(t, err)
	var root yaml.Node
	check(t, yaml.Unmarshal(source, &root))
	for _, version := range []string{v1, v2} {
		want, file := publisher{version}.node(nil, &root), "openapi."+version+".json"
		if *update {
			check(t, os.WriteFile(file, want, 0o600))
			continue
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not that of openapi.yaml: run go generate ./internal/api (error %v)", file, err)
		}
	}
}

// publisher converts openapi.yaml, which is written for v2, to the JSON of one version. It
// keeps the order of the keys, because the page shows them in this order.
type publisher struct{ version string }

// node appends the JSON of n.
func (p publisher) node(b []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.DocumentNode:
		return p.node(b, n.Content[0])
	case yaml.AliasNode:
		return p.node(b, n.Alias)
	case yaml.MappingNode:
		return p.mapping(b, n)
	case yaml.SequenceNode:
		return p.sequence(b, n)
	default:
		return p.scalar(b, n)
	}
}

func (p publisher) mapping(b []byte, n *yaml.Node) []byte {
	b = append(b, '{')
	first := true
	for _, pair := range mergedPairs(n) {
		if p.skip(pair.key) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(p.text(b, pair.key), ':')
		b = p.node(b, pair.value)
	}
	return append(b, '}')
}

func (p publisher) sequence(b []byte, n *yaml.Node) []byte {
	b = append(b, '[')
	first := true
	for _, item := range n.Content {
		// Skip the whole security requirement: {} would mean that no API key is needed.
		if item.Kind == yaml.MappingNode && len(item.Content) == 2 && p.skip(item.Content[0].Value) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = p.node(b, item)
	}
	return append(b, ']')
}

func (p publisher) scalar(b []byte, n *yaml.Node) []byte {
	switch {
	case n.Tag != "!!str": // numbers, booleans and null have the same form in JSON
		return append(b, n.Value...)
	case n.Value == v2:
		return p.text(b, p.version)
	default:
		return p.text(b, strings.ReplaceAll(n.Value, "/api/"+v2, "/api/"+p.version))
	}
}

// text appends s as a JSON string.
func (p publisher) text(b []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // strings can always be encoded
	return append(b, quoted...)
}

// skip reports whether a key is left out: parts that other mappings merge, and, except in
// v1, the API key in the query.
func (p publisher) skip(key string) bool {
	return strings.HasPrefix(key, "x-shared") || key == "api_token_query" && p.version != v1
}

type yamlPair struct {
	key   string
	value *yaml.Node
}

// mergedPairs returns the keys and values of a mapping and of its merge keys ("<<"). The mapping's
// own keys take precedence, then earlier merges.
func mergedPairs(n *yaml.Node) []yamlPair {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		seen[n.Content[i].Value] = true
	}
	var pairs []yamlPair
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag != "!!merge" {
			pairs = append(pairs, yamlPair{key.Value, value})
			continue
		}
		sources := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			sources = value.Content
		}
		for _, source := range sources {
			for _, merged := range mergedPairs(source) {
				if !seen[merged.key] {
					seen[merged.key] = true
					pairs = append(pairs, merged)
				}
			}
		}
	}
	return pairs
}
