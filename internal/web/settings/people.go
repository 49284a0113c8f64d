package settings

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"waymark/internal/accounts"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type peoplePage struct {
	Name        string // in the form for an invitation
	Problems    page.Problems
	Link        *oneTimeURL // that was just made, or nil
	People      []waymark.UserSummary
	Names       map[waymark.UserID]string
	Invitations []waymark.Invitation

	Rule        waymark.FactorRule // who must have a second factor
	RuleProblem string             // why a rule was refused
}

// oneTimeURL is a URL that works once, and is shown once.
type oneTimeURL struct {
	Heading string
	URL     string
	Until   page.Moment
}

func newPeoplePage(r *page.Request) (p peoplePage, err error) {
	if p.People, err = r.Store.Accounts.UserSummaries(r.Context()); err != nil {
		return p, err
	}
	p.Names = namesOf(p.People)
	if p.Rule, err = r.Store.Accounts.FactorRule(r.Context()); err != nil {
		return p, err
	}
	p.Invitations, err = r.Store.Accounts.Invitations(r.Context())
	return p, err
}

func namesOf(users []waymark.UserSummary) map[waymark.UserID]string {
	names := map[waymark.UserID]string{}
	for _, u := range users {
		names[u.ID] = u.Name
	}
	return names
}

// ShowPeople shows all users and the open invitations.
var ShowPeople = page.Show("people", newPeoplePage)

// SetFactorRule sets who must have a second factor.
func SetFactorRule(r *page.Request) error {
	rule := waymark.FactorRule(r.Field("rule"))
	err := r.Accounts.SetFactorRule(r.Context(), r.User, rule)
	if errors.Is(err, accounts.ErrFactorRequired) {
		return renderAgain(r, http.StatusUnprocessableEntity, "people", newPeoplePage, func(p *peoplePage) {
			p.Rule, p.RuleProblem = rule, r.T("people.factor-first")
		})
	}
	if err != nil {
		return err
	}
	return saved(r, "/settings/people#second-factor")
}

// Invite responds with the URL instead of a redirect, since it is shown only once.
func Invite(r *page.Request) error {
	name := r.Field("name")
	token, expires, inviteErr := r.Accounts.NewInvitation(r.Context(), r.User, name, r.Field("admin") != "")
	p, err := newPeoplePage(r)
	if err != nil {
		return err
	}
	if inviteErr != nil {
		p.Name = name
		return refused(r, "people", &p, &p.Problems, inviteErr)
	}
	heading := r.T("people.invited")
	if name != "" {
		heading = r.T("people.invited-name", "name", name)
	}
	p.Link = &oneTimeURL{heading, r.BaseURL() + "/join/" + token, r.Moment(expires)}
	r.W.Header().Set("Cache-Control", "no-store")
	return r.Render("people", p)
}

// WithdrawInvitation withdraws an invitation.
func WithdrawInvitation(r *page.Request, id waymark.InvitationID) error {
	const path = "/settings/people"
	return withdrawn(r, r.Accounts.DeleteInvitation(r.Context(), r.User, id), path, r.T("people.withdrawn"), r.T("people.not-open"))
}

// withdrawn responds to the withdrawal of a one-time URL. The page can be older than the end of the URL.
func withdrawn(r *page.Request, err error, path, done, notOpen string) error {
	switch {
	case errors.Is(err, waymark.ErrNotFound):
		return r.Changed("/settings/people", page.Toast{Text: notOpen})
	case err != nil:
		return err
	}
	return r.Changed(path, page.Toast{Text: done})
}

// PersonPage is the data of the page on which an administrator changes a user.
type PersonPage struct {
	waymark.UserSummary
	Names      map[waymark.UserID]string
	Others     []waymark.UserSummary // who can get the links
	TransferTo waymark.UserID        // in the form
	Link       *oneTimeURL           // that was just made, or nil
	Problem    string                // why a change was refused
	Problems   page.Problems         // of the form to remove the user
}

// PageTitle returns the name of the user.
func (p PersonPage) PageTitle() string { return p.Name }

