package api

import (
	"encoding/json"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// writeJSON is httpx.WriteJSON with <, > and & escaped, for operations that LinkAce does not have. Like the other
// functions that end an operation, it only returns the error of the operation if there is one.
func writeJSON(w http.ResponseWriter, value any, err error) error {
	if err != nil {
		return err
	}
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	httpx.WriteBody(w, http.StatusOK, httpx.JSONType, body)
	return nil
}

// writeEmpty writes the response of an operation without a result.
func writeEmpty(w http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	httpx.WriteBody(w, http.StatusOK, httpx.JSONType, []byte("{}"))
	return nil
}

// timesJSON are the times in the JSON of every entity.
type timesJSON struct {
	CreatedAt *string `json:"created_at"`
	UpdatedAt *string `json:"updated_at"`
	DeletedAt *string `json:"deleted_at"`
}

func newTimesJSON(created, updated, deleted waymark.Time) timesJSON {
	return timesJSON{optionalTime(created), optionalTime(updated), optionalTime(deleted)}
}

// visibilityJSON is the visibility in the JSON of every entity.
type visibilityJSON struct {
	Visibility waymark.Visibility `json:"visibility"`
	IsPrivate  bool               `json:"is_private"`
}

func newVisibilityJSON(v waymark.Visibility) visibilityJSON {
	return visibilityJSON{v, v == waymark.Private}
}

// optional returns nil for the zero value.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

func optionalTime(t waymark.Time) *string {
	if t == 0 {
		return nil
	}
	return optional(t.String())
}

// pivotJSON says that a list or tag is one of a link. LinkAce names it so.
type pivotJSON struct {
	LinkID waymark.LinkID `json:"link_id"`
	ListID waymark.ListID `json:"list_id,omitempty"`
	TagID  waymark.TagID  `json:"tag_id,omitempty"`
}
