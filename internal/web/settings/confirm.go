package settings

import (
	"maps"
	"net/http"
	"slices"

	"waymark/internal/httpx"
	"waymark/internal/web/page"
)

// confirmPage is the data of the page on which users prove who they are.
type confirmPage struct {
	Name     string
	Action   string // the path of the request that waits for it
	Fields   []confirmField
	Problems page.Problems
}

// confirmField is a field of the form that waits.
type confirmField struct{ Name, Value string }

// Confirmed returns a handler for what another person in the user's browser must not do. It calls handle
// if the user has recently proved who they are. Otherwise it shows a form that asks for the password, and
// sends it to the same path as handle needs it, with the fields of the request. A page with this handler
// needs a route for POST too.
func Confirmed(handle page.Handler) page.Handler {
	return func(r *page.Request) error {
		if r.Accounts.Confirmed(r.Session) {
			return handle(r)
		}
		if err := r.ParseForm(); err != nil {
			return err
		}
		form := confirmPage{Name: r.User.Name, Action: r.HTTP.URL.RequestURI()}
		for _, name := range slices.Sorted(maps.Keys(r.HTTP.PostForm)) {
			if name != "current" && name != "username" {
				form.Fields = append(form.Fields, confirmField{httpx.ReplaceInvalid(name), r.Field(name)})
			}
		}
		status := http.StatusForbidden
		if r.HTTP.PostForm.Has("current") {
			err := r.Accounts.Confirm(r.Context(), visitorOf(r), r.Field("current"), clientOf(r))
			if err == nil {
				return handle(r)
			}
			if form.Problems, err = accountProblems(r, err); err != nil {
				return err
			}
			status = http.StatusUnprocessableEntity
		}
		return r.RenderStatus(status, "confirm", form)
	}
}
