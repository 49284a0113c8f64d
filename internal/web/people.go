package web

import (
	"errors"
	"net/http"
	"strconv"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// peoplePage is the data of the page with all users.
type peoplePage struct {
	Name        string // in the form for an invitation
	Problems    problems
	Link        *oneTimeURL // that was just made, or nil
	People      []userView
	Invitations []invitationView
}

// oneTimeURL is a URL that works once, and is shown once.
type oneTimeURL struct {
	Heading string
	Address string
	Until   moment
}

// userView is a user in the table.
type userView struct {
	ID              waymark.UserID
	Name, Initial   string
	Hue             int
	Links           int
	Seen            *moment // nil for never
	Admin, Disabled bool
	NewPassword     *moment // until when a one-time URL to set one works, or nil
}

// invitationView is an invitation that is still valid.
type invitationView struct {
	ID    waymark.InvitationID
	Name  string
	Admin bool
	By    string // the administrator who made it
	Until moment
}

func newPeoplePage(v *visit) (peoplePage, error) {
	var page peoplePage
	users, err := v.Store.UserSummaries(v.ctx())
	if err != nil {
		return page, err
	}
	names := map[waymark.UserID]string{}
	for _, u := range users {
		names[u.ID] = u.Name
		page.People = append(page.People, userView{
			ID: u.ID, Name: u.Name, Initial: initial(u.Name), Hue: hue(u.Name), Links: u.Links,
			Seen: v.momentOrNever(u.LastSeenAt), Admin: u.Admin, Disabled: u.Disabled, NewPassword: v.momentOrNever(u.PasswordReset.ExpiresAt),
		})
	}
	invitations, err := v.Store.Invitations(v.ctx())
	if err != nil {
		return page, err
	}
	for _, i := range invitations {
		page.Invitations = append(page.Invitations, invitationView{i.ID, i.Name, i.Admin, names[i.CreatedBy], v.moment(i.ExpiresAt)})
	}
	return page, nil
}

func showPeople(v *visit) error {
	page, err := newPeoplePage(v)
	if err != nil {
		return err
	}
	return v.render("people", page)
}

// invite responds with the address instead of a redirect, since it is shown only once.
func invite(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	name := v.field("name")
	token, expires, inviteErr := v.Accounts.NewInvitation(v.ctx(), v.user, name, v.field("admin") != "")
	page, err := newPeoplePage(v)
	if err != nil {
		return err
	}
	if inviteErr != nil {
		page.Name = name
		if page.Problems, err = accountProblems(v, inviteErr); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "people", page)
	}
	heading := v.t("people.invited")
	if name != "" {
		heading = v.t("people.invited-name", "name", name)
	}
	page.Link = &oneTimeURL{heading, v.baseURL() + "/join/" + token, v.moment(expires)}
	v.w.Header().Set("Cache-Control", "no-store")
	return v.render("people", page)
}

func withdrawInvitation(v *visit) error {
	id, err := pathID[waymark.InvitationID](v)
	if err != nil {
		return err
	}
	err = v.Accounts.DeleteInvitation(v.ctx(), v.user, id)
	if errors.Is(err, waymark.ErrNotFound) { // the page is older than its end
		return v.changed("/settings/people", toast{Text: v.t("people.not-open")})
	}
	if err != nil {
		return err
	}
	return v.changed("/settings/people", toast{Text: v.t("people.withdrawn")})
}

// personPage is the data of the page on which an administrator changes a user.
type personPage struct {
	store.UserSummary
	Since       moment
	NewPassword *openReset          // the one-time URL to set one, or nil
	Others      []store.UserSummary // who can get the links
	TransferTo  waymark.UserID      // in the form
	Link        *oneTimeURL         // that was just made, or nil
	Problem     string              // why a change was refused
	Problems    problems            // of the form to remove the user
}

// openReset is a one-time URL at which a user can set a new password. It is shown without
// its token, of which only the hash is stored.
type openReset struct {
	By    string // the administrator who made it
	Until moment
}

func (p personPage) pageTitle() string { return p.Name }

