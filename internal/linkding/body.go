package linkding

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/rest"
)

// readBody decodes the body of a request, a JSON object or a form, into the fields of a struct. The errors are those
// of the fields: one that is invalid counts as missing.
func (a *API) readBody(w http.ResponseWriter, r *http.Request, into any) (invalid fieldErrors, err error) {
	declared := r.Header.Get("Content-Type")
	media, parameters, _ := mime.ParseMediaType(declared)
	body, err := rest.ReadBody(w, r, httpx.UserBody)
	if err != nil {
		return nil, err
	}
	var object json.RawMessage
	isForm := false
	switch {
	case len(body) == 0:
		return nil, nil
	case media == jsonType:
		object, err = parseJSON(body)
	case media == formType:
		object, isForm = formObject(httpx.ParseQuery(string(body))), true
	case media == multipartType:
		var form url.Values
		form, err = parseMultipart(body, parameters["boundary"])
		object, isForm = formObject(form), true
	default:
		err = unsupportedType(declared)
	}
	if err != nil {
		return nil, err
	}
	rest.Decode(object, into, func(name string, field json.Unmarshaler, value json.RawMessage) {
		_, isText := field.(*text)
		if isForm && !isText && string(value) == `""` {
			return // a field of a form that was left empty
		}
		invalid.addError(name, decode(field, value))
	})
	return invalid, nil
}

func unsupportedType(declared string) rest.Error {
	return rest.Error{Status: http.StatusUnsupportedMediaType, Sentence: fmt.Sprintf(`Unsupported media type "%s" in request.`, declared)}
}

// parseMultipart returns the values of a form. Files are left out.
func parseMultipart(body []byte, boundary string) (url.Values, error) {
	form := url.Values{}
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		var value []byte
		if err == nil && part.FileName() == "" {
			value, err = io.ReadAll(part)
			form.Add(part.FormName(), string(value))
		}
		if err != nil {
			return nil, badRequest("Multipart form parse error - Invalid multipart form.")
		}
	}
}

// formObject returns the JSON object that a form stands for: the last value of each field, but a list of all values of
// tag_names, which may also be called tag_names[0], tag_names[1] and so on.
func formObject(form url.Values) json.RawMessage {
	object := map[string]any{}
	for name, values := range form {
		object[name] = values[len(values)-1]
	}
	names := form[tagNames]
	if names == nil {
		for i := range form {
			if strings.HasPrefix(i, tagNames+"[") {
				names = append(names, i)
			}
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		for i, name := range names {
			names[i] = form.Get(name)
		}
	}
	if names != nil {
		object[tagNames] = names
	}
	encoded, _ := json.Marshal(object) // it has only texts
	return encoded
}

// tagNames is the only field that is a list.
const tagNames = "tag_names"

// parseJSON returns the JSON object in a body.
func parseJSON(body []byte) (json.RawMessage, error) {
	value, err := rest.Value(body)
	switch {
	case err != nil:
		return nil, badRequest("JSON parse error - " + err.Error())
	case value == nil:
		return nil, badRequest("JSON parse error - the body is empty")
	case string(value) == "null":
		return nil, fieldErrors{{Name: nonField, Value: []string{"No data provided"}}}
	case value[0] != '{':
		return nil, fieldErrors{{Name: nonField, Value: []string{"Invalid data. Expected an object."}}}
	}
	return value, nil
}
