package server

import (
	"cmp"
	"strings"

	"waymark/internal/config"
	"waymark/internal/fetch"
	"waymark/internal/service"
)

// NewPages returns what fetches pages with the settings of a server.
func NewPages(settings config.Fetch, base config.BaseURL, version string) *service.Pages {
	client := fetch.New(fetch.Options{
		Allow:       settings.Allow,
		Proxy:       settings.Proxy.URL(),
		UserAgent:   userAgent(version, cmp.Or(strings.TrimPrefix(string(settings.Contact), "mailto:"), base.String())),
		Timeout:     settings.Timeout,
		Bytes:       int64(settings.Bytes),
		Redirects:   settings.Redirects,
		HeaderBytes: int64(settings.HeaderLimit),
		Ratio:       settings.Ratio,
	})
	return service.NewPages(client, service.PageOptions{
		Wait:      settings.MetadataWait,
		Tries:     settings.MetadataTries,
		Timeout:   settings.Timeout,
		Parallel:  settings.Connections,
		HostPause: settings.HostPause,
	})
}

// userAgent returns the name under which Waymark requests pages, with a contact if there is one.
func userAgent(version, contact string) string {
	if contact == "" {
		return "Waymark/" + version
	}
	return "Waymark/" + version + " (+" + contact + ")"
}
