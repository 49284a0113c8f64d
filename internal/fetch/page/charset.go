package page

import (
	"bufio"
	"io"
	"regexp"
	"strings"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"waymark/internal/charset"
)

// maxGuessed is the number of bytes at the beginning of a page in which a <meta> element declares its
// character set, and from which it is guessed.
const maxGuessed = 64 << 10

// UTF8 converts a page to UTF-8. contentType is the header of the response. UTF8 takes the character
// set from the byte order mark of the page, the header, or a <meta> element. If there is none, or if
// it is UTF-8, UTF8 guesses the character set. A page that is UTF-8 is never read as Latin-1 or another set
// of single bytes, whose names servers send for all pages. Invalid bytes become U+FFFD.
func UTF8(from io.Reader, contentType string) io.Reader {
	reader := bufio.NewReaderSize(from, maxGuessed)
	beginning, _ := reader.Peek(maxGuessed) // the reader returns the error again
	e, _ := encodingOf(beginning, contentType)
	return transform.NewReader(reader, unicode.BOMOverride(e.NewDecoder()))
}

// Charset returns the name of the character set of a page, as UTF8 finds it, for the header of a response with it.
func Charset(content []byte, contentType string) string {
	_, name := encodingOf(content[:min(len(content), maxGuessed)], contentType)
	return name
}

// encodingOf returns the character set of a page and its name.
func encodingOf(beginning []byte, contentType string) (encoding.Encoding, string) {
	e, name, certain := htmlcharset.DetermineEncoding(beginning, contentType)
	singleBytes := singleByteSets.MatchString(name)
	switch {
	case (singleBytes || name == utf8Name) && charset.IsUTF8(beginning):
		return unicode.UTF8, utf8Name
	case name == utf8Name || !certain && name == "windows-1252": // windows-1252 also means that none was found
		if e, name = declaredEncoding(beginning); e == nil {
			e = charset.Guess(beginning)
			name, _ = htmlindex.Name(e) // it knows all that are guessed
		}
	}
	return e, name
}

const utf8Name = "utf-8"

var singleByteSets = regexp.MustCompile(`^(?:iso-8859-|windows-|koi8-|macintosh|x-)`)

// charsetDeclaration is the declaration of a character set in XHTML or in a <meta> element.
var charsetDeclaration = regexp.MustCompile(`(?i)(?:^\s*<\?xml\s[^<>]*\sencoding|<meta\s(?:[^<>]*[\s"';])?charset)\s*=\s*["']?([\w:.-]+)`)

// declaredEncoding returns the first character set that is declared before the body, except UTF-8, nil if there is
// none. DetermineEncoding reads only the first 1,024 bytes, as the standard demands, but browsers read the whole head.
func declaredEncoding(beginning []byte) (encoding.Encoding, string) {
	if body := bodyTag.FindIndex(beginning); body != nil {
		beginning = beginning[:body[0]]
	}
	for _, match := range charsetDeclaration.FindAllSubmatch(beginning, -1) {
		if e, name := htmlcharset.Lookup(string(match[1])); e != nil && name != "replacement" && !strings.HasPrefix(name, "utf-") {
			return e, name
		}
	}
	return nil, ""
}

var bodyTag = regexp.MustCompile(`(?i)<body[\s>]`)
