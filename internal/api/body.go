package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/query"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// mistakes are what is wrong in a body. A field that cannot be decoded counts as missing. All fields of a body that
// cannot be read count as missing.
type mistakes struct {
	fieldErrors
	malformed error  // set if the body could not be read or parsed
	prefix    string // of the paths of the fields, such as "models.0."
}

func (m *mistakes) err() error {
	if m.malformed != nil {
		return m.malformed
	}
	return m.fieldErrors.err()
}

// require adds a mistake if a field was not sent, unless it has another one.
func (m *mistakes) require(name string, sent bool) {
	path := m.prefix + name
	if !sent && !slices.ContainsFunc(m.fieldErrors, func(e fieldError) bool { return e.field == path }) {
		m.add(path, "The %s field is required.", fieldLabel(name))
	}
}

// decode decodes an object into the fields of a struct, and adds their mistakes.
func (m *mistakes) decode(object json.RawMessage, into any) {
	rest.Decode(object, into, func(name string, field json.Unmarshaler, value json.RawMessage) {
		err := field.UnmarshalJSON(value)
		inModels, ok := errors.AsType[fieldErrors](err)
		_, tooMany := errors.AsType[errTooMany](err)
		problem, isProblem := errors.AsType[query.Problem](err)
		_, tooManyPairs := errors.AsType[*waymark.ValidationError](err)
		switch {
		case ok:
			m.fieldErrors = append(m.fieldErrors, inModels...)
		case isProblem:
			m.addProblem(m.prefix+name, problem)
		case tooManyPairs:
			m.malformed = err
		case tooMany:
			m.malformed = fieldErrors{{field: name, message: withLabel(err, name)}}
		case err != nil:
			m.add(m.prefix+name, "%s", withLabel(err, name))
		}
	})
}

// withLabel returns the sentence of an error of a field.
func withLabel(err error, name string) string {
	return strings.Replace(err.Error(), "{field}", fieldLabel(name), 1)
}

// readBody decodes the body of a request, up to limit, into the fields of a struct. An empty body, null, and an
// empty array, which is how PHP encodes an array without keys, are an empty object.
func (a *API) readBody(w http.ResponseWriter, r *http.Request, limit int64, into any) *mistakes {
	m := &mistakes{}
	object, err := readObject(w, r, limit)
	switch {
	case err != nil:
		m.malformed = err
		return m
	case object != nil:
		m.decode(object, into)
	}
	if r.Method == http.MethodDelete {
		m.decode(queryObject(r, object), into)
	}
	return m
}

func readObject(w http.ResponseWriter, r *http.Request, limit int64) (json.RawMessage, error) {
	body, err := rest.ReadBody(w, r, limit)
	if err != nil || len(bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))) == 0 {
		return nil, err
	}
	if err := checkType(r); err != nil {
		return nil, err
	}
	value, err := rest.Value(body)
	if err == nil && value[0] != '{' {
		if string(value) == "null" || isEmptyArray(value) {
			return nil, nil
		}
		err = errors.New("it must be a JSON object")
	}
	if err != nil {
		return nil, rest.Error{Status: http.StatusBadRequest, Sentence: "The body is malformed: " + err.Error() + "."}
	}
	return value, nil
}

// isEmptyArray reports whether JSON is an array without elements.
func isEmptyArray(value json.RawMessage) bool {
	return value[0] == '[' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}

// checkType returns an error if the body is declared as compressed, or as another type than JSON.
func checkType(r *http.Request) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return rest.Error{Status: http.StatusUnsupportedMediaType, Sentence: "The body must not be compressed: Content-Encoding is " + rest.Excerpt(coding) + "."}
	}
	declared := r.Header.Get("Content-Type")
	media, _, _ := strings.Cut(strings.ToLower(declared), ";")
	media = strings.TrimSpace(media)
	if media == "" || media == "application/json" || strings.HasSuffix(media, "+json") {
		return nil
	}
	return rest.Error{Status: http.StatusUnsupportedMediaType, Sentence: "The body must be application/json, not " + rest.Excerpt(declared) + "."}
}

// queryObject returns the fields that some HTTP clients send in the query of a DELETE request, because they drop its
// body: model and type, and the models in the form models=1,2 or models=[1,2] or models[]=1&models[]=2. Those that the
// body has are left out.
func queryObject(r *http.Request, body json.RawMessage) json.RawMessage {
	query, object := httpx.ParseQuery(r.URL.RawQuery), httpx.Object{}
	sent := map[string]bool{}
	if body != nil {
		for name, value := range rest.Members(body) {
			sent[name] = !isEmpty(value)
		}
	}
	for _, name := range []string{"model", "type"} {
		if !sent[name] && query.Has(name) {
			object = append(object, httpx.Member{Name: name, Value: query.Get(name)})
		}
	}
	models := strings.Join(arrayValues(query, "models"), ",")
	switch {
	case sent["models"], models == "":
	case strings.HasPrefix(models, "[") && json.Valid([]byte(models)):
		object = append(object, httpx.Member{Name: "models", Value: json.RawMessage(models)})
	default:
		ids := slices.DeleteFunc(strings.Split(models, ","), func(id string) bool { return strings.TrimSpace(id) == "" })
		object = append(object, httpx.Member{Name: "models", Value: ids})
	}
	encoded, _ := json.Marshal(object) // it has only texts and valid JSON
	return encoded
}

// change runs a use case. If there are mistakes in the body, it changes nothing: the error has these and the rules
// that the rest of the input breaks, unless the user may not do this at all.
func (a *API) change(r *http.Request, user waymark.User, m *mistakes, path func(index int, field string) string, do func(ctx context.Context, s *service.Service) error) error {
	var err error
	if m.err() == nil {
		err = do(r.Context(), a.Service)
	} else {
		err = a.Service.DryRun(r.Context(), user, do)
	}
	invalid, ok := errors.AsType[*waymark.ValidationError](err)
	switch {
	case err != nil && !ok:
		return err
	case m.malformed != nil:
		return m.malformed
	case ok:
		return wordProblems(invalid, path, m.fieldErrors)
	}
	return m.fieldErrors.err()
}

// arrayValues returns the values of a parameter sent as name, name[], or name[0], name[1] and so on.
func arrayValues(query url.Values, name string) []string {
	var values []string
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if key == name || strings.HasPrefix(key, name+"[") && strings.HasSuffix(key, "]") {
			values = append(values, query[key]...)
		}
	}
	return values
}

// choose returns the required value that a word stands for.
func choose[T any](m *mistakes, name string, w word, values map[string]T) (chosen T) {
	m.require(name, w.value != "")
	chosen, ok := values[w.value]
	if w.value != "" && !ok {
		m.add(name, "The selected %s is invalid.", fieldLabel(name))
	}
	return chosen
}
