package api

import "fmt"

// fieldError is a sentence about a field, which is named by its path, such as models.0.url.
type fieldError struct {
	field    string
	message  string
	position *int // of what is wrong in a query, nil in other fields
}

// fieldErrors are the errors of all fields of a request. Their response has status 422.
type fieldErrors []fieldError

func (e *fieldErrors) add(field, format string, args ...any) {
	*e = append(*e, fieldError{field: field, message: fmt.Sprintf(format, args...)})
}
