package page

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxGuessed is the number of bytes at the beginning of a page from which guess guesses.
const maxGuessed = 64 << 10

// UTF8 converts a page to UTF-8. contentType is the header of the response. UTF8 takes the character
// set from the byte order mark of the page, the header, or a <meta> element. If there is none, or if
// it is UTF-8, the page is read as UTF-8 if that is valid; otherwise UTF8 guesses the character set.
// Invalid bytes become U+FFFD.
func UTF8(from io.Reader, contentType string) io.Reader {
	reader := bufio.NewReaderSize(from, maxGuessed)
	beginning, _ := reader.Peek(maxGuessed) // the reader returns the error again
	e, name, certain := charset.DetermineEncoding(beginning, contentType)
	if name == "utf-8" || !certain && name == "windows-1252" { // windows-1252 also means that none was found
		if e = unicode.UTF8; !validUTF8(beginning) {
			e = guess(beginning)
		}
	}
	return transform.NewReader(reader, unicode.BOMOverride(e.NewDecoder()))
}

// guess returns the most likely encoding of HTML, windows-1252 if none is likely.
func guess(content []byte) encoding.Encoding {
	result, err := chardet.NewTextDetector().DetectBest(foreignWords(content))
	if err == nil {
		name := strings.ToLower(result.Charset)
		if name == "gb-18030" {
			name = "gb18030"
		}
		if name == "utf-8" {
			return unicode.UTF8
		}
		if e, canonical := charset.Lookup(name); e != nil && canonical != "replacement" {
			return e
		}
	}
	e, _ := charset.Lookup("windows-1252")
	return e
}

// foreignWords returns the words with a byte that is not ASCII, separated by spaces. The others, most
// of which are tags and scripts, would make every page look like English. The byte after one that is
// not ASCII is never the end of a word, because it can be a part of the same character.
func foreignWords(content []byte) []byte {
	var words []byte
	start, foreign := 0, false
	end := func(i int) {
		if foreign {
			words = append(append(words, content[start:i]...), ' ')
		}
		start, foreign = i+1, false
	}
	for i := 0; i < len(content); i++ {
		switch letter := content[i] | 0x20; {
		case content[i] >= 0x80:
			foreign = true
			i++
		case letter < 'a' || letter > 'z':
			end(i)
		}
	}
	end(len(content))
	return words
}

// validUTF8 reports whether content is UTF-8. Its last character may be cut off.
func validUTF8(content []byte) bool {
	for n := 1; n < utf8.UTFMax && n <= len(content); n++ {
		last := content[len(content)-n:]
		if utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				content = content[:len(content)-n]
			}
			break
		}
	}
	return utf8.Valid(content)
}
