package linkding

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// sentence is an error of a field in the words of linkding.
type sentence string

// Error returns the sentence.
func (s sentence) Error() string { return string(s) }

// The types in this file are fields of bodies. Each is nil if it was not sent, or if its value is invalid.

// text is a text without white space around it. A number counts as one.
type text struct{ value *string }

func (t *text) UnmarshalJSON(raw []byte) error {
	s, ok := textOf(raw)
	if !ok {
		return sentence(invalidText)
	}
	t.value = &s
	return nil
}

// textOf returns a JSON string or number as a text without white space around it.
func textOf(raw json.RawMessage) (s string, ok bool) {
	switch c := raw[0]; {
	case c == '"':
		err := json.Unmarshal(raw, &s)
		return strings.TrimSpace(s), err == nil
	case c == '-' || '0' <= c && c <= '9':
		return string(raw), true
	}
	return "", false
}

// textRules are the rules for a text.
type textRules struct {
	required bool                // and not blank
	partial  bool                // unless it is missing
	limit    int                 // in characters, 0 for none
	current  string              // the value that the entity has: it is valid
	validate func(string) string // returns a sentence if the value is invalid
}

// check returns a text, and adds the rules that it breaks.
func (t text) check(name string, rules textRules, invalid *fieldErrors) *string {
	switch {
	case invalid.has(name):
		return nil
	case t.value == nil:
		if rules.required && !rules.partial {
			invalid.add(name, required)
		}
		return nil
	case *t.value == "" && rules.required:
		invalid.add(name, blank)
		return nil
	case *t.value == rules.current, *t.value == "":
		return t.value
	}
	var sentences []string
	if rules.validate != nil {
		if sentence := rules.validate(*t.value); sentence != "" {
			sentences = append(sentences, sentence)
		}
	}
	if rules.limit > 0 && utf8.RuneCountInString(*t.value) > rules.limit {
		sentences = append(sentences, tooLong(rules.limit))
	}
	if strings.Contains(*t.value, "\x00") {
		sentences = append(sentences, noNUL)
	}
	if len(sentences) > 0 {
		invalid.add(name, sentences...)
	}
	return t.value
}

// boolean may be written as a text or a number.
type boolean struct{ value *bool }

func (b *boolean) UnmarshalJSON(raw []byte) error {
	word := string(raw)
	if s, ok := textOf(raw); ok {
		word = s
	}
	if f, err := strconv.ParseFloat(word, 64); err == nil && raw[0] != '"' {
		word = strconv.FormatFloat(f, 'f', -1, 64)
	}
	switch strings.ToLower(word) {
	case "t", "y", "yes", "true", "on", "1":
		b.value = new(true)
	case "f", "n", "no", "false", "off", "0":
		b.value = new(false)
	default:
		return sentence(invalidBool)
	}
	return nil
}

// filterState is a filter of a bundle.
type filterState struct{ value *waymark.FilterState }

func (c *filterState) UnmarshalJSON(raw []byte) error {
	var state waymark.FilterState
	if json.Unmarshal(raw, &state) != nil {
		state = waymark.FilterState(raw)
	}
	switch state {
	case waymark.FilterOff, waymark.FilterYes, waymark.FilterNo:
		c.value = &state
		return nil
	}
	return sentence(fmt.Sprintf(`"%s" is not a valid choice.`, state))
}

// integer may be written as a text, and with decimals that are zero.
type integer struct{ value *int64 }

func (i *integer) UnmarshalJSON(raw []byte) error {
	digits, _ := textOf(raw)
	if whole, decimals, ok := strings.Cut(digits, "."); ok && strings.Trim(decimals, "0") == "" {
		digits = whole
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return sentence(invalidInt)
	}
	i.value = &n
	return nil
}

// instant is a time. One without a zone is UTC.
type instant struct{ value *waymark.Time }

func (t *instant) UnmarshalJSON(raw []byte) error {
	var s string
	json.Unmarshal(raw, &s) //nolint:errcheck // another type is no time either
	at, ok := parseTime(s)
	if !ok {
		return sentence(invalidTime)
	}
	if year := at.Time().Year(); year < 1 || year > 9999 { // in UTC
		return sentence(farTime)
	}
	t.value = &at
	return nil
}

