package web

import (
	"fmt"
	"net/http"
)

// dataPage is the data of the page on which users export their data or delete their account.
type dataPage struct {
	Name     string
	Curl     string // the command that exports everything
	Problems problems
}

func newDataPage(v *visit) dataPage {
	return dataPage{Name: v.user.Name, Curl: fmt.Sprintf("curl '%s/api/v2/export?format=archive' \\\n  -H 'Authorization: Bearer KEY' -o waymark.ndjson", v.baseURL())}
}

func showData(v *visit) error { return v.render("data", newDataPage(v)) }

func deleteAccount(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	if err := v.Accounts.DeleteAccount(v.ctx(), visitorOf(v), v.field("current"), clientOf(v)); err != nil {
		page := newDataPage(v)
		if page.Problems, err = accountProblems(v, err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "data", page)
	}
	v.clearSession()
	v.w.Header().Set("Clear-Site-Data", `"cache"`)
	return v.changed("/signin", toast{Text: v.t("data.deleted")})
}
