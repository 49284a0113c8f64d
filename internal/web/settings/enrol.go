package settings

import (
	"strings"

	"waymark/internal/web/page"
)

// enrolPage is the data of the page on which people set up the second factor that is required of them, before
// they can do anything else.
type enrolPage struct {
	page.Plain
	Name       string // of the user
	Back       string // the path to go to afterwards
	Setup      *appSetup
	Codes      []string        // recovery codes that were just made
	Passkeys   bool            // browsers have passkeys for the URL of the server
	NewPasskey *newPasskeyForm // the form to make one, or nil
}

// CodesText returns the recovery codes that were just made, one a line.
func (p enrolPage) CodesText() string { return strings.Join(p.Codes, "\n") }

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
