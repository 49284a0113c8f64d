package linkding

import (
	"encoding/json"
	"errors"
	"fmt"
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

// timePattern are the forms of times that linkding reads: ISO 8601 with any number of decimals, with a
// space instead of the T, an hour alone, and a date alone.
var timePattern = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,6})\d*)?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$`)

func parseTime(text string) (at waymark.Time, ok bool) {
	m := timePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	var n [8]int // the errors below cannot occur: the pattern matches digits
	for i := 1; i <= 6; i++ {
		n[i], _ = strconv.Atoi(m[i])
	}
	micros, _ := strconv.Atoi((m[7] + "000000")[:6])
	zone := time.UTC
	if offset := strings.ReplaceAll(m[8], ":", ""); offset != "" && offset != "Z" {
		hours, _ := strconv.Atoi(offset[1:3])
		minutes, _ := strconv.Atoi((offset[3:] + "00")[:2])
		if hours > 23 || minutes > 59 {
			return 0, false
		}
		seconds := (hours*60 + minutes) * 60
		if offset[0] == '-' {
			seconds = -seconds
		}
		zone = time.FixedZone("", seconds)
	}
	t := time.Date(n[1], time.Month(n[2]), n[3], n[4], n[5], n[6], micros*1000, zone)
	if n[1] == 0 || t.Month() != time.Month(n[2]) || t.Day() != n[3] || t.Hour() != n[4] || t.Minute() != n[5] || t.Second() != n[6] {
		return 0, false
	}
	return waymark.FromTime(t), true
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
