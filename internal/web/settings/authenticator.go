package settings

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"rsc.io/qr"

	"waymark/internal/accounts"
	"waymark/internal/auth"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// appSetup is the form with which a user sets up an authenticator app.
type appSetup struct {
	Secret string
	Key    string // the secret in groups of four, for people who type it
	QR     qrCode // of the URL that has the secret
	Text   string // what is wrong with the code
	New    bool   // the user has an app already
}

// newAppSetup returns the form for a secret. Its error is a page.Error if the secret is malformed.
func newAppSetup(r *page.Request, secret string) (*appSetup, error) {
	account := r.User.Name
	if base, err := url.Parse(r.BaseURL()); err == nil {
		account += "@" + base.Hostname()
	}
	keyURL, err := auth.TOTPURL(secret, account)
	if err != nil {
		return nil, page.Error{Status: http.StatusBadRequest}
	}
	code, err := newQRCode(keyURL)
	return &appSetup{Secret: secret, Key: inFours(secret), QR: code}, err
}

func inFours(text string) string {
	var groups []string
	for len(text) > 4 {
		groups, text = append(groups, text[:4]), text[4:]
	}
	return strings.Join(append(groups, text), " ")
}

type qrCode struct {
	Box  string // the view box, with the margin that cameras need
	Path string // of the dark squares
}

func newQRCode(text string) (qrCode, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return qrCode{}, fmt.Errorf("make a QR code: %w", err)
	}
	const margin = 4
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			start := x
			for code.Black(x, y) {
				x++
			}
			if n := x - start; n > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", start, y, n, n)
			}
		}
	}
	return qrCode{Box: fmt.Sprintf("-%d -%d %d %d", margin, margin, code.Size+2*margin, code.Size+2*margin), Path: path.String()}, nil
}

// SetUpApp shows the form to set up an authenticator app, and sets it up when the form comes with the first
// code. Recovery codes are shown in the response, since they are shown only once.
func SetUpApp(r *page.Request) error {
	codes, form, status, err := setUpApp(r)
	if err != nil {
		return err
	}
	if form == nil && codes == nil {
		return r.Changed(securityPath, page.Toast{Text: r.T("security.app-changed")})
	}
	return renderAgain(r, status, "security", newSecurityPage, func(p *securityPage) {
		if p.Setup, p.Codes = form, codes; form != nil {
			form.New = p.App()
		}
	})
}

// setUpApp sets up an authenticator app if the request has a code for it. It returns recovery codes with the
// first app, or the form and the status of its page.
func setUpApp(r *page.Request) (codes []string, form *appSetup, status int, err error) {
	r.W.Header().Set("Cache-Control", "no-store")
	secret := r.Field("secret")
	if secret == "" {
		form, err = newAppSetup(r, auth.NewTOTPSecret())
		return nil, form, http.StatusOK, err
	}
	if form, err = newAppSetup(r, secret); err != nil {
		return nil, nil, 0, err
	}
	codes, err = r.Accounts.SetUpApp(r.Context(), r.Visitor, secret, r.Field("code"))
	if errors.Is(err, waymark.ErrWrongCode) {
		form.Text = wrongProof(r, accounts.Proof{})
		return nil, form, http.StatusUnprocessableEntity, nil
	}
	return codes, nil, http.StatusOK, err
}

// RemoveApp removes the authenticator app of the user.
func RemoveApp(r *page.Request) error {
	err := r.Accounts.RemoveApp(r.Context(), r.User.ID)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return noButton(err)
	}
	return r.Changed(securityPath, page.Toast{Text: r.T("security.app-removed")})
}

// NewRecoveryCodes responds with new codes instead of a redirect, since they are shown only once.
func NewRecoveryCodes(r *page.Request) error {
	codes, err := r.Accounts.NewRecoveryCodes(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	r.W.Header().Set("Cache-Control", "no-store")
	return renderAgain(r, http.StatusOK, "security", newSecurityPage, func(p *securityPage) { p.Codes = codes })
}

// EndTrust makes all browsers of the user ask for a code again.
func EndTrust(r *page.Request) error {
	if err := r.Store.Accounts.EndTrust(r.Context(), r.User.ID); err != nil {
		return err
	}
	return r.Changed(securityPath, page.Toast{Text: r.T("security.trust-ended")})
}

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
