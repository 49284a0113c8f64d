package linkace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// jsonBody is the JSON object of a request, read leniently field by field. What cannot
// be read is noted, so that one answer names every mistake.
type jsonBody struct {
	fields   map[string]json.RawMessage
	limits   *config.API
	problems waymark.ValidationError
}

// readForm reads the body of a request as far as limit. An empty one is an empty
// form. A DELETE looks in the query for what its body lacks, since some programs
// drop such bodies.
func (a *API) readForm(w http.ResponseWriter, r *http.Request, limit config.Size) (*jsonBody, error) {
	body, err := httpx.ReadBody(w, r, int64(limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, problem{http.StatusRequestEntityTooLarge, fmt.Sprintf("The body must not be larger than %d bytes.", limit)}
	case err != nil:
		return nil, problem{http.StatusBadRequest, "The body could not be read to its end."}
	}
	f := &jsonBody{limits: &a.settings}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := checkType(r); err != nil {
			return nil, err
		}
		if f, err = parseForm(body, &a.settings); err != nil {
			return nil, err
		}
	}
	if r.Method == http.MethodDelete {
		f.addQuery(r)
	}
	return f, nil
}

// checkType refuses a body that says it is something other than JSON.
func checkType(r *http.Request) error {
	declared := r.Header.Get("Content-Type")
	media, _, _ := strings.Cut(strings.ToLower(declared), ";")
	media = strings.TrimSpace(media)
	if media == "" || media == "application/json" || strings.HasSuffix(media, "+json") {
		return nil
	}
	return problem{http.StatusUnsupportedMediaType, "The body must be application/json, not " + excerpt(declared) + "."}
}

// parseForm parses a JSON object.
func parseForm(body []byte, limits *config.API) (*jsonBody, error) {
	malformed := func(format string, args ...any) error {
		return problem{http.StatusBadRequest, "The body is malformed: " + fmt.Sprintf(format, args...) + "."}
	}
	if at := invalidUTF8(body); at >= 0 {
		return nil, malformed("invalid UTF-8 at byte %d", at+1)
	}
	if at := tooDeep(body, limits.JSONDepth); at >= 0 {
		return nil, malformed("nested deeper than %d levels at byte %d", limits.JSONDepth, at+1)
	}
	f := &jsonBody{limits: limits}
	err := json.Unmarshal(body, &f.fields)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, malformed("%s at byte %d", syntax, syntax.Offset)
	case err != nil || f.fields == nil:
		return nil, malformed("it must be a JSON object")
	}
	return f, nil
}

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

