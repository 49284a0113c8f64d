package settings

import (
	"fmt"
	"net/http"

	"waymark/internal/web/page"
)

// dataPage is the data of the page on which users export their data or delete their account.
type dataPage struct {
	Name     string
	Curl     string // the command that exports everything
	Problems page.Problems
}

func newDataPage(r *page.Request) dataPage {
	return dataPage{Name: r.User.Name, Curl: fmt.Sprintf("curl '%s/api/v2/export?format=archive' \\\n  -H 'Authorization: Bearer KEY' -o waymark.ndjson", r.BaseURL())}
}

// ShowData shows the page to export data and to delete the account.
func ShowData(r *page.Request) error { return r.Render("data", newDataPage(r)) }

// DeleteAccount deletes the account of the user and all its data.
func DeleteAccount(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	if err := r.Accounts.DeleteAccount(r.Context(), visitorOf(r), r.Field("current"), clientOf(r)); err != nil {
		p := newDataPage(r)
		if p.Problems, err = accountProblems(r, err); err != nil {
			return err
		}
		return r.RenderStatus(http.StatusUnprocessableEntity, "data", p)
	}
	r.ClearSession()
	r.W.Header().Set("Clear-Site-Data", `"cache"`)
	return r.Changed("/signin", page.Toast{Text: r.T("data.deleted")})
}
