package httpx

import (
	"bytes"
	"encoding/json"
)

// EncodeJSON appends the JSON of value to b. It does not escape <, > and &: neither LinkAce nor linkding
// does.
func EncodeJSON(b *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n")) // which Encode adds
	return nil
}