// tooDeep returns where JSON opens more than limit levels of arrays and objects, or
// -1. It looks at nothing else, so that it works on malformed text too.
func tooDeep(b []byte, limit int) int {
	depth, inText := 0, false
	for at := 0; at < len(b); at++ {
		switch c := b[at]; {
		case inText && c == '\\':
			at++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{', c == '[':
			if depth++; depth > limit {
				return at
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return -1
}

// addQuery takes from the query what the form lacks: texts, and the models as
// models=1,2 or as models[]=1&models[]=2.
func (f *jsonBody) addQuery(r *http.Request) {
	query := r.URL.Query()
	if f.fields == nil {
		f.fields = map[string]json.RawMessage{}
	}
	for _, name := range []string{"model", "type"} {
		if f.empty(name) && query.Has(name) {
			f.fields[name] = rawText(query.Get(name))
		}
	}
	if !f.empty("models") {
		return
	}
	models := strings.Join(append(query["models"], query["models[]"]...), ",")
	var ids [][]byte
	for id := range strings.SplitSeq(models, ",") {
		if id = strings.TrimSpace(id); id != "" {
			ids = append(ids, rawText(id))
		}
	}
	if len(ids) > 0 {
		f.fields["models"] = slices.Concat([]byte{'['}, bytes.Join(ids, []byte{','}), []byte{']'})
	}
}

func rawText(s string) json.RawMessage { return appendString(nil, s) }

// problem notes what is wrong with a field.
func (f *jsonBody) problem(field, format string, args ...any) { f.problems.Add(field, format, args...) }

// unreadable returns what was wrong so far.
func (f *jsonBody) unreadable() waymark.Unreadable { return waymark.Unreadable(f.problems.Problems) }

// has tells whether a field is there at all, be it null.
func (f *jsonBody) has(field string) bool {
	_, ok := f.fields[field]
	return ok
}

// text returns a text, trimmed: nil where the field is not sent, "" for null.
func (f *jsonBody) text(field string) *string {
	raw, ok := f.fields[field]
	if !ok {
		return nil
	}
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil {
		f.problem(field, "The %s must be a string.", fieldLabel(field))
		return nil
	}
	if s == nil {
		return new(string)
	}
	*s = strings.TrimSpace(*s)
	return s
}

// stringOr returns a text too, "" where it is missing.
func (f *jsonBody) stringOr(field string) string {
	if s := f.text(field); s != nil {
		return *s
	}
	return ""
}

// empty tells whether a field counts as null: not sent, null, or an empty text.
func (f *jsonBody) empty(field string) bool {
	raw := f.fields[field]
	return string(raw) == "null" || unquote(raw) == ""
}

// boolean returns a boolean, nil for none.
func (f *jsonBody) boolean(field string) *bool {
	if f.empty(field) {
		return nil
	}
	var value bool
	switch unquote(f.fields[field]) {
	case "true", "1":
		value = true
	case "false", "0":
	default:
		f.problem(field, "The %s field must be true or false.", fieldLabel(field))
		return nil
	}
	return &value
}

// unquote returns what a JSON text says, trimmed, and any other JSON as it is: "7"
// counts as 7.
func unquote(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	return string(raw)
}

// integer understands a JSON integer, or a text that is one.
func integer(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(unquote(raw), 10, 64)
	return n, err == nil
}

// id returns a required id, zero where it is missing or no number.
func (f *jsonBody) id(field string) int64 {
	if f.empty(field) {
		f.problem(field, "The %s field is required.", fieldLabel(field))
		return 0
	}
	n, ok := integer(f.fields[field])
	if !ok {
		f.problem(field, "The %s must be a number.", fieldLabel(field))
	}
	return n
}

// enum returns a required word that must be one of those.
func (f *jsonBody) enum(field string, among ...string) string {
	if f.empty(field) {
		f.problem(field, "The %s field is required.", fieldLabel(field))
		return ""
	}
	s := unquote(f.fields[field])
	if !slices.Contains(among, s) {
		f.problem(field, "The selected %s is invalid.", fieldLabel(field))
		return ""
	}
	return s
}

// visibility returns a visibility, nil for none.
func (f *jsonBody) visibility() *waymark.Visibility {
	if f.empty("visibility") {
		return nil
	}
	n, ok := integer(f.fields["visibility"])
	v := waymark.Visibility(n)
	if !ok || n != int64(v) || !v.Valid() {
		f.problem("visibility", "The selected visibility is invalid.")
		return nil
	}
	return &v
}

// sharing returns what is said about who may see an entry, in either form.
func (f *jsonBody) sharing() waymark.VisibilityInput {
	return waymark.VisibilityInput{Visibility: f.visibility(), Private: f.boolean("is_private")}
}

// status returns a link's status; what is none is not said.
func (f *jsonBody) status() *waymark.Status {
	n, ok := integer(f.fields["status"])
	s := waymark.Status(n)
	if !ok || n != int64(s) || !s.Valid() {
		return nil
	}
	return &s
}

// ids returns the required models of a bulk operation, each id once.
func (f *jsonBody) ids() []int64 {
	var ids []int64
	known := map[int64]bool{}
	for _, raw := range f.array("models") {
		id, ok := integer(raw)
		if !ok {
			f.problem("models", "The models must be numbers: %s is none.", excerpt(string(raw)))
			return nil
		}
		if !known[id] {
			known[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// models returns the required models of a bulk create.
func (f *jsonBody) models() []*jsonBody {
	all := f.array("models")
	if len(all) > f.limits.BulkLimit {
		f.problem("models", "The models must not have more than %d items.", f.limits.BulkLimit)
		return nil
	}
	var forms []*jsonBody
	for i, raw := range all {
		one := &jsonBody{limits: f.limits}
		if err := json.Unmarshal(raw, &one.fields); err != nil || one.fields == nil {
			f.problem("models."+strconv.Itoa(i), "The models.%d must be an object.", i)
		}
		forms = append(forms, one)
	}
	return forms
}

// array returns a required array that is not empty.
func (f *jsonBody) array(field string) []json.RawMessage {
	var all []json.RawMessage
	switch {
	case f.empty(field):
		f.problem(field, "The %s field is required.", fieldLabel(field))
	case json.Unmarshal(f.fields[field], &all) != nil:
		f.problem(field, "The %s must be an array.", fieldLabel(field))
	case len(all) == 0:
		f.problem(field, "The %s field is required.", fieldLabel(field))
	}
	return all
}

// fieldLabel returns the name of a field as a sentence says it.
func fieldLabel(field string) string { return strings.ReplaceAll(field, "_", " ") }

// excerpt returns what a client sent, short enough to be sent back to it.
func excerpt(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return string([]rune(s)[:most]) + "…"
}
