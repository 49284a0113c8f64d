package web

import (
	"errors"
	"strings"

	"waymark/internal/accounts"
	"waymark/internal/waymark"
)

func showSettings(v *visit) error { return v.render("settings", nil) }

// saved responds to a change of the settings that needs no other sentence.
func saved(v *visit, path string) error {
	return v.changed(path, toast{Text: v.t("settings.saved")})
}

// visitorOf returns the user of the request for the service.
func visitorOf(v *visit) accounts.Visitor {
	return accounts.Visitor{User: v.user, Session: v.session, Settings: v.settings}
}

// accountProblems words what is wrong with a form about an account: with its fields, with a
// name that is in use, or with the current password. The second result is nil if err is only
// that, and err otherwise.
func accountProblems(v *visit, err error) (problems, error) {
	var attempts *waymark.TooManyAttempts
	switch {
	case errors.Is(err, waymark.ErrConflict):
		return problems{{"name", v.t("problem.unique", "value", v.field("name"))}}, nil
	case errors.Is(err, waymark.ErrWrongPassword):
		wrong := problems{{"current", v.t("settings.wrong-password")}}
		others, _ := v.problemsOf(err, v.field) // such as a new password that is too short
		return append(wrong, others...), nil
	case errors.As(err, &attempts):
		return problems{{"current", v.t("signin.too-many", "n", attempts.Seconds())}}, nil
	case errors.Is(err, waymark.ErrLastAdministrator):
		return problems{{"current", v.t("settings.last-administrator")}}, nil
	}
	inForm := func(field string) string { return strings.ReplaceAll(field, " ", "-") }
	found, err := v.problemsOf(err, func(field string) string { return v.field(inForm(field)) })
	for i := range found {
		found[i].Field = inForm(found[i].Field)
	}
	return found, err
}
