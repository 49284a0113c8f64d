package linkding

import (
	"bytes"
	"encoding/json"
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

// encodeJSON appends the JSON of value to b. It does not escape <, > and &.
func encodeJSON(b *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n")) // which Encode adds
	return nil
}

// writeJSON writes a response with value as JSON.
func writeJSON(w http.ResponseWriter, status int, value any) error {
	var b bytes.Buffer
	if err := encodeJSON(&b, value); err != nil {
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
