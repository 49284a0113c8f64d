package linkace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// validating returns a transport that holds every call under /api/v1 and /api/v2
// against the document of that version, and fails t where the two differ:
//
//   - the answer has to be declared, with its headers and the shape of its body;
//   - where the answer is a success, the request has to be declared as well, since
//     the document would otherwise refuse what the server takes;
//   - what the document does not have has to be answered with 404 or 405.
//
// It reads whole answers into memory, and it does not look at request bodies that
// can be read only once. It may be used by many goroutines.
func validating(t testing.TB, base http.RoundTripper) http.RoundTripper {
	return &validator{t: t, base: base}
}

type validator struct {
	t    testing.TB
	base http.RoundTripper
}

// RoundTrip makes the call, unchanged, and looks at it afterwards.
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
	body, cut := io.ReadAll(resp.Body)
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{cut}))
	if cut != nil {
		return resp, nil //nolint:nilerr // broken off on the way: that is for the test to judge
	}
	if err := doc.check(r, path, resp, body); err != nil {
		v.t.Errorf("%s %s: %v\nanswer: %d %.2000s", r.Method, r.URL, err, resp.StatusCode, body)
	}
	return resp, nil
}

// failing is a reader that ends with err, or in peace where err is nil.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// declaredUnder returns the document for a request and the path that it has there.
func declaredUnder(r *http.Request) (doc *declared, path string, ok bool) {
	for version, load := range declarations {
		if path, ok := strings.CutPrefix(r.URL.Path, "/api/"+version+"/"); ok {
			return load(), "/" + strings.TrimSuffix(path, "/"), true
		}
	}
	return nil, "", false
}

// check returns what is wrong with a call.
func (d *declared) check(r *http.Request, path string, resp *http.Response, body []byte) error {
	o := d.find(r.Method, path)
	if o == nil {
		return d.checkUndeclared(r, resp, body)
	}
	a, ok := o.answers[resp.StatusCode]
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

// checkUndeclared checks the answer to a path or method that the document lacks.
func (d *declared) checkUndeclared(r *http.Request, resp *http.Response, body []byte) error {
	switch resp.StatusCode {
	case http.StatusNotFound:
	case http.StatusMethodNotAllowed:
		if resp.Header.Get("Allow") == "" {
			return errors.New("the Allow header is missing")
		}
	default:
		return errors.New("the method or path is not declared")
	}
	return declaredAnswer{body: d.problem}.check(r, resp, body)
}

// check checks the headers and the body of an answer.
func (a declaredAnswer) check(r *http.Request, resp *http.Response, body []byte) error {
	for name, h := range a.headers {
		value := resp.Header.Get(name)
		if value == "" && !h.required {
			continue
		}
		if err := fits(h.schema, value); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	if media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return fmt.Errorf("header Content-Type is %q", resp.Header.Get("Content-Type"))
	}
	if r.Method == http.MethodHead {
		return nil
	}
	if !utf8.Valid(body) {
		return errors.New("the answer is not valid UTF-8")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return a.body.Validate(value)
}

// checkRequest checks the parameters and the body of a request that succeeded.
func (o *declaredOperation) checkRequest(r *http.Request, path string) error {
	query := r.URL.Query()
	segments := strings.Split(path, "/")
	for _, p := range o.parameters {
		value, sent := query.Get(p.name), query.Has(p.name)
		if p.segment >= 0 {
			value, sent = segments[p.segment], true
		}
		if !sent || p.anyValue {
			continue
		}
		if err := fits(p.schema, strings.TrimSpace(value)); err != nil {
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
	if err := o.body.Validate(value); err != nil {
		return fmt.Errorf("request body: %w", err)
	}
	return nil
}

// requestBody reads a second copy of a request's body.
func requestBody(r *http.Request) (any, error) {
	var text []byte
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		defer body.Close() //nolint:errcheck // it has been read
		if text, err = io.ReadAll(body); err != nil {
			return nil, err
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return trimmed(value), err
}

// trimmed trims all texts in JSON, as the document says that the server does.
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

// fits checks a text from outside of JSON: it has to fit as a string, or as the
// number or boolean that it spells.
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
