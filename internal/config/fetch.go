package config

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// Fetch holds the settings of everything that Waymark requests from other servers.
type Fetch struct {
	Metadata      Metadata      `embed:""`
	MetadataWait  time.Duration `help:"Maximum time to wait for the page when one link is saved. Then the page is fetched in the background." default:"1s" env:"WAYMARK_METADATA_WAIT" group:"Other servers"`
	MetadataTries int           `help:"Maximum number of attempts to fetch a page, with pauses of 1 minute, 10 minutes, 1 hour and 12 hours." default:"5" env:"WAYMARK_METADATA_TRIES" group:"Other servers"`

	Pictures       Pictures `embed:""`
	PicturesSize   Size     `name:"pictures-size" help:"Maximum total size of all pictures." default:"1GiB" env:"WAYMARK_PICTURES_SIZE" group:"Other servers"`
	PicturesBytes  Size     `name:"pictures-bytes" help:"Maximum size of an image that is downloaded for a picture." default:"10MiB" env:"WAYMARK_PICTURES_BYTES" group:"Other servers"`
	PicturesMemory Size     `name:"pictures-memory" help:"Maximum memory to decode an image. Images are decoded one at a time." default:"256MiB" env:"WAYMARK_PICTURES_MEMORY" group:"Other servers"`

	Check            string        `help:"Check each link about once a month, to find links that are broken or have moved: on or off." enum:"on,off" default:"on" env:"WAYMARK_CHECK" group:"Other servers"`
	CheckConnections int           `help:"Maximum number of links that are checked at the same time." default:"8" env:"WAYMARK_CHECK_CONNECTIONS" group:"Other servers"`
	CheckWait        time.Duration `help:"Maximum time that a request to check a link waits for the result. Then the check continues in the background." default:"10s" env:"WAYMARK_CHECK_WAIT" group:"Other servers"`

	Allow       Networks      `name:"fetch-allow" help:"Private networks to which the server may connect, such as 10.0.0.0/8: comma-separated IP addresses and networks. Every user can then make the server request pages there. Default: none." env:"WAYMARK_FETCH_ALLOW" placeholder:"NETWORKS" group:"Other servers"`
	Proxy       ProxyURL      `name:"fetch-proxy" help:"HTTP, HTTPS or SOCKS5 proxy for all requests to other servers, such as http://proxy.example.org:3128. The proxy itself must refuse private addresses. Default: none." env:"WAYMARK_FETCH_PROXY" placeholder:"URL" group:"Other servers"`
	Contact     Contact       `name:"fetch-contact" help:"Contact in the User-Agent of requests to other servers: an e-mail address or a URL. Default: the public URL of this server, if it is set." env:"WAYMARK_FETCH_CONTACT" placeholder:"ADDRESS" group:"Other servers"`
	Timeout     time.Duration `name:"fetch-timeout" help:"Maximum time to fetch a page, including redirects." default:"15s" env:"WAYMARK_FETCH_TIMEOUT" group:"Other servers"`
	Bytes       Size          `name:"fetch-bytes" help:"Maximum decompressed size of a page. The rest is not read." default:"1MiB" env:"WAYMARK_FETCH_BYTES" group:"Other servers"`
	HeaderLimit Size          `name:"fetch-header-limit" help:"Maximum size of the headers of a response." default:"64KiB" env:"WAYMARK_FETCH_HEADER_LIMIT" group:"Other servers"`
	Ratio       int           `name:"fetch-ratio" help:"Maximum ratio of decompressed to compressed size of a page, beyond the first 64 KiB." default:"200" env:"WAYMARK_FETCH_RATIO" group:"Other servers"`
	Redirects   int           `name:"fetch-redirects" help:"Maximum number of redirects to follow for a page." default:"5" env:"WAYMARK_FETCH_REDIRECTS" group:"Other servers"`
	Connections int           `name:"fetch-connections" help:"Maximum number of pages that are fetched at the same time." default:"8" env:"WAYMARK_FETCH_CONNECTIONS" group:"Other servers"`
	HostPause   time.Duration `name:"fetch-host-pause" help:"Minimum time between two requests to the same host, counting all servers on the database." default:"1s" env:"WAYMARK_FETCH_HOST_PAUSE" group:"Other servers"`
}

