package bookmarks

import (
	"bytes"
	"fmt"
	"regexp"
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
	case jsonStart.Match(start[len(variableStart.Find(start)):]):
		return FormatJSON, nil
	case start[0] == '<' && containsAny(lower, "<opml"):
		return FormatOPML, nil
	case start[0] == '<' && (xmlRoot.Match(lower) || containsAny(lower, "<posts")):
		return FormatXML, nil
	case start[0] == '<' && containsAny(lower, "<!doctype netscape", "<dl", "<a ") && !containsAny(lower, "<urlset"):
		return FormatHTML, nil
	case isTable(head):
		return FormatCSV, nil
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
