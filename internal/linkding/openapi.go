package linkding

import (
	_ "embed"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

//go:embed openapi.yaml
var openapi []byte

// documentPath is the path of the OpenAPI document. linkding has none.
const documentPath = "/api/linkding/openapi.yaml"

// document sends the OpenAPI document of this API.
func (a *API) document(w http.ResponseWriter, _ *http.Request, _ waymark.User) error {
	httpx.WriteBody(w, http.StatusOK, "application/yaml", openapi)
	return nil
}
