package bookmarks

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// binaryError returns an error if head is the beginning of a common kind of file that Open cannot
// read.
func binaryError(head []byte) error {
	for _, kind := range []struct {
		magic string
		kind  FileKind
		text  string
	}{
		{"PK\x03\x04", KindZIP, "the file is a ZIP archive: unpack it and import the files in it"},
		{"mozLz40\x00", KindFirefox, "the file is a compressed backup of Firefox (jsonlz4): in the library of Firefox, " +
			"restore it and make a new file with Import and Backup, Backup… (JSON) or Export Bookmarks to HTML…"},
		{"SQLite format 3\x00", KindBinary, "the file is an SQLite database: export the bookmarks as a file in the program that wrote it"},
		{"bplist0", KindBinary, "the file is a binary property list of macOS: in Safari, use File, Export, Bookmarks, or convert it with plutil -convert xml1"},
		{"\x1f\x8b", KindGzip, "the file was compressed with gzip twice: unpack it and import the file in it"},
		{"%PDF-", KindBinary, "the file is a PDF document: export the bookmarks as HTML, CSV or JSON"},
	} {
		if bytes.HasPrefix(head, []byte(kind.magic)) {
			return &FormatError{kind.kind, kind.text}
		}
	}
	return nil
}

// recognise returns the format of a text that begins with head.
func recognise(head []byte) (Format, error) {
	start := bytes.TrimLeft(head, " \t\r\n\x00")
	lower := bytes.ToLower(start)
	switch {
	case len(head) == 0:
		return "", &FormatError{KindEmpty, "the file is empty"}
	case len(start) == 0 && len(head) < sniffSize:
		return "", &FormatError{KindEmpty, "the file has only white space"}
	case len(start) == 0:
		return "", &FormatError{KindUnknown, fmt.Sprintf("the first %d bytes of the file are only white space", len(head))}
	case ownFormat(start) == "waymark-archive":
		return FormatArchive, nil
	case jsonStart.Match(start):
		return FormatJSON, nil
	case start[0] == '<' && containsAny(lower, "<opml"):
		return FormatOPML, nil
	case start[0] == '<' && (xmlRoot.Match(lower) || containsAny(lower, "<posts")):
		return FormatXML, nil
	case start[0] == '<' && containsAny(lower, "<!doctype netscape", "<dl", "<a ") && !containsAny(lower, "<urlset"):
		return FormatHTML, nil
	case isTable(head):
		return FormatCSV, nil
	case isYAML(head):
		return "", &FormatError{KindYAML, "the file is YAML: convert it to JSON, for example with yq -o json, and import that file"}
	case (start[0] != '<' || bytes.HasPrefix(lower, []byte("<http"))) && containsAny(lower, "http://", "https://") &&
		!containsAny(lower, "\x00", `":"http`, `": "http`): // not JSON
		return FormatPlain, nil
	}
	return "", &FormatError{KindUnknown, fmt.Sprintf("unknown format: the file begins with %q: use HTML, CSV, JSON, OPML or a list of URLs",
		strings.ToValidUTF8(string(start[:min(len(start), 40)]), "\ufffd"))}
}

// xmlRoot is the start of XML with bookmarks, up to the name of the element around all others.
var xmlRoot = regexp.MustCompile(`(?s)^(?:\s|<!--.*?-->|<[!?][^>]*>)*<(?:xbel|en-export|rss|feed|rdf:rdf|plist)[\s>]`)

// jsonStart is the start of a JSON object, or of an array of objects, URLs or such arrays. A text can begin with a link
// of Markdown or Org, which has brackets.
var jsonStart = regexp.MustCompile(`^(?:\{\s*["}]|\[\s*(?:[\]{]|"http|\[\s*["{]))`)

// yamlLine is a key of YAML with its value.
var yamlLine = regexp.MustCompile(`(?m)^[ \t]*(?:- +)?["']?([\w -]{1,40}?)["']?:(?:[ \t]+["']?(.*)|\r?)$`)

// isYAML reports whether a text has mappings of YAML: URLs with a key that is known, and texts with others.
// A list of URLs can have "url:" in front of each.
func isYAML(head []byte) bool {
	hasURL, hasText := false, false
	for _, match := range yamlLine.FindAllSubmatch(head, -1) {
		name, isURL := knownName(string(match[1])), isWebURL(string(match[2]))
		hasURL = hasURL || isURL && slices.Contains(urlNames, name)
		hasText = hasText || !isURL && name != "" && !slices.Contains(urlNames, name)
	}
	return hasURL && hasText && !containsAny(head, "](http") // Markdown can begin with YAML
}

func isTable(head []byte) bool {
	_, found := findTable(head)
	return found && !bytes.Contains(head, []byte{0})
}

func containsAny(text []byte, parts ...string) bool {
	for _, part := range parts {
		if bytes.Contains(text, []byte(part)) {
			return true
		}
	}
	return false
}
