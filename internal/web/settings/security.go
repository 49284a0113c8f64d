package settings

import (
	"cmp"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

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

type device struct {
	ID          waymark.SessionID
	Browser     string // such as "Firefox, Linux"
	Address     string
	Method      string // how the user has signed in, such as "Passkey"
	Icon        string // of the method
	Since, Seen page.Moment
	Trusted     *page.Moment // until when no code is asked there, nil if one is
	Current     bool         // the browser of this request
}

func devicesOf(r *page.Request) ([]device, error) {
	sessions, err := r.Store.Accounts.Sessions(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	var devices []device
	for _, session := range sessions {
		if r.Accounts.SessionEnded(session) {
			continue // it is about to be deleted
		}
		name, icon := methodName(r, session)
		devices = append(devices, device{
			ID: session.ID, Browser: browserName(r, session.Browser), Address: session.Address, Method: name, Icon: icon,
			Since: r.Moment(session.CreatedAt), Seen: r.Moment(session.LastSeenAt), Trusted: r.MomentOrNever(session.TrustedUntil), Current: session.ID == r.Session.ID,
		})
	}
	return devices, nil
}

// methodName returns how a user has signed in, and the icon of that.
func methodName(r *page.Request, session waymark.Session) (name, icon string) {
	switch session.Method {
	case waymark.ByPasswordAndCode:
		return r.T("devices.by-code"), "smartphone"
	case waymark.ByPasskey:
		if session.Passkey != "" {
			return r.T("devices.by-passkey-name", "name", session.Passkey), "fingerprint-pattern"
		}
		return r.T("devices.by-passkey"), "fingerprint-pattern"
	case waymark.ByProvider:
		return cmp.Or(r.Config.SignIn.OIDC.Provider(), r.T("devices.by-provider")), "building-2"
	case waymark.ByHeader:
		return r.T("devices.by-header"), "server"
	default:
		return r.T("devices.by-password"), "rectangle-ellipsis"
	}
}

// browserName returns the browser and the system of a User-Agent header.
func browserName(r *page.Request, header string) string {
	browser, system := firstIn(header, browserNames), firstIn(header, systemNames)
	switch {
	case browser == "":
		return r.T("devices.unknown")
	case system == "":
		return browser
	}
	return r.T("devices.on", "browser", browser, "system", system)
}

// named is a name, and the part of a User-Agent header by which it is recognized.
type named struct{ part, name string }

// browserNames and systemNames are in the order in which they are looked for: the headers of many
// browsers also name the browsers that they imitate.
var (
	browserNames = []named{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi", "Vivaldi"}, {"SamsungBrowser", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS", "Firefox"}, {"CriOS", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	}
	systemNames = []named{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

func firstIn(header string, all []named) string {
	for _, n := range all {
		if strings.Contains(header, n.part) {
			return n.name
		}
	}
	return ""
}

// EndDevice signs the user out in another browser.
func EndDevice(r *page.Request, id waymark.SessionID) error {
	if err := r.Store.Accounts.DeleteSession(r.Context(), r.User.ID, id); err != nil {
		return err
	}
	return r.Changed(securityPath, page.Toast{Text: r.T("devices.ended")})
}

// EndOtherDevices signs the user out in all other browsers.
func EndOtherDevices(r *page.Request) error {
	if err := r.Store.Accounts.DeleteOtherSessions(r.Context(), r.User.ID, r.Session.ID); err != nil {
		return err
	}
	return r.Changed(securityPath, page.Toast{Text: r.T("devices.others-ended")})
}
