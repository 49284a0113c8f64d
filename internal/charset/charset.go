// Package charset guesses the character set of a text that does not declare one.
package charset

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

const (
	// minConfidence is the least confidence that counts. chardet gives less to any few bytes that
	// are possible in Shift_JIS, such as the apostrophes of Windows-1252.
	minConfidence = 11
	// minLatinWords is the least number of words from which a Latin character set other than
	// Windows-1252 is guessed: few words, such as "café", are possible in all of them.
	minLatinWords = 30
	// maxLatinShare is the maximum percentage of bytes outside ASCII in words of Latin scripts.
	// Words that are only ASCII do not count. It is about 12, and about 80 in other scripts.
	maxLatinShare = 30
	// unusedBytes are the bytes that Windows-1252 does not have. A text with one is in another set, even if it is short.
	unusedBytes = "\x81\x8d\x8f\x90\x9d"
)

// latin are the names of chardet for the character sets of Latin scripts, except UTF-8.
var latin = map[string]bool{
	"ISO-8859-1": true, "ISO-8859-2": true, "ISO-8859-9": true,
	"windows-1250": true, "windows-1252": true, "windows-1254": true,
}

// Guess returns the most likely encoding of a text, which can be HTML. ASCII with the escape sequences of ISO-2022-JP is
// that. A text is UTF-8 if most of its other characters are valid. Windows-1252 is the last choice. The last character
// can be cut off. Thai is not recognised, because texts in EUC-KR, EUC-JP and Big5 can look like it.
func Guess(text []byte) encoding.Encoding {
	if foreignBytes(text) == 0 && (bytes.Contains(text, []byte("\x1b$B")) || bytes.Contains(text, []byte("\x1b$@"))) {
		return japanese.ISO2022JP
	}
	if valid, invalid := countUTF8(text); valid > invalid || invalid == 0 {
		return unicode.UTF8
	}
	words, count := foreignWords(text)
	isLatin := 100*foreignBytes(words) <= maxLatinShare*len(words)
	if isLatin && count < minLatinWords {
		return charmap.Windows1252
	}
	results, _ := chardet.NewTextDetector().DetectAll(words) // it fails only if there are none
	// Their order is not always the same if several have the same confidence.
	slices.SortFunc(results, func(a, b chardet.Result) int {
		return cmp.Or(b.Confidence-a.Confidence, strings.Compare(b.Charset, a.Charset))
	})
	isWestern := !slices.ContainsFunc(words, func(c byte) bool { return strings.IndexByte(unusedBytes, c) >= 0 })
	for _, result := range results {
		if result.Confidence < minConfidence && isWestern {
			break
		}
		e, name := charset.Lookup(result.Charset)
		if e != nil && name != "replacement" && !strings.HasPrefix(name, "utf-") && latin[result.Charset] == isLatin {
			return e
		}
	}
	return charmap.Windows1252
}

// IsUTF8 reports whether a text has characters outside ASCII, and most of them are valid UTF-8. That is
// no coincidence: texts in other character sets hardly ever look like that.
func IsUTF8(text []byte) bool {
	valid, invalid := countUTF8(text)
	return valid > invalid
}

// countUTF8 counts the characters that are valid UTF-8 and not ASCII, and the invalid bytes.
func countUTF8(text []byte) (valid, invalid int) {
	for len(text) > 0 && utf8.FullRune(text) { // the last character can be cut off
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			invalid++
		case size > 1:
			valid++
		}
		text = text[size:]
	}
	return valid, invalid
}

// foreignBytes returns the number of bytes that are not ASCII.
func foreignBytes(text []byte) int {
	n := 0
	for _, c := range text {
		if c >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// foreignWords returns the words with a byte that is not ASCII, separated by spaces, and their
// number. The others are mostly tags and scripts, and would make every page look like English. The
// byte after one that is not ASCII is never the end of a word, because it can be a part of the same
// character.
func foreignWords(content []byte) (words []byte, count int) {
	start, foreign := 0, false
	end := func(i int) {
		if foreign {
			words = append(append(words, content[start:i]...), ' ')
			count++
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
	return words, count
}
