package page

import (
	"bufio"
	"io"
	"regexp"
	"strings"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
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
	return transform.NewReader(reader, unicode.BOMOverride(encodingOf(beginning, contentType).NewDecoder()))
}

func encodingOf(beginning []byte, contentType string) encoding.Encoding {
	e, name, certain := htmlcharset.DetermineEncoding(beginning, contentType)
	singleBytes := singleByteSets.MatchString(name)
	switch {
	case (singleBytes || name == "utf-8") && charset.IsUTF8(beginning):
		return unicode.UTF8
	case name == "utf-8" || !certain && name == "windows-1252": // windows-1252 also means that none was found
		if declared := declaredEncoding(beginning); declared != nil {
			return declared
		}
		return charset.Guess(beginning)
	}
	return e
}

var singleByteSets = regexp.MustCompile(`^(?:iso-8859-|windows-|koi8-|macintosh|x-)`)

// charsetDeclaration is the declaration of a character set in XHTML or in a <meta> element.
var charsetDeclaration = regexp.MustCompile(`(?i)(?:^\s*<\?xml\s[^<>]*\sencoding|<meta\s(?:[^<>]*[\s"';])?charset)\s*=\s*["']?([\w:.-]+)`)

// declaredEncoding returns the first character set that is declared before the body, except UTF-8, nil if there is
// none. DetermineEncoding reads only the first 1,024 bytes, as the standard demands, but browsers read the whole head.
func declaredEncoding(beginning []byte) encoding.Encoding {
	if body := bodyTag.FindIndex(beginning); body != nil {
		beginning = beginning[:body[0]]
	}
	for _, match := range charsetDeclaration.FindAllSubmatch(beginning, -1) {
		if e := otherEncoding(string(match[1])); e != nil {
			return e
		}
	}
	return nil
}

var bodyTag = regexp.MustCompile(`(?i)<body[\s>]`)

// otherEncoding returns the character set with a name, nil for UTF-8 and for names that are not known.
func otherEncoding(label string) encoding.Encoding {
	e, name := htmlcharset.Lookup(label)
	if name == "replacement" || strings.HasPrefix(name, "utf-") {
		return nil
	}
	return e
}
