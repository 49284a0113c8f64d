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

func (v *visit) dataPage() dataPage {
	return dataPage{Name: v.user.Name, Curl: fmt.Sprintf("curl '%s/api/v2/export?format=archive' \\\n  -H 'Authorization: Bearer KEY' -o waymark.ndjson", v.baseURL())}
}

func (v *visit) showData() error { return v.render("data", v.dataPage()) }

func (v *visit) deleteAccount() error {
	if err := v.parseForm(); err != nil {
		return err
	}
	if err := v.Service.DeleteAccount(v.ctx(), v.visitor(), v.field("current"), v.client()); err != nil {
		page := v.dataPage()
		if page.Problems, err = v.accountProblems(err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "data", page)
	}
	v.clearSession()
	v.w.Header().Set("Clear-Site-Data", `"cache"`)
	return v.changed("/signin", toast{Text: v.t("data.deleted")})
}
