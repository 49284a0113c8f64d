package bookmarks

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// attribute is an attribute of a tag, with its name in lower case.
type attribute struct{ name, value string }

// The limits of the search for the end of a value, so that it takes linear time.
const (
	maxMarks  = 20       // quotation marks of a value
	maxBefore = 40       // bytes before one
	maxAfter  = 200      // bytes after one
	maxIcon   = 16 << 10 // bytes of an SVG icon
)

// Programs do not escape quotation marks in values, or leave out one.
var (
	// afterValue is what follows the quotation mark at the end of a value: the end of the tag, or the next attribute.
	afterValue = regexp.MustCompile(`^(?:(?:\s+[^\s"'<>/=]+)*(?:\s*/?>|\s+[^\s"'<>/=]+\s*=)|[^\s"'<>/=]+=["'])`)
	// beforeValue is what precedes the quotation mark at the start of the next value.
	beforeValue = regexp.MustCompile(`(?i)\s+(?:href|add_date|last_modified|last_visit|time_added|icon|icon_uri|shortcuturl|tags|private|toread|archived|title|description|text|url|htmlurl|xmlurl|type)=$`)
	// nextAttribute follows an attribute without a value.
	nextAttribute = regexp.MustCompile(`^\s+[\w-]+=["']`)
)

const htmlSpace = " \t\r\n\f"

// splitValue returns the value of an attribute, whose name ends at data[i], and where what follows it begins, -1
// after all data. If the next bookmark begins before the end of the value, the value is broken and ends there.
func splitValue(data []byte, i int, isAll bool, bookmark *regexp.Regexp) (value []byte, next int, isBroken bool) {
	rest := bytes.TrimLeft(data[i:], htmlSpace)
	if len(rest) == 0 {
		return nil, -1, false
	}
	if rest[0] != '=' {
		return nil, i, false
	}
	afterEqual := rest[1:]
	if rest = bytes.TrimLeft(afterEqual, htmlSpace); len(rest) == 0 {
		return nil, -1, false
	}
	start := len(data) - len(rest)
	if rest[0] == '"' || rest[0] == '\'' {
		length, after, isBroken := quotedValue(rest[1:], rest[0], isAll, bookmark)
		if after >= 0 {
			after += start + 1
		}
		return rest[1 : 1+length], after, isBroken
	}
	if nextAttribute.Match(afterEqual) {
		return nil, start, false
	}
	if end := bytes.IndexAny(rest, htmlSpace+"><\"'"); end >= 0 {
		return rest[:end], start + end, false
	}
	return rest, -1, false
}

// quotedValue returns the length of the value that begins data, and where what follows it begins, as splitValue does.
func quotedValue(data []byte, mark byte, isAll bool, bookmark *regexp.Regexp) (length, after int, isBroken bool) {
	length, after = valueEnd(data, mark, isAll)
	if after < 0 {
		if length = 0; isAll {
			length = len(data)
		}
	}
	next := bookmark.FindIndex(data[:min(length+maxBefore, len(data))])
	if next == nil || next[0] >= length {
		return length, after, false
	}
	if first := bytes.IndexByte(data[:next[0]], mark); first >= 0 {
		return first, first + 1, false
	}
	return next[0], next[0], true
}

// valueEnd returns the length of the value that begins data, and where what follows it begins: at the first mark that
// afterValue follows or beforeValue precedes, or else at the first one. after is -1 if there is none, or more data is needed.
func valueEnd(data []byte, mark byte, isAll bool) (length, after int) {
	if end, isIcon := iconEnd(data, mark); end > 0 {
		return end, end + 1
	} else if isIcon && !isAll {
		return 0, -1
	}
	first, from := -1, 0
	for range maxMarks {
		at := bytes.IndexByte(data[from:], mark)
		if at < 0 && !isAll {
			return 0, -1
		}
		if at < 0 {
			break
		}
		at += from
		before, tail := data[max(0, at-maxBefore):at], data[at+1:min(at+1+maxAfter, len(data))]
		if missing := beforeValue.FindIndex(before); missing != nil {
			end := at - len(before) + missing[0]
			return end, end
		}
		switch {
		case afterValue.Match(tail):
			return at, at + 1
		case len(tail) < maxAfter && !isAll:
			return 0, -1
		}
		if from = at + 1; first < 0 {
			first = at
		}
	}
	if first < 0 {
		return 0, -1
	}
	return first, first + 1
}

const svgStart = "<svg"

// iconEnd returns where an SVG icon ends that has marks in it, 0 if its end is not in data. isIcon is false for other values, and
// for icons longer than maxIcon.
func iconEnd(data []byte, mark byte) (end int, isIcon bool) {
	if !bytes.HasPrefix(data, []byte("data:image/svg+xml")) {
		return 0, false
	}
	icon := data[:min(len(data), maxIcon)]
	if start := bytes.IndexByte(icon, mark); !bytes.Contains(icon[:max(start, 0)], []byte(svgStart)) {
		return 0, false
	}
	const last = "</svg>"
	if end := bytes.Index(icon, append([]byte(last), mark)); end >= 0 {
		return end + len(last), true
	}
	return 0, len(data) < maxIcon
}

// isBrokenIcon reports whether a value ends inside an SVG icon.
func isBrokenIcon(value []byte) bool {
	return bytes.Contains(value, []byte(svgStart)) && !bytes.HasSuffix(value, []byte(">"))
}

// unescapeAttribute returns a value as browsers read it: &copy=1 in a URL is no ©.
func unescapeAttribute(value []byte) string {
	if bytes.IndexByte(value, '&') < 0 {
		return string(value)
	}
	tag := `<a b="` + strings.ReplaceAll(string(value), `"`, "&#34;") + `">`
	z := html.NewTokenizer(strings.NewReader(tag))
	z.Next()
	z.TagName()
	_, text, _ := z.TagAttr()
	return string(text)
}
