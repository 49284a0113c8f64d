package settings

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"waymark/internal/waymark"
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

// DeleteAccount deletes the account of the user, who has typed its name, and all its data.
func DeleteAccount(r *page.Request) error {
	problem := ""
	if waymark.Fold(strings.TrimSpace(r.Field("account"))) != waymark.Fold(r.User.Name) {
		problem = r.T("data.wrong-name", "name", r.User.Name)
	} else if err := r.Accounts.DeleteAccount(r.Context(), r.User.ID); errors.Is(err, waymark.ErrLastAdministrator) {
		problem = r.T("settings.last-administrator")
	} else if err != nil {
		return err
	}
	if problem != "" {
		p := newDataPage(r)
		p.Problems = page.Problems{{Field: "account", Text: problem}}
		return r.RenderStatus(http.StatusUnprocessableEntity, "data", p)
	}
	r.ClearSession()
	r.W.Header().Set("Clear-Site-Data", `"cache"`)
	return r.Changed("/signin", page.Toast{Text: r.T("data.deleted")})
}
