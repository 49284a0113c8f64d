package page

import (
	"bufio"
	"bytes"
	"io"
	"mime"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// xmlEncoding is the character set in the declaration of XHTML.
var xmlEncoding = regexp.MustCompile(`^\s*<\?xml\s[^<>]*\sencoding\s*=\s*["']([^"'<>]+)["']`)

// declaredEncoding returns the character set of the XML declaration, or of the first <meta> element that
// declares one other than UTF-8, nil if there is none. DetermineEncoding reads only the first 1,024 bytes, as the standard demands, but
// browsers read the whole head.
func declaredEncoding(beginning []byte) encoding.Encoding {
	if match := xmlEncoding.FindSubmatch(beginning); match != nil {
		if e := otherEncoding(string(match[1])); e != nil {
			return e
		}
	}
	z := html.NewTokenizer(bytes.NewReader(beginning))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch atom.Lookup(name) {
			case atom.Body:
				return nil
			case atom.Meta:
				a := attributes(z, more)
				label := a["charset"]
				if label == "" && strings.EqualFold(a["http-equiv"], "content-type") {
					_, parameters, _ := mime.ParseMediaType(a["content"]) // without parameters if it is not valid
					label = parameters["charset"]
				}
				if e := otherEncoding(label); e != nil {
					return e
				}
			}
		}
	}
}

// otherEncoding returns the character set with a name, nil for UTF-8 and for names that are not known.
func otherEncoding(label string) encoding.Encoding {
	e, name := htmlcharset.Lookup(label)
	if name == "replacement" || strings.HasPrefix(name, "utf-") {
		return nil
	}
	return e
}
