package linkindex

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// hosts numbers the hosts of links.
type hosts struct {
	numbers map[string]uint32
	names   []string // by number; the first is that of URLs without a host
	size    int      // of all names, in bytes
}

func newHosts() hosts { return hosts{numbers: map[string]uint32{}, names: []string{""}} }

func (h *hosts) number(host []byte) uint32 {
	if len(host) == 0 {
		return 0
	}
	n, ok := h.numbers[string(host)]
	if !ok {
		n = uint32(len(h.names))
		name := string(host)
		h.numbers[name] = n
		h.names = append(h.names, name)
		h.size += len(name)
	}
	return n
}

func (h *hosts) bytes() int64 {
	const entry = 48 // of a map, in bytes, at most
	return int64((entry+16)*len(h.names) + h.size)
}

// most returns the hosts with most links, with the links on their subdomains. counts are the links on
// each host alone, by number.
func (h *hosts) most(counts []uint32, limit int) (most []waymark.HostCount) {
	compare := func(a, b waymark.HostCount) int {
		return cmp.Or(cmp.Compare(b.Links, a.Links), strings.Compare(a.Host, b.Host))
	}
	for number, n := range counts {
		if n > 0 && number > 0 {
			most = addMost(most, waymark.HostCount{Host: h.names[number], Links: int(n)}, limit, compare)
		}
	}
	for number, n := range counts {
		if n == 0 || number == 0 {
			continue
		}
		for i := range most {
			if parent, ok := strings.CutSuffix(h.names[number], most[i].Host); ok && strings.HasSuffix(parent, ".") {
				most[i].Links += int(n)
			}
		}
	}
	slices.SortFunc(most, compare)
	return most
}

// siteOf returns the host in the record of a URL without www., as the predicate OnSite has it, or nil.
func siteOf(record []byte) []byte {
	at := bytes.Index(record, []byte("://"))
	if at < 0 {
		return nil
	}
	host := record[at+len("://"):]
	start, end := 0, -1
	for i, b := range host {
		if b == '/' || b == '?' || b == '#' || b == textEnd {
			if end < 0 {
				end = i
			}
			break
		}
		switch {
		case b == '@':
			start, end = i+1, -1
		case b == ':' && end < 0:
			end = i
		}
	}
	host = bytes.TrimPrefix(host[start:end], []byte("www."))
	if len(host) == 0 || host[0] == '[' {
		return nil
	}
	return host
}
