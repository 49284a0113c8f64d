package linkding

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"waymark/internal/httpx"
)

// fields are the values in a request's body, from a JSON object or a form.
type fields struct {
	object map[string]any // numbers are json.Number
	form   url.Values
	isForm bool
}

// readFields reads the body of a request.
func (a *API) readFields(w http.ResponseWriter, r *http.Request) (fields, error) {
	declared := r.Header.Get("Content-Type")
	media, parameters, _ := mime.ParseMediaType(declared)
	body, err := httpx.ReadBody(w, r, int64(a.Settings.BodyLimit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return fields{}, statusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("The body must not be larger than %d bytes.", tooLarge.Limit)}
	case errors.Is(err, httpx.ErrNoMemory):
		return fields{}, err
	case err != nil:
		return fields{}, badRequest("The body could not be read to its end.")
	case len(body) == 0:
		return fields{isForm: media == formType || media == multipartType}, nil
	}
	switch media {
	case jsonType:
		return parseJSON(body)
	case formType:
		return fields{form: httpx.ParseQuery(string(body)), isForm: true}, nil
	case multipartType:
		form, err := parseMultipart(body, parameters["boundary"])
		return fields{form: form, isForm: true}, err
	}
	return fields{}, unsupportedType(declared)
}

func unsupportedType(declared string) statusError {
	return statusError{http.StatusUnsupportedMediaType, fmt.Sprintf(`Unsupported media type "%s" in request.`, declared)}
}

// parseMultipart returns the values of a form. Files are left out.
func parseMultipart(body []byte, boundary string) (url.Values, error) {
	if boundary == "" {
		return nil, badRequest("Multipart form parse error - Invalid boundary in multipart: None")
	}
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

// parseJSON returns the members of a JSON object.
func parseJSON(body []byte) (fields, error) {
	if !utf8.Valid(body) {
		return fields{}, badRequest("JSON parse error - 'utf-8' codec can't decode the body.")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	err := json.Unmarshal(body, &json.RawMessage{})
	if err == nil {
		err = decoder.Decode(&value)
	}
	if err != nil {
		return fields{}, badRequest("JSON parse error - " + wordSyntax(body, err))
	}
	switch value := value.(type) {
	case map[string]any:
		return fields{object: value}, nil
	case nil:
		return fields{}, fieldErrors{{Name: nonField, Value: []string{"No data provided"}}}
	}
	return fields{}, fieldErrors{{Name: nonField, Value: []string{"Invalid data. Expected a dictionary, but got " + typeName(value) + "."}}}
}

// nonField is the field of errors that are not about a field.
const nonField = "non_field_errors"

// syntaxErrors are parts of the errors of package json, and what Python's parser says.
var syntaxErrors = [][2]string{
	{"key:value pair", "Expecting ',' delimiter"},
	{"after object key", "Expecting ':' delimiter"},
	{"object key string", "Expecting property name enclosed in double quotes"},
	{"after array element", "Expecting ',' delimiter"},
	{"after top-level", "Extra data"},
	{"in string literal", "Invalid control character at"},
	{"in string escape", `Invalid \escape`},
	{"hexadecimal", `Invalid \uXXXX escape`},
}

// wordSyntax describes an error of the syntax as Python's parser of JSON does.
func wordSyntax(body []byte, err error) string {
	at := len(body)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && !strings.Contains(err.Error(), "unexpected end") {
		at = int(syntax.Offset) - 1
	}
	for strings.Contains(err.Error(), "in literal") && at > 0 && 'a' <= body[at-1] && body[at-1] <= 'z' {
		at-- // to the beginning of a word that is no value
	}
	text := "Expecting value"
	for _, known := range syntaxErrors {
		if strings.Contains(err.Error(), known[0]) {
			text = known[1]
			break
		}
	}
	beforeError := bytes.TrimRight(body[:at], " \t\r\n")
	last := byte(0)
	if len(beforeError) > 0 {
		last = beforeError[len(beforeError)-1]
	}
	switch {
	case at < len(body) && last == ',' && (body[at] == '}' || body[at] == ']'):
		text = "Illegal trailing comma before end of " + map[byte]string{'}': "object", ']': "array"}[body[at]]
		at = len(beforeError) - 1
	case at == len(body) && last == '{':
		text = "Expecting property name enclosed in double quotes"
	case at == len(body) && last != 0 && !strings.ContainsRune(",:[", rune(last)):
		text = "Expecting ',' delimiter"
	}
	before := string(body[:at])
	line := strings.Count(before, "\n")
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%s: line %d column %d (char %d)", text, line+1, column+1, utf8.RuneCountInString(before))
}

// typeName returns the name of the type that a JSON value has in Python.
func typeName(value any) string {
	switch value := value.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case []any:
		return "list"
	case map[string]any:
		return "dict"
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return "float"
		}
	}
	return "int"
}
