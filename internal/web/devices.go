package web

import (
	"strings"

	"waymark/internal/waymark"
)

// device is a browser in which the user is signed in.
type device struct {
	ID          waymark.SessionID
	Browser     string // such as "Firefox, Linux"
	Address     string
	Since, Seen moment
	Current     bool // the browser of this request
}

func showDevices(v *visit) error {
	sessions, err := v.Store.Sessions(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	var devices []device
	for _, session := range sessions {
		if v.Accounts.SessionEnded(session) {
			continue // it is about to be deleted
		}
		devices = append(devices, device{
			ID: session.ID, Browser: browserName(v, session.Browser), Address: session.Address,
			Since: v.moment(session.CreatedAt), Seen: v.moment(session.LastSeenAt), Current: session.ID == v.session.ID,
		})
	}
	return v.render("devices", devices)
}

// browserName returns the browser and the system of a User-Agent header.
func browserName(v *visit, header string) string {
	browser, system := firstIn(header, browserNames), firstIn(header, systemNames)
	switch {
	case browser == "":
		return v.t("devices.unknown")
	case system == "":
		return browser
	}
	return v.t("devices.on", "browser", browser, "system", system)
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

func endDevice(v *visit) error {
	id, err := pathID[waymark.SessionID](v)
	if err != nil {
		return err
	}
	if err := v.Store.DeleteSession(v.ctx(), v.user.ID, id); err != nil {
		return err
	}
	return v.changed("/settings/devices", toast{Text: v.t("devices.ended")})
}

func endOtherDevices(v *visit) error {
	if err := v.Store.DeleteOtherSessions(v.ctx(), v.user.ID, v.session.ID); err != nil {
		return err
	}
	return v.changed("/settings/devices", toast{Text: v.t("devices.others-ended")})
}
