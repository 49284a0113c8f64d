package bookmarks

import (
	"bytes"
	"iter"
	"regexp"

	"golang.org/x/net/html"
)

// afterValue is what follows the quotation mark at the end of a value: the end of the tag, or the next
// attribute. Programs do not escape quotation marks in values.
var afterValue = regexp.MustCompile(`^(?:(?:\s+[^\s"'<>/=]+)*(?:\s*/?>|\s+[^\s"'<>/=]+\s*=)|[^\s"'<>/=]+=["'])`)

// Limits of the search for the end of a value, so that it takes linear time.
const (
	maxMarks      = 20  // quotation marks of a value
	maxAfter      = 200 // bytes after one
	maxAttributes = 20  // of a tag; after them, the first quotation mark ends a value
)

// valueEnd returns the index of the quotation mark c that ends a value: the first one that afterValue
// follows, or else the first one; -1 for none.
func valueEnd(value []byte, c byte) int {
	first, end := -1, -1
	for range maxMarks {
		next := bytes.IndexByte(value[end+1:], c)
		if next < 0 {
			return first
		}
		if end += 1 + next; first < 0 {
			first = end
		}
		if afterValue.Match(value[end+1 : min(end+1+maxAfter, len(value))]) {
			return end
		}
	}
	return first
}

// Programs can leave out a quotation mark at the end of an attribute, or at its start, or the whole value.
var (
	openAttributes = []*regexp.Regexp{openAttribute(`"`), openAttribute("'")}
	openHref       = regexp.MustCompile(`(?i)(\s(?:href|(?:html|xml)?url)=)([^\s"'>]+)"`)
	openURL        = regexp.MustCompile(`(?i)(\s(?:href|(?:html|xml)?url)=)["']([^"'<>\s]+)\s+([a-z][\w-]*=["'])`)
	noValue        = regexp.MustCompile(`(?i)(\s[a-z][\w-]*=)\s+([a-z][\w-]*=["'])`)
)

// openAttribute finds an attribute that the quotation mark does not end before the next attribute.
func openAttribute(mark string) *regexp.Regexp {
	const names = `(?:href|add_date|last_modified|last_visit|time_added|icon|icon_uri|tags|private|toread|archived|title|description|text|url|htmlurl|xmlurl|type)`
	return regexp.MustCompile(`(?i)=` + mark + `([^` + mark + `<>\s][^` + mark + `<>]*?)\s+(` + names + `=` + mark + `)`)
}

// Programs write an SVG icon without escaping the quotation marks in it, or cut it.
const svgStart = "data:image/svg+xml"

var (
	svgEnd  = regexp.MustCompile(`(?i)</svg>(["'])|(["'])(?:\s+[\w-]+="[^"<>]*")*\s*/?>[^<>]*</a`)
	svgIcon = regexp.MustCompile(`(?is)=\s*"data:image/svg\+xml[^"]*<svg.*?(?:</svg>"|"((?:\s+[\w-]+="[^"<>]*")*\s*/?>)$)`)
)

// attributeStart is the start of a value.
var attributeStart = regexp.MustCompile(`=\s*["']`)

// escapeInside escapes the quotation marks inside the values of a tag.
func escapeInside(tag []byte) []byte {
	var escaped []byte
	for number := 0; ; number++ {
		start := attributeStart.FindIndex(tag)
		if start == nil || number == maxAttributes {
			return append(escaped, tag...)
		}
		value, mark, entity := tag[start[1]:], tag[start[1]-1:start[1]], "&#34;"
		if mark[0] == '\'' {
			entity = "&#39;"
		}
		end := valueEnd(value, mark[0])
		if end < 0 {
			return append(escaped, tag...)
		}
		escaped = append(escaped, tag[:start[1]]...)
		escaped = append(escaped, bytes.ReplaceAll(value[:end], mark, []byte(entity))...)
		escaped = append(escaped, mark...)
		tag = value[end+1:]
	}
}

// attributes returns the attributes of a tag, with names in lower case.
func attributes(tag []byte) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		tag = svgIcon.ReplaceAll(tag, []byte(`=""$1`))
		for _, open := range openAttributes {
			tag = open.ReplaceAll(tag, []byte(`="$1" $2`))
		}
		tag = openURL.ReplaceAll(tag, []byte(`$1"$2" $3`))
		tag = noValue.ReplaceAll(tag, []byte(`$1"" $2`))
		tag = openHref.ReplaceAll(tag, []byte(`$1"$2"`))
		if !bytes.HasSuffix(tag, []byte(">")) {
			tag = append(bytes.Clone(tag), '>')
		}
		z := html.NewTokenizer(bytes.NewReader(escapeInside(tag)))
		z.Next()
		z.TagName()
		for more := true; more; {
			var key, value []byte
			if key, value, more = z.TagAttr(); len(key) > 0 && !yield(string(key), string(value)) {
				return
			}
		}
	}
}
