package linkding

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// The sentences of errors.
const (
	required    = "This field is required."
	null        = "This field may not be null."
	blank       = "This field may not be blank."
	invalidText = "Not a valid string."
	invalidBool = "Must be a valid boolean."
	invalidInt  = "A valid integer is required."
	invalidTime = "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
	invalidURL  = "Enter a valid URL."
	farTime     = "Datetime value out of range."
	noNUL       = "Null characters are not allowed."
)

func tooLong(limit int) string {
	return fmt.Sprintf("Ensure this field has no more than %d characters.", limit)
}

// decoder decodes the fields of a body one by one, and collects the errors. A field that is invalid counts
// as missing.
type decoder struct {
	fields
	partial bool // no field is required, and an empty form sets nothing
	errors  fieldErrors
}

// lookUp returns the value of a field: of a form the last one. ok is false if the field is missing. It adds
// an error if the value is null.
func (d *decoder) lookUp(name string) (value any, ok bool) {
	if d.isForm {
		all := d.form[name]
		if len(all) == 0 {
			return nil, false
		}
		return all[len(all)-1], true
	}
	value, ok = d.object[name]
	if ok && value == nil {
		d.errors.add(name, null)
		return nil, false
	}
	return value, ok
}

// textRules are the rules for the value of a field.
type textRules struct {
	required bool                // and not blank
	limit    int                 // in characters, 0 for none
	current  string              // the value that the entity has: it is valid
	validate func(string) string // returns a sentence if the value is invalid
}

// text decodes a text without white space around it.
func (d *decoder) text(name string, rules textRules) *string {
	before := len(d.errors)
	value, ok := d.lookUp(name)
	if !ok {
		if rules.required && !d.partial && len(d.errors) == before {
			d.errors.add(name, required)
		}
		return nil
	}
	text, ok := textOf(value)
	switch {
	case ok && text == "" && rules.required:
		d.errors.add(name, blank)
		return nil
	case !ok:
		d.errors.add(name, invalidText)
		return nil
	case text == rules.current || text == "":
		return &text
	}
	var sentences []string
	if rules.validate != nil {
		if sentence := rules.validate(text); sentence != "" {
			sentences = append(sentences, sentence)
		}
	}
	if rules.limit > 0 && utf8.RuneCountInString(text) > rules.limit {
		sentences = append(sentences, tooLong(rules.limit))
	}
	if strings.Contains(text, "\x00") {
		sentences = append(sentences, noNUL)
	}
	if len(sentences) > 0 {
		d.errors.add(name, sentences...)
		return nil
	}
	return &text
}

// textOf returns a text or a number as a text without white space around it.
func textOf(value any) (text string, ok bool) {
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value), true
	case json.Number:
		return value.String(), true
	}
	return "", false
}

// boolean decodes a boolean. In a form, a missing one is false, because browsers do not send an empty check
// box.
func (d *decoder) boolean(name string) *bool {
	value, ok := d.lookUp(name)
	switch {
	case !ok && d.isForm && !d.partial:
		return new(bool)
	case !ok || d.isForm && value == "":
		return nil
	}
	text := strings.ToLower(fmt.Sprint(value))
	switch value.(type) {
	case string, bool:
	case json.Number:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
	default:
		text = ""
	}
	on := false
	switch text {
	case "t", "y", "yes", "true", "on", "1":
		on = true
	case "f", "n", "no", "false", "off", "0":
	default:
		d.errors.add(name, invalidBool)
		return nil
	}
	return &on
}

// choice decodes one of some values.
func (d *decoder) choice(name string, values ...string) *string {
	value, ok := d.lookUp(name)
	if !ok || d.isForm && value == "" {
		return nil
	}
	text, ok := value.(string)
	if !ok || !slices.Contains(values, text) {
		d.errors.add(name, fmt.Sprintf(`"%s" is not a valid choice.`, pythonText(value)))
		return nil
	}
	return &text
}

// pythonText returns a value as linkding's sentences have it.
func pythonText(value any) string {
	switch value := value.(type) {
	case bool:
		return map[bool]string{true: "True", false: "False"}[value]
	case []any, map[string]any:
		text, _ := json.Marshal(value) // it was decoded from JSON
		return strings.ReplaceAll(string(text), `"`, "'")
	}
	return fmt.Sprint(value)
}

// integer decodes an integer.
func (d *decoder) integer(name string) *int64 {
	value, ok := d.lookUp(name)
	if !ok || d.isForm && value == "" {
		return nil
	}
	text, _ := textOf(value)
	if whole, decimals, ok := strings.Cut(text, "."); ok && strings.Trim(decimals, "0") == "" {
		text = whole
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		d.errors.add(name, invalidInt)
		return nil
	}
	return &n
}

// time decodes a time. One without a zone is UTC.
func (d *decoder) time(name string) *waymark.Time {
	value, ok := d.lookUp(name)
	if !ok || d.isForm && value == "" {
		return nil
	}
	text, _ := value.(string)
	at, ok := parseTime(text)
	if !ok {
		d.errors.add(name, invalidTime)
		return nil
	}
	if year := at.Time().Year(); year < 1 || year > 9999 { // in UTC
		d.errors.add(name, farTime)
		return nil
	}
	return &at
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

// texts decodes a list of texts that are not blank: an array, or the fields name, name[0], name[1] … of a
// form.
func (d *decoder) texts(name string) *[]string {
	var all []any
	if d.isForm {
		all = d.formList(name)
		if all == nil {
			return nil
		}
	} else {
		value, ok := d.lookUp(name)
		if !ok {
			return nil
		}
		if all, ok = value.([]any); !ok {
			d.errors.add(name, fmt.Sprintf("Expected a list of items but got type %q.", typeName(value)))
			return nil
		}
	}
	texts := make([]string, len(all))
	invalid := map[string][]string{}
	for i, value := range all {
		text, ok := textOf(value)
		texts[i] = text
		sentence := ""
		switch {
		case value == nil:
			sentence = null
		case !ok:
			sentence = invalidText
		case text == "":
			sentence = blank
		case strings.Contains(text, "\x00"):
			sentence = noNUL
		default:
			continue
		}
		invalid[strconv.Itoa(i)] = []string{sentence}
	}
	if len(invalid) > 0 {
		d.errors = append(d.errors, httpx.Member{Name: name, Value: invalid})
		return nil
	}
	return &texts
}

// formList returns the values of a list in a form, nil if there is none.
func (d *decoder) formList(name string) (all []any) {
	if values := d.form[name]; len(values) > 0 {
		for _, value := range values {
			all = append(all, value)
		}
		return all
	}
	byIndex := map[int]string{}
	for key, values := range d.form {
		if rest, ok := strings.CutPrefix(key, name+"["); ok && strings.HasSuffix(rest, "]") {
			if i, err := strconv.Atoi(strings.TrimSuffix(rest, "]")); err == nil && i >= 0 {
				byIndex[i] = values[len(values)-1]
			}
		}
	}
	for _, i := range slices.Sorted(maps.Keys(byIndex)) {
		all = append(all, byIndex[i])
	}
	return all
}
