package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// FuzzJSONParts compares the parts of JSON with those that encoding/json returns.
func FuzzJSONParts(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, ` [ ] `, `[1,"a" , null,true ,{"b":[1,{}]},"\\\"]}",-1.5e+3]`, "{\"a\":1,\"a\" : \"}\\\"\" ,\n\"\\u0062\\ud800\":[[]]}", `"x"`, `1`, `null`, `{"":{"":""}}`, "[[1]\t,\r2]",
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), `{"a":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + "}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var object map[string]json.RawMessage
		var array []json.RawMessage
		raw := json.RawMessage(text)
		raw = bytes.TrimLeft(raw, " \t\r\n")
		switch {
		case !json.Valid(raw):
			return
		case json.Unmarshal(raw, &object) == nil && object != nil:
			got := maps.Collect(members(raw))
			if !maps.EqualFunc(got, object, slices.Equal) {
				t.Errorf("%q: got members %q, want %q", text, got, object)
			}
		case json.Unmarshal(raw, &array) == nil:
			if got := slices.Collect(elements(raw)); !slices.EqualFunc(got, array, slices.Equal) {
				t.Errorf("%q: got elements %q, want %q", text, got, array)
			}
		default:
			if got := slices.Collect(elements(raw)); got != nil {
				t.Errorf("%q: got elements %q, want none", text, got)
			}
		}
	})
}
