package linkding

import (
	"net/http"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// describedField describes a field of a request or response in the response to OPTIONS.
type describedField struct {
	name      string
	Type      string            `json:"type"`
	Required  bool              `json:"required"`
	ReadOnly  bool              `json:"read_only"`
	Label     string            `json:"label,omitempty"`
	MaxLength int               `json:"max_length,omitempty"`
	Child     *describedField   `json:"child,omitempty"`
	Choices   []describedChoice `json:"choices,omitempty"`
}

// describedChoice is a value that a field can have.
type describedChoice struct {
	Value string `json:"value"`
	Name  string `json:"display_name"`
}

// describedFields are the fields of an entity, in linkding's order.
type describedFields []describedField

// object returns the fields with their labels by their names.
func (fields describedFields) object() (o httpx.Object) {
	for _, f := range fields {
		if f.Label = strings.ToUpper(f.name[:1]) + strings.ReplaceAll(f.name[1:], "_", " "); f.name == "id" {
			f.Label = "ID"
		}
		o = append(o, httpx.Member{Name: f.name, Value: f})
	}
	return o
}

var (
	bookmarkFields = describedFields{
		{name: "id", Type: "integer", ReadOnly: true},
		{name: "url", Type: "string", Required: true, MaxLength: maxURL},
		{name: "title", Type: "string", MaxLength: maxTitle},
		{name: "description", Type: "string"},
		{name: "notes", Type: "string"},
		{name: "web_archive_snapshot_url", Type: "field", ReadOnly: true},
		{name: "favicon_url", Type: "field", ReadOnly: true},
		{name: "preview_image_url", Type: "field", ReadOnly: true},
		{name: "is_archived", Type: "boolean"},
		{name: "unread", Type: "boolean"},
		{name: "shared", Type: "boolean"},
		{name: "tag_names", Type: "list", Child: &describedField{Type: "string", Required: true}},
		{name: "date_added", Type: "datetime"},
		{name: "date_modified", Type: "datetime"},
		{name: "website_title", Type: "field", ReadOnly: true},
		{name: "website_description", Type: "field", ReadOnly: true},
	}
	tagFields = describedFields{
		{name: "id", Type: "integer", ReadOnly: true},
		{name: "name", Type: "string", Required: true, MaxLength: maxTagName},
		{name: "date_added", Type: "datetime", ReadOnly: true},
	}
	bundleFields = describedFields{
		{name: "id", Type: "integer", ReadOnly: true},
		{name: "name", Type: "string", Required: true, MaxLength: waymark.MaxBundleName},
		{name: "search", Type: "string", MaxLength: waymark.MaxBundleName},
		{name: "any_tags", Type: "string", MaxLength: waymark.MaxBundleTags},
		{name: "all_tags", Type: "string", MaxLength: waymark.MaxBundleTags},
		{name: "excluded_tags", Type: "string", MaxLength: waymark.MaxBundleTags},
		{name: "filter_unread", Type: "choice", Choices: []describedChoice{{"off", "All"}, {"yes", "Unread"}, {"no", "Read"}}},
		{name: "filter_shared", Type: "choice", Choices: []describedChoice{{"off", "All"}, {"yes", "Shared"}, {"no", "Unshared"}}},
		{name: "order", Type: "integer"},
		{name: "date_created", Type: "datetime", ReadOnly: true},
		{name: "date_modified", Type: "datetime", ReadOnly: true},
	}
	assetFields = describedFields{
		{name: "id", Type: "integer", ReadOnly: true},
		{name: "bookmark", Type: "field", Required: true},
		{name: "date_created", Type: "datetime", ReadOnly: true},
		{name: "file_size", Type: "integer"},
		{name: "asset_type", Type: "string", Required: true, MaxLength: 64},
		{name: "content_type", Type: "string", Required: true, MaxLength: 128},
		{name: "display_name", Type: "string", MaxLength: 2048},
		{name: "status", Type: "string", Required: true, MaxLength: 64},
	}
)

// fieldsOf returns the fields that linkding describes for a path.
func fieldsOf(path string) describedFields {
	switch {
	case strings.HasSuffix(path, "/upload"):
		return assetFields
	case strings.HasPrefix(path, "/api/tags"):
		return tagFields
	case strings.HasPrefix(path, "/api/bundles"):
		return bundleFields
	}
	return bookmarkFields
}

// options returns the handler that describes what a path accepts by the methods POST and PUT.
func options(path string, routes []route) handler {
	description := struct {
		Name        string                  `json:"name"`
		Description string                  `json:"description"`
		Renders     []string                `json:"renders"`
		Parses      []string                `json:"parses"`
		Actions     map[string]httpx.Object `json:"actions,omitempty"`
	}{nameOf(path), "", []string{jsonType}, []string{jsonType, formType, multipartType}, map[string]httpx.Object{}}
	for _, r := range routes {
		if r.method == http.MethodPost || r.method == http.MethodPut {
			description.Actions[r.method] = fieldsOf(path).object()
		}
	}
	return func(_ *API, w http.ResponseWriter, _ *http.Request, _ waymark.User) error {
		return httpx.WriteJSON(w, http.StatusOK, description)
	}
}
