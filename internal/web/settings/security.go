package settings

import (
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// securityPath is the path of the page about how the user signs in.
const securityPath = "/settings/signin"

type securityPage struct {
	waymark.Factors
	factorForms
	Since   page.Moment // when the authenticator app was set up
	KeepApp string      // why the app cannot be turned off, or ""
	Devices []device

	Connections connections
	HasPasskeys bool          // browsers have passkeys for the URL of the server
	List        []passkeyView // the passkeys of the user
}

// FewCodes reports whether the user should make new recovery codes.
func (p securityPage) FewCodes() bool { return p.RecoveryCodes <= waymark.FewRecoveryCodes }

func newSecurityPage(r *page.Request) (securityPage, error) {
	factors, err := r.Store.Accounts.Factors(r.Context(), r.User.ID)
	if err != nil {
		return securityPage{}, err
	}
	devices, err := devicesOf(r)
	if err != nil {
		return securityPage{}, err
	}
	connected, err := connectionsOf(r)
	if err != nil {
		return securityPage{}, err
	}
	passkeys, err := passkeysOf(r)
	left := factors
	left.AppSince = 0
	return securityPage{
		KeepApp: keepFactor(r, left),
		Factors: factors, Since: r.Moment(factors.AppSince), Devices: devices, HasPasskeys: hasPasskeys(r), List: passkeys, Connections: connected,
	}, err
}

// keepFactor says why a factor must be kept. left are the factors without it. It returns "" if it can
// be removed.
func keepFactor(r *page.Request, left waymark.Factors) string {
	if left.Required && !left.Second() {
		return r.T("security.required")
	}
	return ""
}

// ShowSecurity shows how the user signs in, and where they are signed in.
var ShowSecurity = page.Show("security", newSecurityPage)