// Metadata says whether titles, descriptions and images of links are fetched from their pages.
type Metadata struct {
	Metadata  string `help:"Fetch the title, description and image of new links from their pages: on or off." enum:"on,off" default:"on" env:"WAYMARK_METADATA" group:"Other servers"`
	Snapshots string `help:"Snapshots of pages to keep: text (the readable text), full (the text, and the whole page with its images) or off. It needs --metadata=on." enum:"off,text,full" default:"text" env:"WAYMARK_SNAPSHOTS" group:"Other servers"`
	// SnapshotsQuota is the limit of each user.
	SnapshotsQuota Size `help:"Maximum total size of the snapshots of one user, compressed." default:"1GiB" env:"WAYMARK_SNAPSHOTS_QUOTA" group:"Other servers"`

	ArchivePageBytes     Size          `help:"Maximum size of a full snapshot with all downloads for it, at most 64MiB. If it is above 3MiB, importing an archive can need a larger --import-line." default:"3MiB" env:"WAYMARK_ARCHIVE_PAGE_BYTES" group:"Other servers"`
	ArchiveResourceBytes Size          `help:"Maximum size of a style sheet, an image or a font of a full snapshot. Larger files are omitted." default:"1MiB" env:"WAYMARK_ARCHIVE_RESOURCE_BYTES" group:"Other servers"`
	ArchiveResources     int           `help:"Maximum number of style sheets, images and fonts of a full snapshot." default:"100" env:"WAYMARK_ARCHIVE_RESOURCES" group:"Other servers"`
	ArchiveTime          time.Duration `help:"Maximum time to download the style sheets, images and fonts of a page. Files that are still missing then are omitted." default:"30s" env:"WAYMARK_ARCHIVE_TIME" group:"Other servers"`
}

// maxArchivePage is singlefile.MaxBytes.
const maxArchivePage = 64 << 20

// Pictures says whether pictures are made of the images of pages and the icons of sites.
type Pictures struct {
	Pictures string `help:"Download the images of pages and the icons of sites, and show small pictures of them: on or off." enum:"on,off" default:"on" env:"WAYMARK_PICTURES" group:"Other servers"`
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
	for _, wait := range []struct {
		flag string
		time time.Duration
	}{{"--metadata-wait", f.MetadataWait}, {"--check-wait", f.CheckWait}} {
		if wait.time < 0 || wait.time > maxWait {
			err = errors.Join(err, fmt.Errorf("invalid %s %s: use a duration from 0s to %s", wait.flag, wait.time, maxWait))
		}
	}
	if f.Redirects < 0 {
		err = errors.Join(err, fmt.Errorf("invalid --fetch-redirects %d: use 0 or more", f.Redirects))
	}
	if f.HostPause < 0 {
		err = errors.Join(err, fmt.Errorf("invalid --fetch-host-pause %s: use a duration such as 1s, or 0s for none", f.HostPause))
	}
	if f.Metadata.ArchiveResources < 0 {
		err = errors.Join(err, fmt.Errorf("invalid --archive-resources %d: use 0 or more", f.Metadata.ArchiveResources))
	}
	if n := f.Metadata.ArchivePageBytes; n > maxArchivePage {
		err = errors.Join(err, fmt.Errorf("invalid --archive-page-bytes %s: use 64MiB or less", n))
	}
	if f.Metadata.Snapshots == "full" && !f.Metadata.On() {
		err = errors.Join(err, errors.New("invalid --snapshots full: it needs --metadata=on"))
	}
	return errors.Join(
		err,
		positive("--fetch-timeout", f.Timeout),
		atLeastOne("--metadata-tries", f.MetadataTries),
		atLeastOne("--check-connections", f.CheckConnections),
		atLeastOne("--fetch-ratio", f.Ratio),
		atLeastOne("--fetch-connections", f.Connections),
		positive("--archive-time", f.Metadata.ArchiveTime),
	)
}

// maxWait is less than the default of --request-timeout.
const maxWait = 10 * time.Second

// ProxyURL is the URL of a proxy. The zero value is none.
type ProxyURL struct{ url *url.URL }

// UnmarshalText parses an http, https or socks5 URL. Its error does not contain the URL, which can
// have a password.
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