// parseTime parses the forms of times that linkding reads: ISO 8601, also with a space instead of the T and before the zone,
// an hour alone, or a date alone.
func parseTime(text string) (waymark.Time, bool) {
	text = strings.Replace(strings.Replace(text, " ", "T", 1), " ", "", 1)
	for _, clock := range []string{"T15:4:5", "T15:4", "T15"} {
		for _, zone := range []string{"", "Z07:00", "Z0700", "Z07"} {
			if at, err := time.Parse("2006-1-2"+clock+zone, text); err == nil {
				return waymark.FromTime(at), at.Year() > 0
			}
		}
	}
	at, err := time.Parse("2006-1-2", text)
	return waymark.FromTime(at), err == nil && at.Year() > 0
}

// texts is a list of texts that are not blank.
type texts struct{ value *[]string }

func (t *texts) UnmarshalJSON(raw []byte) error {
	if raw[0] != '[' {
		return sentence("Expected a list of items.")
	}
	all := []string{}
	invalid := elementErrors{}
	for value := range rest.Elements(raw) {
		var s text
		err := decode(&s, value)
		switch {
		case err != nil:
		case *s.value == "":
			err = sentence(blank)
		case strings.Contains(*s.value, "\x00"):
			err = sentence(noNUL)
		default:
			all = append(all, *s.value)
			continue
		}
		invalid[strconv.Itoa(len(all)+len(invalid))] = []string{err.Error()}
	}
	if len(invalid) > 0 {
		return invalid
	}
	t.value = &all
	return nil
}

// elementErrors are the sentences about the elements of a list, by their position.
type elementErrors map[string][]string

func (elementErrors) Error() string { return "invalid elements" }

// addError adds the error of a field that could not be decoded, unless that is nil.
func (e *fieldErrors) addError(field string, err error) {
	if elements, ok := errors.AsType[elementErrors](err); ok {
		*e = append(*e, httpx.Member{Name: field, Value: elements})
	} else if err != nil {
		e.add(field, err.Error())
	}
}

// decode decodes a field that may not be null.
func decode(field json.Unmarshaler, value json.RawMessage) error {
	if string(value) == "null" {
		return sentence(null)
	}
	return field.UnmarshalJSON(value)
}

// maxURL is the maximum length of a URL, in characters.
const maxURL = 2048

// label is a part of a host name: letters, digits, any characters besides ASCII, and hyphens between them. Letters of Hindi
// and Thai have signs of their own.
const label = `[a-zA-Z0-9\x{a1}-\x{10ffff}](?:[a-zA-Z0-9\x{a1}-\x{10ffff}-]{0,61}[a-zA-Z0-9\x{a1}-\x{10ffff}])?`

// urlPattern are the URLs that linkding accepts. Unlike linkding, Waymark accepts a host without a dot, such as that of a
// machine at home. Ignoring case for all of it would take six milliseconds at each start.
var urlPattern = regexp.MustCompile(`^(?i:https?|ftps?)://(?:[^\s:@/]+(?::[^\s:@/]*)?@)?` +
	`(\[[0-9a-fA-F:.]+\]|` + label + `(?:\.` + label + `)*\.?)` +
	`(?::[0-9]{1,5})?(?:[/?#]\S*)?$`)

// numericHost is a host whose last part is a number: it must be an IPv4 address.
var numericHost = regexp.MustCompile(`\.[0-9]+\.?$`)

// validateURL returns a sentence if a text is no URL that linkding accepts.
func validateURL(url string) string {
	m := urlPattern.FindStringSubmatch(url)
	if m == nil || len(m[1]) > 253 || len([]rune(url)) > maxURL {
		return invalidURL
	}
	address, err := netip.ParseAddr(strings.Trim(m[1], "[]"))
	if m[1][0] == '[' && !address.Is6() || err != nil && numericHost.MatchString(m[1]) {
		return invalidURL
	}
	return ""
}
