package linkding

import (
	"bytes"
	"net/http"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// The media types of bodies.
const (
	jsonType      = "application/json"
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// writeJSON writes a response with value as JSON.
func writeJSON(w http.ResponseWriter, status int, value any) error {
	var b bytes.Buffer
	if err := httpx.EncodeJSON(&b, value); err != nil {
		return err
	}
	httpx.WriteBody(w, status, jsonType, b.Bytes())
	return nil
}

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
