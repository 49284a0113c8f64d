package waymark

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// trackingParameters are parameters of URLs that say where a click came from, and do not change the
// page. Those that begin with utm_ do the same. Others that are used for that, such as ref, source, si
// or t, change pages somewhere.
var trackingParameters = setOfWords(`fbclid gclid gclsrc gbraid wbraid dclid srsltid msclkid twclid ttclid yclid igshid igsh
	li_fat_id mc_cid mc_eid _hsenc _hsmi __hssc __hstc __hsfp mkt_tok vero_id oly_anon_id oly_enc_id _openstat rb_clickid s_cid`)

func setOfWords(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// URLKey returns what URLs of one page have in common, to find links that are nearly the same. It is never
// shown, and the database has a hash of it: after a change of its rules, run waymark doctor --repair.
//
// The key of http and https URLs has no scheme, user, default port and www., and no slash at the end of the
// path. The host is in lower case and in ASCII. Dot segments of the path are resolved. Characters that need
// no percent-encoding are decoded, and the others are encoded in upper case. Parameters are sorted, without
// trackingParameters. The fragment is kept, because it can be another place or page, except #top, #readme and
// text fragments. The key of any other URL is the URL itself.
func URLKey(text string) string {
	scheme, rest, _ := SplitScheme(text)
	name, port := hostAndPort(rest)
	if scheme != "http" && scheme != "https" || name == "" {
		return text
	}
	rest = rest[len("//"):]
	end := strings.IndexAny(rest, `/?#\`)
	if end < 0 {
		end = len(rest)
	}
	rest, fragment, _ := strings.Cut(rest[end:], "#")
	path, query, _ := strings.Cut(rest, "?")
	key := keyHost(name)
	if port != "" && port != defaultPorts[scheme] {
		key += ":" + port
	}
	key += keyPath(path)
	if query = keyQuery(query); query != "" {
		key += "?" + query
	}
	fragment, _, _ = strings.Cut(fragment, ":~:")
	if fragment != "" && !strings.EqualFold(fragment, "top") && !strings.EqualFold(fragment, "readme") {
		key += "#" + normalizeEncoding(fragment)
	}
	return key
}

// keyHost returns a host in lower case and in ASCII, without www.
func keyHost(name string) string {
	name = strings.ToLower(name)
	if rest := strings.TrimSuffix(name, "."); rest != "" {
		name = rest
	}
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii
	}
	if rest, ok := strings.CutPrefix(name, "www."); ok && strings.Contains(rest, ".") {
		return rest
	}
	return name
}

// keyPath returns a path without dot segments and without a slash at its end.
func keyPath(path string) string {
	path = normalizeEncoding(strings.ReplaceAll(path, `\`, "/")) // as browsers do
	segments := []string{}
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		switch segment {
		case ".":
		case "..":
			segments = segments[:max(0, len(segments)-1)]
		default:
			segments = append(segments, segment)
		}
	}
	return strings.TrimRight("/"+strings.Join(segments, "/"), "/")
}

// keyQuery returns the sorted parameters of a query without trackingParameters.
func keyQuery(query string) string {
	var kept []string
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		folded := strings.ToLower(name)
		if parameter == "" || isTracking(folded) {
			continue
		}
		if name = reencode(name); value != "" {
			name += "=" + reencode(value)
		}
		kept = append(kept, name)
	}
	slices.Sort(kept)
	return strings.Join(kept, "&")
}

// isTracking reports whether a parameter, in lower case, is one of trackingParameters or begins with utm_.
func isTracking(name string) bool { return trackingParameters[name] || strings.HasPrefix(name, "utm_") }

// reencode returns a part of a query in one of its encodings.
func reencode(part string) string {
	decoded, err := url.QueryUnescape(part)
	if err != nil {
		decoded = part
	}
	return url.QueryEscape(decoded)
}

// normalizeEncoding returns a part of a URL in which exactly the characters are percent-encoded that need it.
func normalizeEncoding(part string) string {
	const hex = "0123456789ABCDEF"
	var normal strings.Builder
	for i := 0; i < len(part); i++ {
		c := part[i]
		encoded := c <= ' ' || c >= 0x7F || strings.IndexByte(`"<>`, c) >= 0
		if c == '%' && i+2 < len(part) {
			high, low := strings.IndexByte(hex, upper(part[i+1])), strings.IndexByte(hex, upper(part[i+2]))
			if high >= 0 && low >= 0 {
				c = byte(high<<4 | low)
				encoded = !isUnreserved(c)
				i += 2
			}
		}
		if encoded {
			normal.Write([]byte{'%', hex[c>>4], hex[c&0xF]})
		} else {
			normal.WriteByte(c)
		}
	}
	return normal.String()
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// isUnreserved reports whether a character means the same whether it is percent-encoded or not (RFC 3986,
// section 2.3).
func isUnreserved(c byte) bool {
	return 'A' <= upper(c) && upper(c) <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