// PersonInPath returns the page of the user in the path.
func PersonInPath(r *page.Request) (p PersonPage, err error) {
	id, err := page.PathID[waymark.UserID](r)
	if err != nil {
		return p, err
	}
	users, err := r.Store.Accounts.UserSummaries(r.Context())
	if err != nil {
		return p, err
	}
	at := slices.IndexFunc(users, func(u waymark.UserSummary) bool { return u.ID == id })
	if at < 0 {
		return p, waymark.ErrNotFound
	}
	p.UserSummary, p.Names = users[at], namesOf(users)
	p.Others = slices.Delete(users, at, at+1)
	return p, nil
}

// ShowPerson shows a user to administrators.
var ShowPerson = page.Show("person", PersonInPath)

// SetAdministrator makes the user in the path an administrator, or no longer.
func SetAdministrator(r *page.Request, p PersonPage) error {
	return setUserState(r, p, new(r.Field("admin") == "1"), nil)
}

// DisableUser disables or enables the user in the path.
func DisableUser(r *page.Request, p PersonPage) error {
	return setUserState(r, p, nil, new(r.Field("disabled") == "1"))
}

func setUserState(r *page.Request, p PersonPage, admin, disabled *bool) error {
	_, err := r.Accounts.SetUserState(r.Context(), r.User, p.ID, admin, disabled)
	if errors.Is(err, waymark.ErrLastAdministrator) {
		p.Problem = r.T("settings.last-administrator")
		return r.RenderStatus(http.StatusUnprocessableEntity, "person", p)
	}
	if err != nil {
		return err
	}
	if p.ID == r.User.ID { // no longer an administrator
		return saved(r, "/settings")
	}
	return saved(r, "/settings/people/"+r.HTTP.PathValue("id"))
}

// ResetPassword responds with the URL instead of a redirect, since it is shown only
// once.
func ResetPassword(r *page.Request, p PersonPage) error {
	token, expires, err := r.Accounts.NewPasswordReset(r.Context(), r.User, p.ID)
	if err != nil {
		return err
	}
	p.PasswordReset = waymark.PasswordReset{CreatedBy: r.User.ID, ExpiresAt: expires}
	p.Link = &oneTimeURL{r.T("person.password-made", "name", p.Name), r.BaseURL() + "/password/" + token, r.Moment(expires)}
	r.W.Header().Set("Cache-Control", "no-store")
	return r.Render("person", p)
}

// WithdrawPassword withdraws the one-time URL for a new password.
func WithdrawPassword(r *page.Request, id waymark.UserID) error {
	path := "/settings/people/" + r.HTTP.PathValue("id")
	return withdrawn(r, r.Accounts.DeletePasswordReset(r.Context(), r.User, id), path, r.T("person.password-withdrawn"), r.T("person.password-not-open"))
}

// RemoveUser removes the user in the path.
func RemoveUser(r *page.Request, p PersonPage) error {
	transferTo, err := strconv.ParseInt(r.Field("transfer-to"), 10, 64)
	if err != nil {
		return page.Error{Status: http.StatusBadRequest}
	}
	p.TransferTo = waymark.UserID(transferTo)
	if r.Field("confirm") != p.Name {
		p.Problems = page.Problems{{Field: "confirm", Text: r.T("person.wrong-name", "name", p.Name)}}
		return r.RenderStatus(http.StatusUnprocessableEntity, "person", p)
	}
	err = r.Accounts.RemoveUserAsAdmin(r.Context(), r.User, p.ID, p.TransferTo)
	if errors.Is(err, waymark.ErrLastAdministrator) {
		p.Problems = page.Problems{{Field: "confirm", Text: r.T("settings.last-administrator")}}
		return r.RenderStatus(http.StatusUnprocessableEntity, "person", p)
	}
	if err != nil {
		return err
	}
	if p.ID == r.User.ID {
		return r.Redirect("/signin")
	}
	return r.Changed("/settings/people", page.Toast{Text: r.T("person.removed", "name", p.Name)})
}
