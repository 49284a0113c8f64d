package web

import (
	"net/url"
	"strconv"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// sequence is the page of links from which people have opened a link: they go on to the next one there. The parameter "in"
// has its path, and "n" the number of the link.
type sequence struct {
	In     string // the path of the page, "" if it is not known
	N      int    // from 1; the link may have another number by now
	search search
}

type neighbour struct {
	waymark.Link
	N int
}

// parameters returns those of the request for the link with a number.
func (s sequence) parameters(n int) url.Values {
	if s.In == "" {
		return nil
	}
	return url.Values{"in": {s.In}, "n": {strconv.Itoa(n)}}
}

func (s sequence) readPath(l *neighbour) string {
	return page.JoinQuery(linkPath(l.ID)+"/read", s.parameters(l.N).Encode())
}

func hasText(l waymark.Link) bool { return l.Minutes > 0 }

// minutesLeft says how long the rest of a text takes, or that it was read.
func minutesLeft(c page.Clock, link waymark.Link, p waymark.ReadingPosition) string {
	switch {
	case p.ReadThrough():
		return c.T("read.through")
	case p.PerMille == 0:
		return c.T("read.minutes", "n", link.Minutes)
	}
	return c.T("read.left", "n", p.Left(link.Minutes))
}

// maxBefore is the maximum length in bytes of the URL of the page before. Escaped in another URL,
// it is up to 2.3 times as long, and proxies often limit URLs to 8 kB. The page before can be the
// page of another link, with its own page before.
const maxBefore = 1500
