package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"waymark/internal/httpx"
)

// validating returns a transport that compares every call under /api/v1 and /api/v2 with
// the document of that version, and fails t if they differ:
//
//   - the response must be declared, with its headers and the schema of its body;
//   - if the response is a success, the request must be declared, too: otherwise the
//     document would reject a request that the server accepts;
//   - the response to an undeclared request must be 404 or 405.
//
// It reads whole responses into memory, and it ignores request bodies that can be read only
// once. It is safe for concurrent use.
func validating(t testing.TB, base http.RoundTripper) http.RoundTripper {
	return &validator{t: t, base: base}
}

type validator struct {
	t    testing.TB
	base http.RoundTripper
}

// RoundTrip makes the call and validates it.
func (v *validator) RoundTrip(r *http.Request) (*http.Response, error) {
	v.t.Helper()
	resp, err := v.base.RoundTrip(r)
	if err != nil || r.Method == http.MethodOptions {
		return resp, err
	}
	doc, path, ok := declaredUnder(r)
	if !ok {
		return resp, nil
	}
	body, readErr := io.ReadAll(resp.Body)
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{readErr}))
	if readErr != nil {
		return resp, nil //nolint:nilerr // the test decides whether an aborted response is an error
	}
	if err := doc.check(r, path, resp, body); err != nil {
		v.t.Errorf("%s %s: %v\nresponse: %d %.2000s", r.Method, r.URL, err, resp.StatusCode, body)
	}
	return resp, nil
}

func followNone(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// failing is an empty reader that returns err, or io.EOF if err is nil.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// declaredUnder returns the document for a request, and the path of the request in it.
func declaredUnder(r *http.Request) (doc *declared, path string, ok bool) {
	for version, load := range declarations {
		if path, ok := strings.CutPrefix(r.URL.Path, "/api/"+version+"/"); ok {
			return load(), "/" + strings.TrimSuffix(path, "/"), true
		}
	}
	return nil, "", false
}

// check returns an error if a call does not match the document.
func (d *declared) check(r *http.Request, path string, resp *http.Response, body []byte) error {
	o := d.find(r.Method, path)
	if o == nil {
		return d.checkUndeclared(r, resp, body)
	}
	a, ok := o.responses[resp.StatusCode]
	if !ok {
		return fmt.Errorf("the status is not declared for %s", o.name)
	}
	if err := a.check(r, resp, body); err != nil {
		return err
	}
	if resp.StatusCode/100 == 2 {
		return o.checkRequest(r, path)
	}
	return nil
}

// checkUndeclared checks the response to an undeclared path or method.
func (d *declared) checkUndeclared(r *http.Request, resp *http.Response, body []byte) error {
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusTooManyRequests:
	case http.StatusMethodNotAllowed:
		if resp.Header.Get("Allow") == "" {
			return errors.New("the Allow header is missing")
		}
	default:
		return errors.New("the method or path is not declared")
	}
	return declaredResponse{body: d.problem}.check(r, resp, body)
}

// check checks the headers and the body of a response.
func (a declaredResponse) check(r *http.Request, resp *http.Response, body []byte) error {
	for name, h := range a.headers {
		value := resp.Header.Get(name)
		if value == "" && !h.required {
			continue
		}
		if err := fits(h.schema, value); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if slices.Contains(a.others, media) {
		return err
	}
	if err != nil || media != "application/json" {
		return fmt.Errorf("header Content-Type is %q", resp.Header.Get("Content-Type"))
	}
	if r.Method == http.MethodHead {
		return nil
	}
	if !utf8.Valid(body) {
		return errors.New("the response is not valid UTF-8")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("response: %w", err)
	}
	return a.body.Validate(value)
}

// checkRequest checks the parameters and the body of a request that succeeded.
func (o *declaredOperation) checkRequest(r *http.Request, path string) error {
	query := httpx.ParseQuery(r.URL.RawQuery)
	segments := strings.Split(path, "/")
	for _, p := range o.parameters {
		value, sent := query.Get(p.name), query.Has(p.name)
		if p.segment >= 0 {
			value, sent = segments[p.segment], true
		}
		value = strings.TrimSpace(value)
		if !sent || p.anyValue || value == "" && p.segment < 0 { // an empty one counts as not sent
			continue
		}
		if err := fits(p.schema, value); err != nil {
			return fmt.Errorf("parameter %s: %w", p.name, err)
		}
	}
	if o.body == nil || r.Body != nil && r.GetBody == nil {
		return nil
	}
	value, err := requestBody(r)
	if err != nil {
		return fmt.Errorf("request body: %w", err)
	}
	if err := o.body.Validate(value); err != nil && o.body.Validate(withoutNulls(value)) != nil {
		return fmt.Errorf("request body: %w", err)
	}
	return nil
}

// withoutNulls returns an object without the fields that are null or empty, which the server
// takes for omitted ones.
func withoutNulls(value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	sent := maps.Clone(object)
	maps.DeleteFunc(sent, func(_ string, field any) bool { return field == nil || field == "" })
	return sent
}

// requestBody returns the body of a request from its GetBody.
func requestBody(r *http.Request) (any, error) {
	var text []byte
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		defer body.Close() //nolint:errcheck // it was only read
		if text, err = io.ReadAll(body); err != nil {
			return nil, err
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, text) != nil || compact.String() == "null" || compact.String() == "[]" {
		text = []byte("{}") // the server accepts an empty body and these as an empty object
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return trimmed(value), err
}

// trimmed trims all strings in JSON, as the server does.
func trimmed(value any) any {
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value)
	case []any:
		for i, element := range value {
			value[i] = trimmed(element)
		}
	case map[string]any:
		for key, element := range value {
			value[key] = trimmed(element)
		}
	}
	return value
}

// fits checks a value from a path, a query or a header: it must match the schema as a
// string, or as the number or boolean that it contains.
func fits(schema *jsonschema.Schema, text string) error {
	err := schema.Validate(text)
	if err == nil {
		return nil
	}
	if _, numErr := strconv.ParseFloat(text, 64); numErr == nil {
		return schema.Validate(json.Number(text))
	}
	if b, boolErr := strconv.ParseBool(text); boolErr == nil {
		return schema.Validate(b)
	}
	return err
}
