package linkding

import (
	"net/http"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// The media types of bodies.
const (
	jsonType      = httpx.JSONType
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// writeNothing writes a response with status 204.
func writeNothing(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// timeText returns a time as linkding writes it: in UTC, with six decimals, or none if they are zero.
func timeText(t waymark.Time) string {
	return strings.Replace(t.String(), ".000000Z", "Z", 1)
}

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
