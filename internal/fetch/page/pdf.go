package page

import (
	"bytes"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/url"
	"regexp"
	"strconv"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// A PDF file has its title in a dictionary to which the trailer refers, in XMP, or in both. If both are
// compressed, readPDF cannot find them.
var (
	pdfInfo  = regexp.MustCompile(`/Info\s+(\d{1,9})\s+(\d{1,5})\s+R`)
	pdfTitle = regexp.MustCompile(`/Title\s*([(<])`)
	xmpTitle = regexp.MustCompile(`<dc:title>\s*<rdf:Alt>\s*<rdf:li[^>]*>([^<]*)</rdf:li>`)
)

// readPDF reads the title of a PDF file. If it finds none, the title is the name of the file.
func readPDF(from io.Reader, address *url.URL) (Metadata, error) {
	content, err := io.ReadAll(from)
	title := ""
	if !bytes.Contains(content, []byte("/Encrypt ")) {
		title = text(pdfInfoTitle(content), maxTitle)
	}
	if match := xmpTitle.FindSubmatch(content); title == "" && match != nil {
		title = text(unescapeXML(match[1]), maxTitle)
	}
	if title == "" {
		title = fileName(address)
	}
	return Metadata{Title: title}, err
}

// pdfInfoTitle returns the title in the dictionary to which the trailer refers, "" if there is none.
func pdfInfoTitle(content []byte) string {
	references := pdfInfo.FindAllSubmatch(content, -1)
	if len(references) == 0 {
		return ""
	}
	last := references[len(references)-1] // each change of a file can add a trailer
	start := bytes.LastIndex(content, []byte("\n"+string(last[1])+" "+string(last[2])+" obj"))
	if start < 0 {
		return ""
	}
	dictionary := content[start:]
	if end := bytes.Index(dictionary, []byte("endobj")); end >= 0 {
		dictionary = dictionary[:end]
	}
	match := pdfTitle.FindSubmatchIndex(dictionary)
	if match == nil {
		return ""
	}
	value := dictionary[match[3]:]
	if dictionary[match[2]] == '<' {
		return hexString(value)
	}
	return decodePDFString(literalString(value))
}

// hexString returns the text of a hexadecimal string. value begins after its '<'.
func hexString(value []byte) string {
	end := bytes.IndexByte(value, '>')
	if end < 0 {
		return ""
	}
	digits := bytes.Join(bytes.Fields(value[:end]), nil)
	if len(digits)%2 == 1 {
		digits = append(digits, '0')
	}
	decoded, err := hex.AppendDecode(nil, digits)
	if err != nil {
		return ""
	}
	return decodePDFString(decoded)
}

// literalString returns the bytes of a string in parentheses. value begins after the first '('.
func literalString(value []byte) []byte {
	var s []byte
	depth := 1
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s
			}
		case '\\':
			if i++; i == len(value) {
				return s
			}
			if digits := octal(value[i:]); len(digits) > 0 {
				n, _ := strconv.ParseUint(string(digits), 8, 16) // at most three digits
				s = append(s, byte(n))
				i += len(digits) - 1
				continue
			}
			if bytes.HasPrefix(value[i:], []byte("\r\n")) {
				i++ // one end of line
			}
			s = append(s, escaped(value[i])...)
			continue
		}
		s = append(s, value[i])
	}
	return s
}

// octal returns the up to three octal digits at the beginning of value.
func octal(value []byte) []byte {
	n := 0
	for n < min(3, len(value)) && value[n] >= '0' && value[n] <= '7' {
		n++
	}
	return value[:n]
}

// escaped returns the text that a backslash and c represent, with a space for control characters. A
// backslash at the end of a line continues the line.
func escaped(c byte) string {
	switch c {
	case 'n', 'r', 't', 'b', 'f':
		return " "
	case '\n', '\r':
		return ""
	}
	return string([]byte{c})
}

// decodePDFString converts a text string to UTF-8. Without a byte order mark, the string is in
// PDFDocEncoding, whose letters are mostly those of Windows-1252.
func decodePDFString(s []byte) string {
	if bytes.HasPrefix(s, []byte("\xfe\xff")) || bytes.HasPrefix(s, []byte("\xff\xfe")) {
		decoded, err := unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Bytes(s)
		if err != nil {
			return ""
		}
		return string(decoded)
	}
	if rest, ok := bytes.CutPrefix(s, []byte("\xef\xbb\xbf")); ok {
		return string(rest)
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(s)
	if err != nil {
		return ""
	}
	return string(decoded)
}

// unescapeXML returns the text of an XML element with content, "" if content is invalid.
func unescapeXML(content []byte) string {
	var s string
	if xml.Unmarshal(bytes.Join([][]byte{[]byte("<t>"), content, []byte("</t>")}, nil), &s) != nil {
		return ""
	}
	return s
}
