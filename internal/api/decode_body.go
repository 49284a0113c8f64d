package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"waymark/internal/config"
	"waymark/internal/httpx"
)

// jsonBody is the JSON object in the body of a request, or one model of a bulk request.
// Its fields are decoded one by one, so that one response reports all errors: a field that
// cannot be decoded adds an error and counts as missing. All fields of a body that cannot be
// read count as missing.
type jsonBody struct {
	fields    map[string]json.RawMessage
	limits    *config.API
	prefix    string // prefix of the paths of its fields, such as "models.0."
	refCount  int    // the number of references to lists and tags that were decoded
	errors    fieldErrors
	malformed error // set if the body could not be read or parsed
}

// errIncomplete means that the client sent less than the whole body, or took too long.
var errIncomplete = statusError{http.StatusBadRequest, "The body could not be read to its end."}

// err returns the errors in the part of the body that was decoded.
func (b *jsonBody) err() error {
	if b.malformed != nil {
		return b.malformed
	}
	return b.errors.err()
}

// fail adds an error about a field.
func (b *jsonBody) fail(field, format string, args ...any) {
	b.errors.add(b.prefix+field, format, args...)
}

// readBody reads and parses the body of a request, up to limit. An empty body, null, and an
// empty array, which is how PHP encodes an array without keys, are an empty object. For
// DELETE requests, fields that are missing in the body are looked up in the query, because
// some HTTP clients drop the body.
func (a *API) readBody(w http.ResponseWriter, r *http.Request, limit config.Size) *jsonBody {
	b := &jsonBody{limits: &a.Settings}
	b.fields, b.malformed = readObject(w, r, limit)
	if b.malformed == nil && r.Method == http.MethodDelete {
		b.addQuery(r)
	}
	return b
}

func readObject(w http.ResponseWriter, r *http.Request, limit config.Size) (map[string]json.RawMessage, error) {
	body, err := httpx.ReadBody(w, r, int64(limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge), errors.Is(err, httpx.ErrNoMemory):
		return nil, err
	case err != nil:
		return nil, errIncomplete
	case len(bytes.TrimSpace(bytes.TrimPrefix(body, byteOrderMark))) == 0:
		return nil, nil
	}
	if err := checkType(r); err != nil {
		return nil, err
	}
	return parseObject(body)
}

// checkType returns an error if the body is declared as compressed, or as another type than JSON.
func checkType(r *http.Request) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return statusError{http.StatusUnsupportedMediaType, "The body must not be compressed: Content-Encoding is " + excerpt(coding) + "."}
	}
	declared := r.Header.Get("Content-Type")
	media, _, _ := strings.Cut(strings.ToLower(declared), ";")
	media = strings.TrimSpace(media)
	if media == "" || media == "application/json" || strings.HasSuffix(media, "+json") {
		return nil
	}
	return statusError{http.StatusUnsupportedMediaType, "The body must be application/json, not " + excerpt(declared) + "."}
}

// byteOrderMark at the beginning of a body is ignored, as RFC 8259, section 8.1, permits.
var byteOrderMark = []byte("\ufeff")

func parseObject(body []byte) (map[string]json.RawMessage, error) {
	malformed := func(format string, args ...any) error {
		return statusError{http.StatusBadRequest, "The body is malformed: " + fmt.Sprintf(format, args...) + "."}
	}
	whole := len(body)
	body = bytes.TrimPrefix(body, byteOrderMark)
	begin := whole - len(body)
	if at := invalidUTF8(body); at >= 0 {
		return nil, malformed("invalid UTF-8 at byte %d", begin+at+1)
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(body, new(ignored)); errors.As(err, &syntax) {
		return nil, malformed("%s at byte %d", syntax, int64(begin)+syntax.Offset)
	}
	body = bytes.TrimSpace(body)
	switch {
	case body[0] == '{':
		if fields, ok := objectFields(body); ok {
			return fields, nil
		}
		return nil, malformed("more than %d fields", maxFields)
	case isEmptyArray(body) || string(body) == "null":
		return nil, nil
	}
	return nil, malformed("it must be a JSON object")
}

// maxFields is the maximum number of fields of an object. A body with millions of them would need ten
// times its size in memory. No operation has more than twenty.
const maxFields = 1000

// objectFields returns the fields of a JSON object. ok is false if there are more than maxFields.
func objectFields(object json.RawMessage) (fields map[string]json.RawMessage, ok bool) {
	fields = map[string]json.RawMessage{}
	for name, value := range members(object) {
		if fields[name] = value; len(fields) > maxFields {
			return nil, false
		}
	}
	return fields, true
}

// ignored is a JSON value that is checked but not decoded.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }

// isEmptyArray reports whether JSON is an array without elements.
func isEmptyArray(body []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(body), []byte{'['})
	return ok && string(bytes.TrimSpace(rest)) == "]"
}

// invalidUTF8 returns the offset of the first invalid byte, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for at := 0; at < len(b); {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// addQuery copies missing fields from the query: model and type, and the models in the
// form models=1,2 or models=[1,2] or models[]=1&models[]=2.
func (b *jsonBody) addQuery(r *http.Request) {
	query := httpx.ParseQuery(r.URL.RawQuery)
	if b.fields == nil {
		b.fields = map[string]json.RawMessage{}
	}
	for _, name := range []string{"model", "type"} {
		if b.empty(name) && query.Has(name) {
			b.fields[name] = jsonText(query.Get(name))
		}
	}
	if !b.empty("models") {
		return
	}
	models := strings.Join(arrayValues(query, "models"), ",")
	if strings.HasPrefix(models, "[") && json.Valid([]byte(models)) {
		b.fields["models"] = json.RawMessage(models)
		return
	}
	var ids [][]byte
	for id := range strings.SplitSeq(models, ",") {
		if id = strings.TrimSpace(id); id != "" {
			ids = append(ids, jsonText(id))
		}
	}
	if len(ids) > 0 {
		b.fields["models"] = slices.Concat([]byte{'['}, bytes.Join(ids, []byte{','}), []byte{']'})
	}
}

// excerpt shortens a value that a client sent, for use in an error message.
func excerpt(s string) string {
	const maxLength = 60
	if utf8.RuneCountInString(s) <= maxLength {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return string([]rune(s)[:maxLength]) + "…"
}

func jsonText(s string) json.RawMessage {
	text, _ := json.Marshal(s) // texts can always be encoded
	return text
}
