package karakeep

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// codes are Karakeep's names of statuses.
var codes = map[int]string{
	http.StatusBadRequest: "BadRequest", http.StatusUnauthorized: "Unauthorized", http.StatusForbidden: "Forbidden", http.StatusNotFound: "NotFound",
	http.StatusMethodNotAllowed: "MethodNotAllowed", http.StatusRequestEntityTooLarge: "TooLarge", http.StatusTooManyRequests: "TooManyRequests",
	http.StatusInternalServerError: "InternalError", http.StatusServiceUnavailable: "Unavailable",
}

// dialect are the words for errors.
func dialect(log *slog.Logger) rest.Dialect {
	const noKey = "The header Authorization has no valid API key. It should be \"Bearer KEY\"."
	return rest.Dialect{
		APIKey: func(r *http.Request) string { return rest.Secret(r, "Bearer") }, Scheme: "Bearer", NoKey: noKey, UnknownKey: noKey,
		Forbidden: "The API key does not permit this, or the list, tag or bookmark is another user's.",
		NotFound:  "There is no such list, tag or bookmark.", TooMany: "Too many requests. Please try again later.",
		Internal:    "The server had an error. Its log says more.",
		WrongMethod: func(method, allow string) string { return method + " is not possible here. Possible: " + allow + "." },
		Body:        func(e rest.Error) any { return map[string]string{"code": codes[e.Status], "message": e.Sentence} },
		OwnError: func(err error) (status int, body any) {
			if invalid, ok := errors.AsType[*waymark.ValidationError](err); ok {
				return http.StatusBadRequest, map[string]string{"code": codes[http.StatusBadRequest], "message": invalid.Error()}
			}
			return 0, nil
		},
		Log: log,
	}
}

func badRequest(message string) rest.Error {
	return rest.Error{Status: http.StatusBadRequest, Sentence: message}
}

// writeDone writes the response to a change that has no other one. Karakeep responds with 204 and no body, but
// floccus's app fails if there is no JSON.
func writeDone(w http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, struct{}{})
}

// maxBody is the maximum size of a body, in bytes. A URL of Chromium can have 2 MiB, and its titles have no limit.
const maxBody = 8 << 20

// readJSON decodes the body of a request, a JSON object. Unknown fields are ignored.
func (a *API) readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := rest.ReadBody(w, r, maxBody)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return badRequest("The body is not the JSON object that is expected: " + err.Error())
	}
	return nil
}
