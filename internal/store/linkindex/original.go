package linkindex

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Texts that are equal when folded are sorted by the original text. So a record has the
// difference between the two, encoded in bytes from 0x80 to 0xBF. A valid text that is
// searched for does not begin with such a byte, so it is never found there. The encoding
// is one of these:
//
//	(nothing)      the original is the folded text
//	0x80 bits…     the characters whose bit is set are upper case in the original: a bit
//	               for each character, six in a byte, the lowest first, up to the last 1
//	0x81 bits…     the bits of the original itself, six in a byte, the lowest first
const (
	continuation = 0x80 // what every byte of the encoding has set
	upperCase    = 0x80
	otherText    = 0x81
	payloadBits  = 6
)

// appendDifference appends the difference between a folded text and the original.
func appendDifference(data, folded []byte, original string) []byte {
	if string(folded) == original {
		return data
	}
	start := len(data)
	data = append(data, upperCase)
	end, rest := len(data), original // end is after the last 1
	for i := 0; len(folded) > 0; i++ {
		r, size := utf8.DecodeRune(folded)
		folded = folded[size:]
		c, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		if i%payloadBits == 0 {
			data = append(data, continuation)
		}
		if c == r {
			continue
		}
		if c != unicode.ToUpper(r) {
			return appendText(data[:start], original)
		}
		data[len(data)-1] |= 1 << (i % payloadBits)
		end = len(data)
	}
	if rest != "" {
		return appendText(data[:start], original)
	}
	return data[:end]
}

// appendUpperCase appends the difference between the folded form of an ASCII text and the
// text, which ends with an upper case letter.
func appendUpperCase(data []byte, original string) []byte {
	data = append(data, upperCase)
	for i := 0; i < len(original); i += payloadBits {
		b := byte(continuation)
		for bit := range min(payloadBits, len(original)-i) {
			var isUpper byte
			if original[i+bit]-'A' < 'Z'-'A'+1 {
				isUpper = 1
			}
			b |= isUpper << bit
		}
		data = append(data, b)
	}
	return data
}

func isASCII(text string) bool {
	for ; len(text) >= 8; text = text[8:] {
		if (text[0]|text[1]|text[2]|text[3]|text[4]|text[5]|text[6]|text[7])&utf8.RuneSelf != 0 {
			return false
		}
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func appendText(data []byte, original string) []byte {
	data = append(data, otherText)
	for i := range 8 * len(original) {
		if i%payloadBits == 0 {
			data = append(data, continuation)
		}
		data[len(data)-1] |= original[i/8] >> (i % 8) & 1 << (i % payloadBits)
	}
	return data
}

// originalOf returns the original text of a record.
func originalOf(record []byte) []byte {
	end := bytes.IndexByte(record, textEnd)
	folded, difference := record[:end], record[end+1:]
	if len(difference) == 0 {
		return folded
	}
	payload := difference[1:]
	var original []byte
	if difference[0] == otherText {
		for i := range len(payload) * payloadBits / 8 {
			var b byte
			for n := range 8 {
				b |= bitOf(payload, i*8+n) << n
			}
			original = append(original, b)
		}
		return original
	}
	for i := 0; len(folded) > 0; i++ {
		r, size := utf8.DecodeRune(folded)
		if bitOf(payload, i) == 1 {
			r = unicode.ToUpper(r)
		}
		original = utf8.AppendRune(original, r)
		folded = folded[size:]
	}
	return original
}

// bitOf returns a bit of an encoding, 0 after its end.
func bitOf(payload []byte, i int) byte {
	if i/payloadBits >= len(payload) {
		return 0
	}
	return payload[i/payloadBits] >> (i % payloadBits) & 1
}

// capitalsOf returns the bits of a difference that say which letters are upper case, or nil for another
// kind of difference.
func capitalsOf(difference []byte) (payload []byte) {
	if len(difference) == 0 || difference[0] != upperCase {
		return nil
	}
	return difference[1:]
}
