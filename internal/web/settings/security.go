package settings

import "waymark/internal/web/page"

// securityPath is the path of the page about how the user signs in.
const securityPath = "/settings/signin"

// securityPage is the data of that page.
type securityPage struct {
	Devices []device
}

func newSecurityPage(r *page.Request) (securityPage, error) {
	devices, err := devicesOf(r)
	return securityPage{Devices: devices}, err
}

// ShowSecurity shows how the user signs in, and where they are signed in.
func ShowSecurity(r *page.Request) error {
	p, err := newSecurityPage(r)
	if err != nil {
		return err
	}
	return r.Render("security", p)
}
