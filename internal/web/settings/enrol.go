package settings

import (
	"strings"

	"waymark/internal/web/page"
)

// enrolPage is the data of the page on which people set up the second factor that is required of them, before
// they can do anything else.
type enrolPage struct {
	page.Plain
	factorForms
	Name     string // of the user
	Back     string // the path to go to afterwards
	Passkeys bool   // browsers have passkeys for the URL of the server
}

// factorForms are the forms with which people set up a second factor, and what they show at the end.
type factorForms struct {
	Setup      *appSetup       // the form to set up an authenticator app, or nil
	Codes      []string        // recovery codes that were just made
	NewPasskey *newPasskeyForm // the form to make a passkey, or nil
}

// CodesText returns the recovery codes that were just made, one a line.
func (f factorForms) CodesText() string { return strings.Join(f.Codes, "\n") }

func newEnrolPage(r *page.Request) enrolPage {
	return enrolPage{Name: r.User.Name, Back: r.Back("/"), Passkeys: hasPasskeys(r)}
}

// EnrolApp sets up an authenticator app as SetUpApp does, on a page of its own.
func EnrolApp(r *page.Request) error {
	if !r.LacksFactor {
		return r.Redirect(r.Back("/"))
	}
	codes, form, status, err := setUpApp(r)
	if err != nil {
		return err
	}
	p := newEnrolPage(r)
	p.Setup, p.Codes = form, codes
	return r.RenderStatus(status, "enrol", p)
}

// EnrolPasskey adds a passkey as AddPasskey does, on a page of its own.
func EnrolPasskey(r *page.Request) error {
	if !r.LacksFactor {
		return r.Redirect(r.Back("/"))
	}
	form, status, err := addPasskey(r)
	if err != nil {
		return err
	}
	p := newEnrolPage(r)
	if form == nil {
		return passkeyAdded(r, p.Back)
	}
	p.NewPasskey = form
	return r.RenderStatus(status, "enrol", p)
}
