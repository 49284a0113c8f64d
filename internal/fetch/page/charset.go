package page

import (
	"bufio"
	"io"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"waymark/internal/charset"
)

// maxGuessed is the number of bytes at the beginning of a page from which its character set is
// guessed.
const maxGuessed = 64 << 10

// UTF8 converts a page to UTF-8. contentType is the header of the response. UTF8 takes the character
// set from the byte order mark of the page, the header, or a <meta> element. If there is none, or if
// it is UTF-8, UTF8 guesses the character set. Invalid bytes become U+FFFD.
func UTF8(from io.Reader, contentType string) io.Reader {
	reader := bufio.NewReaderSize(from, maxGuessed)
	beginning, _ := reader.Peek(maxGuessed) // the reader returns the error again
	e, name, certain := htmlcharset.DetermineEncoding(beginning, contentType)
	if name == "utf-8" || !certain && name == "windows-1252" { // windows-1252 also means that none was found
		e = charset.Guess(beginning)
	}
	return transform.NewReader(reader, unicode.BOMOverride(e.NewDecoder()))
}
