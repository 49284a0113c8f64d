package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// response is the response to a call.
type response struct {
	call   string
	status int
	header http.Header
	body   string
}

// ok stops the test unless the call succeeded.
func (a response) ok(t testing.TB) response {
	t.Helper()
	return a.wantStatus(t, http.StatusOK)
}

// wantStatus stops the test unless the response has that status.
func (a response) wantStatus(t testing.TB, status int) response {
	t.Helper()
	if a.status != status {
		t.Fatalf("%s: got %d, want %d\n%.2000s", a.call, a.status, status, a.body)
	}
	return a
}

// value returns a part of the response as JSON. A path is "data.0.title", or "data.*.title"
// for an array with the titles of all. Several paths, separated by spaces, return an array.
func (a response) value(t testing.TB, paths string) string {
	t.Helper()
	value := parseJSON(t, a.body)
	var found []any
	for path := range strings.FieldsSeq(paths) {
		part, ok := lookUp(value, strings.Split(path, "."))
		if !ok {
			t.Fatalf("%s: the response has no %s\n%.2000s", a.call, path, a.body)
		}
		found = append(found, part)
	}
	if len(found) == 1 {
		return jsonOf(t, found[0])
	}
	return jsonOf(t, found)
}

// id returns the id of the entity in the response.
func (a response) id(t testing.TB) string {
	t.Helper()
	return a.ok(t).value(t, "id")
}

func lookUp(value any, path []string) (any, bool) {
	if len(path) == 0 {
		return value, true
	}
	switch value := value.(type) {
	case map[string]any:
		part, ok := value[path[0]]
		if !ok {
			return nil, false
		}
		return lookUp(part, path[1:])
	case []any:
		if path[0] == "*" {
			parts := []any{}
			for _, element := range value {
				part, ok := lookUp(element, path[1:])
				if !ok {
					return nil, false
				}
				parts = append(parts, part)
			}
			return parts, true
		}
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(value) {
			return lookUp(value[i], path[1:])
		}
	}
	return nil, false
}

// jsonOf returns the JSON of a value without HTML escapes.
func jsonOf(t testing.TB, value any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	check(t, encoder.Encode(value))
	return strings.TrimSpace(b.String())
}

// wantValue fails the test unless the parts of the response equal want.
func (a response) wantValue(t testing.TB, paths, want string) {
	t.Helper()
	if got := a.value(t, paths); got != want {
		t.Errorf("%s: %s is\n  %s, want\n  %s", a.call, paths, got, want)
	}
}

// wantError fails the test unless the response is an error with that status and message.
func (a response) wantError(t testing.TB, status int, message string) response {
	t.Helper()
	if a.status != status {
		t.Errorf("%s: got %d, want %d\n%.2000s", a.call, a.status, status, a.body)
	} else {
		a.wantValue(t, "message", jsonOf(t, message))
	}
	return a
}

// wantFieldErrors fails the test unless the response has status 422 and exactly the wanted
// errors, in the form "url: The url field is required.", the first of them in the message.
func (a response) wantFieldErrors(t testing.TB, want ...string) {
	t.Helper()
	if a.status != http.StatusUnprocessableEntity {
		t.Errorf("%s: got %d, want 422\n%.2000s", a.call, a.status, a.body)
		return
	}
	var invalid struct {
		Message string
		Errors  map[string][]string
	}
	if err := json.Unmarshal([]byte(a.body), &invalid); err != nil {
		t.Fatalf("%s: %v\n%s", a.call, err, a.body)
	}
	var got []string
	for field, sentences := range invalid.Errors {
		for _, sentence := range sentences {
			got = append(got, field+": "+sentence)
		}
	}
	slices.Sort(got)
	sorted := slices.Sorted(slices.Values(want))
	if !slices.Equal(got, sorted) {
		t.Errorf("%s: got\n  %s\nwant\n  %s", a.call, strings.Join(got, "\n  "), strings.Join(sorted, "\n  "))
		return
	}
	_, first, _ := strings.Cut(want[0], ": ")
	message := first
	switch more := len(want) - 1; {
	case more == 1:
		message += " (and 1 more error)"
	case more > 1:
		message += " (and " + strconv.Itoa(more) + " more errors)"
	}
	if invalid.Message != message {
		t.Errorf("%s: got message %q, want %q", a.call, invalid.Message, message)
	}
}

// parseJSON returns the Go value of JSON.
func parseJSON(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v\n%.2000s", err, text)
	}
	return value
}

func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	return jsonOf(t, parseJSON(t, a)) == jsonOf(t, parseJSON(t, b))
}
