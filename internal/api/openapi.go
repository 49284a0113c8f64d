package api

import (
	"bytes"
	"embed"
	"fmt"
)

// openapi has the OpenAPI documents of both versions. They are made from openapi.yaml.
//
//go:generate go test -run TestOpenAPIDocumentsAreUpToDate . -update
//go:embed openapi.v1.json openapi.v2.json
var openapi embed.FS

// newDocument returns the OpenAPI document of one version as JSON. The path base is the
// prefix of all public URLs of the server, or "".
func newDocument(version, base string) []byte {
	document, err := openapi.ReadFile("openapi." + version + ".json")
	if err != nil {
		panic(fmt.Sprintf("embedded files: %v", err))
	}
	server := func(base string) []byte { return []byte(`"servers":[{"url":"` + base + "/api/" + version + `"`) }
	return bytes.Replace(document, server(""), server(base), 1)
}
