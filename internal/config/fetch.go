package config

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// Fetch holds the settings of everything that Waymark requests from other servers.
type Fetch struct {
	Metadata Metadata `embed:""`

	Pictures     Pictures `embed:""`
	PicturesSize Size     `name:"pictures-size" help:"Maximum size of all pictures." default:"1GiB" env:"WAYMARK_PICTURES_SIZE" group:"Pages of links"`

	Check string `help:"Check links once a month: on or off." enum:"on,off" default:"on" env:"WAYMARK_CHECK" group:"Pages of links"`

	Allow     Networks      `name:"fetch-allow" help:"Private networks to which the server may connect." env:"WAYMARK_FETCH_ALLOW" placeholder:"NETWORKS" group:"Pages of links"`
	Proxy     ProxyURL      `name:"fetch-proxy" help:"HTTP, HTTPS or SOCKS5 proxy. It must refuse private addresses itself." env:"WAYMARK_FETCH_PROXY" placeholder:"URL" group:"Pages of links"`
	Timeout   time.Duration `name:"fetch-timeout" help:"Maximum time to fetch a page, with redirects." default:"15s" env:"WAYMARK_FETCH_TIMEOUT" group:"Pages of links"`
	HostPause time.Duration `name:"fetch-host-pause" help:"Minimum time between two requests to a host." default:"1s" env:"WAYMARK_FETCH_HOST_PAUSE" group:"Pages of links"`
}

// Metadata says whether titles, descriptions and images of links are fetched from their pages.
type Metadata struct {
	Metadata  string `help:"Fetch titles, descriptions and images: on or off." enum:"on,off" default:"on" env:"WAYMARK_METADATA" group:"Pages of links"`
	Snapshots string `help:"Snapshots of pages: text, full (also the whole page) or off." enum:"off,text,full" default:"text" env:"WAYMARK_SNAPSHOTS" group:"Pages of links"`
	// SnapshotsQuota is the limit of each user.
	SnapshotsQuota Size `help:"Maximum size of a user's snapshots, compressed." default:"1GiB" env:"WAYMARK_SNAPSHOTS_QUOTA" group:"Pages of links"`
}

// Pictures says whether pictures of pages and icons of sites are made.
type Pictures struct {
	Pictures string `help:"Show pictures of pages and sites: on or off." enum:"on,off" default:"on" env:"WAYMARK_PICTURES" group:"Pages of links"`
}

// On reports whether pictures are made.
func (p Pictures) On() bool { return p.Pictures == "on" }

// On reports whether metadata is fetched from pages.
func (m Metadata) On() bool { return m.Metadata == "on" }

// TextSnapshots reports whether text snapshots are kept.
func (m Metadata) TextSnapshots() bool { return m.On() && m.Snapshots != "off" }

// FullSnapshots reports whether full snapshots are kept.
func (m Metadata) FullSnapshots() bool { return m.On() && m.Snapshots == "full" }

// Checks reports whether links are checked.
func (f Fetch) Checks() bool { return f.Check == "on" }

// Validate returns an error for values that cannot work.
func (f Fetch) Validate() error {
	var err error
	if f.Metadata.Snapshots == "full" && !f.Metadata.On() {
		err = errors.New("invalid --snapshots full: it needs --metadata=on")
	}
	if f.HostPause < 0 {
		err = errors.Join(err, fmt.Errorf("invalid --fetch-host-pause %s: use a duration such as 1s, or 0s for none", f.HostPause))
	}
	return errors.Join(
		err,
		atLeast("--fetch-timeout", f.Timeout, time.Second),
	)
}

// ProxyURL is the URL of a proxy. The zero value is none.
type ProxyURL struct{ url *url.URL }

// UnmarshalText parses an http, https or socks5 URL. Errors do not contain it: it can have a password.
func (p *ProxyURL) UnmarshalText(text []byte) error {
	p.url = nil
	if len(text) == 0 {
		return nil
	}
	u, err := url.Parse(string(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5" || u.Hostname() == "" {
		return errors.New("invalid proxy: use for example http://proxy.example.org:3128 or socks5://127.0.0.1:1080")
	}
	p.url = u
	return nil
}

// URL returns the URL, nil for none.
func (p ProxyURL) URL() *url.URL { return p.url }