// newPersonPage returns the page of the user in the path.
func newPersonPage(v *visit) (personPage, error) {
	id, err := pathID[waymark.UserID](v)
	if err != nil {
		return personPage{}, err
	}
	users, err := v.Store.UserSummaries(v.ctx())
	if err != nil {
		return personPage{}, err
	}
	var page personPage
	names := map[waymark.UserID]string{}
	for _, u := range users {
		names[u.ID] = u.Name
		if u.ID == id {
			page.UserSummary, page.Since = u, v.moment(u.CreatedAt)
		} else {
			page.Others = append(page.Others, u)
		}
	}
	if page.ID == 0 {
		return personPage{}, waymark.ErrNotFound
	}
	if reset := page.PasswordReset; reset.ExpiresAt != 0 {
		page.NewPassword = &openReset{names[reset.CreatedBy], v.moment(reset.ExpiresAt)}
	}
	return page, nil
}

func showPerson(v *visit) error {
	page, err := newPersonPage(v)
	if err != nil {
		return err
	}
	return v.render("person", page)
}

// setAdministrator makes the user in the path an administrator, or no longer.
func setAdministrator(v *visit) error {
	return setUserState(v, func(user waymark.UserID) error {
		admin := v.field("admin") == "1"
		_, err := v.Accounts.SetUserState(v.ctx(), v.user, user, &admin, nil)
		return err
	})
}

// disableUser disables or enables the user in the path.
func disableUser(v *visit) error {
	return setUserState(v, func(user waymark.UserID) error {
		disabled := v.field("disabled") == "1"
		_, err := v.Accounts.SetUserState(v.ctx(), v.user, user, nil, &disabled)
		return err
	})
}

// setUserState calls set with the user in the path.
func setUserState(v *visit, set func(waymark.UserID) error) error {
	page, err := newPersonPage(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	err = set(page.ID)
	if errors.Is(err, waymark.ErrLastAdministrator) {
		page.Problem = v.t("settings.last-administrator")
		return v.renderStatus(http.StatusUnprocessableEntity, "person", page)
	}
	if err != nil {
		return err
	}
	if page.ID == v.user.ID { // no longer an administrator
		return saved(v, "/settings")
	}
	return saved(v, "/settings/people/"+v.r.PathValue("id"))
}

// resetPassword responds with the address instead of a redirect, since it is shown only
// once.
func resetPassword(v *visit) error {
	page, err := newPersonPage(v)
	if err != nil {
		return err
	}
	token, expires, err := v.Accounts.NewPasswordReset(v.ctx(), v.user, page.ID)
	if err != nil {
		return err
	}
	page.NewPassword = &openReset{v.user.Name, v.moment(expires)}
	page.Link = &oneTimeURL{v.t("person.password-made", "name", page.Name), v.baseURL() + "/password/" + token, v.moment(expires)}
	v.w.Header().Set("Cache-Control", "no-store")
	return v.render("person", page)
}

func withdrawPassword(v *visit) error {
	id, err := pathID[waymark.UserID](v)
	if err != nil {
		return err
	}
	err = v.Accounts.DeletePasswordReset(v.ctx(), v.user, id)
	if errors.Is(err, waymark.ErrNotFound) { // the page is older than the end of the address, or of the user
		return v.changed("/settings/people", toast{Text: v.t("person.password-not-open")})
	}
	if err != nil {
		return err
	}
	return v.changed("/settings/people/"+v.r.PathValue("id"), toast{Text: v.t("person.password-withdrawn")})
}

func removeUser(v *visit) error {
	page, err := newPersonPage(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	transferTo, err := strconv.ParseInt(v.field("transfer-to"), 10, 64)
	if err != nil {
		return pageError{http.StatusBadRequest}
	}
	page.TransferTo = waymark.UserID(transferTo)
	if v.field("confirm") != page.Name {
		page.Problems = problems{{"confirm", v.t("person.wrong-name", "name", page.Name)}}
		return v.renderStatus(http.StatusUnprocessableEntity, "person", page)
	}
	err = v.Accounts.RemoveUserAsAdmin(v.ctx(), v.user, page.ID, page.TransferTo)
	if errors.Is(err, waymark.ErrLastAdministrator) {
		page.Problems = problems{{"confirm", v.t("settings.last-administrator")}}
		return v.renderStatus(http.StatusUnprocessableEntity, "person", page)
	}
	if err != nil {
		return err
	}
	if page.ID == v.user.ID {
		return v.redirect("/signin")
	}
	return v.changed("/settings/people", toast{Text: v.t("person.removed", "name", page.Name)})
}
