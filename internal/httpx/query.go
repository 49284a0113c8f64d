package httpx

import (
	"net/url"
	"strings"
)

// ParseQuery parses a query as browsers do (URL Standard, application/x-www-form-urlencoded): a
// semicolon is part of a value, and a malformed percent escape stands for itself. url.ParseQuery
// would drop such parameters. Values can be invalid UTF-8: see ReplaceInvalid.
func ParseQuery(raw string) url.Values {
	values := url.Values{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			values.Add(unescape(name), unescape(value))
		}
	}
	return values
}

// ReplaceInvalid replaces invalid UTF-8 and NUL by U+FFFD, because PostgreSQL rejects them and no
// stored text contains them.
func ReplaceInvalid(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// unescape decodes the plus signs and the well-formed percent escapes of a name or value.
func unescape(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		escape := s[i:min(i+3, len(s))]
		decoded, err := url.QueryUnescape(escape)
		switch {
		case s[i] == '%' && err == nil:
			b.WriteString(decoded)
			i += 2
		case s[i] == '+':
			b.WriteByte(' ')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
