package web

import (
	"fmt"
	"strings"
)

// serverPage is the data of the page about the server.
type serverPage struct {
	Version, Database, Size string
	Users, Links            int
	Address                 string
	Guests                  bool
}

func (v *visit) showServer() error {
	summary, err := v.Store.Summary(v.ctx())
	if err != nil {
		return err
	}
	return v.render("server", serverPage{
		Version: v.Version, Database: summary.Database, Size: sizeText(summary.Size),
		Users: summary.Users, Links: summary.Links, Address: v.baseURL(), Guests: v.Settings.GuestPages,
	})
}

// sizeText returns a size in bytes with its largest unit, such as 23.4 MiB or 256 MiB.
func sizeText(bytes int64) string {
	size, unit := float64(bytes)/1024, 0
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", size), ".0") + " " + units[unit]
}
