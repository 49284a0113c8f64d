package bookmarks

import (
	"cmp"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"waymark/internal/waymark"
)

// What URLs, texts of one line and texts of several lines cannot contain.
var (
	urlReplacer  = strings.NewReplacer("\n", "", "\r", "", "\t", "")
	lineReplacer = strings.NewReplacer("\x00", "", "\r\n", " ", "\n", " ", "\r", " ", "\t", " ")
	textReplacer = strings.NewReplacer("\x00", "", "\r\n", "\n", "\r", "\n")
)

// cleanURL returns a URL as browsers read it from an attribute: without surrounding
// space and control characters, and without line breaks and tabs.
func cleanURL(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
	return urlReplacer.Replace(s)
}

// cleanImageURL returns the URL of an image, or "" if it is not one on the web.
func cleanImageURL(s string) string {
	s = cleanURL(s)
	isWeb := strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
	if !isWeb || strings.ContainsFunc(s, unicode.IsControl) {
		return ""
	}
	return s
}

// cleanLine returns a title or a name: without NUL, line breaks and surrounding white space.
func cleanLine(s string) string {
	return strings.TrimSpace(lineReplacer.Replace(s))
}

// collapseSpace returns a text of HTML as cleanLine, with one space in place of white space
// that contains line breaks or tabs: programs break and indent the lines of their files. Other
// spaces belong to the text.
func collapseSpace(s string) string { return cleanLine(brokenSpace.ReplaceAllString(s, " ")) }

var brokenSpace = regexp.MustCompile(`[ \t\n\f\r]*[\t\n\f\r][ \t\n\f\r]*`)

// cleanText returns a text of several lines without NUL and surrounding white space.
func cleanText(s string) string {
	return strings.TrimSpace(textReplacer.Replace(s))
}

// splitTags returns the names in a text that separates them with commas.
func splitTags(s string) []string {
	var tags []string
	for tag := range strings.SplitSeq(s, ",") {
		if tag = cleanLine(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// normalName returns the letters and digits of a name in lower case: programs write the same name as
// createdAt, created_at, Created-At or "Created at".
func normalName(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Numbers that stand for a time are seconds, milliseconds or microseconds since 1970, or
// microseconds since 1601, as their size tells: each unit is for times from 1986 until the year
// 2338 at least. Some programs write the end of the year 9999 in seconds or milliseconds for no time.
// Smaller numbers are no times: spreadsheets count days, and some columns have a year.
const (
	minSeconds      = 1e6
	maxSeconds      = 5e11
	maxMilliseconds = 5e14
	// windowsEpoch is the time from 1601 to 1970 in microseconds. Chrome counts from 1601.
	windowsEpoch = 11_644_473_600_000_000
	maxUnix      = 1e17
	// appleEpoch is the time from 1970 to 2001 in microseconds. Programs for macOS count seconds from 2001. Numbers of JSON that
	// would be a time before before2000 are read so: there were hardly any bookmarks, and none in JSON.
	appleEpoch = 978_307_200_000_000
	before2000 = 946_684_800_000_000
)

// unixTime returns the time that a number stands for, or zero if it stands for none.
func unixTime(n int64) waymark.Time {
	switch {
	case n < minSeconds:
		return 0
	case n < maxSeconds:
		return waymark.Time(n * 1_000_000)
	case n < maxMilliseconds:
		return waymark.Time(n * 1000)
	case n < windowsEpoch:
		return waymark.Time(n)
	case n < maxUnix:
		return waymark.Time(n - windowsEpoch)
	}
	return 0
}

// isNoTime reports whether a text stands for no time: it is empty, or zero as programs write it.
func isNoTime(s string) bool {
	switch s = strings.TrimSpace(s); s {
	case "", "null", "0001-01-01T00:00:00Z": // of programs in Go
		return true
	}
	return strings.Trim(s, "0-:.TZ ") == ""
}

// The forms of dates that programs write, after cleanDate: a date, a time, and a time zone. Seconds can have a fraction.
var (
	dateLayouts = []string{"2006-1-2", "2006/1/2", "2006.1.2", "20060102", "2.1.2006", "2 Jan 2006", "2 January 2006", "2-Jan-2006", "Jan 2 2006", "January 2 2006"}
	hourLayouts = []string{" 15:04:05", " 15:04", "", " 150405", " 3:04 PM", " 3:04:05 PM"}
	zoneLayouts = []string{"Z07:00", "", "Z0700", "Z07", " -07:00", " -0700", " -0700 MST", " MST", " GMT-0700"}
)

// What dates have besides, as browsers write them for different languages.
var (
	weekday    = regexp.MustCompile(`(?i)^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\s+`)
	isoT       = regexp.MustCompile(`^(\d{4}-?\d\d-?\d\d)T`)
	ordinal    = regexp.MustCompile(`(?i)\b(\d\d?)(?:st|nd|rd|th)\b`)
	dateDots   = regexp.MustCompile(`([A-Za-z])\.|\.$`)           // Nov. 14, p.m.
	dayDots    = regexp.MustCompile(`(\d)\.\s+(\d)`)              // 14. 11. 2023
	dayFirst   = regexp.MustCompile(`^(\d\d?)-(\d\d?)-(\d{4})\b`) // 14-11-2023
	halfOfDay  = regexp.MustCompile(`(?i)(\d)([ap]m)\b`)
	dateOfUnix = regexp.MustCompile(`^([A-Za-z]{3} \d\d?) (\d\d:\d\d:\d\d)(?: [A-Z]{3,4})? (\d{4})$`)
)

// dateWords are what other dates have between their parts, and the short form of September in Britain.
var dateWords = strings.NewReplacer(",", " ", " at ", " ", "年", "-", "月", "-", "日", " ", "September", "September", "Sept", "Sep")

// cleanDate returns a date in the form of the layouts.
func cleanDate(s string) string {
	s, _, _ = strings.Cut(s, " (") // JavaScript has the name of the zone in parentheses
	s = strings.Join(strings.Fields(dateWords.Replace(s)), " ")
	s = dayDots.ReplaceAllString(dateDots.ReplaceAllString(s, "$1"), "$1.$2")
	s = halfOfDay.ReplaceAllString(dayFirst.ReplaceAllString(s, "$1/$2/$3"), "$1 $2")
	s = isoT.ReplaceAllString(ordinal.ReplaceAllString(weekday.ReplaceAllString(s, ""), "$1"), "$1 ")
	return strings.ToUpper(dateOfUnix.ReplaceAllString(s, "$1 $3 $2")) // am, pm
}

// zoneOffsets are the offsets of the time zones that RFC 822 names, for the dates of OPML. The
// package time gives names the offset 0 that are not of the local time zone.
var zoneOffsets = map[string]time.Duration{
	"EST": -5 * time.Hour, "EDT": -4 * time.Hour,
	"CST": -6 * time.Hour, "CDT": -5 * time.Hour,
	"MST": -7 * time.Hour, "MDT": -6 * time.Hour,
	"PST": -8 * time.Hour, "PDT": -7 * time.Hour,
}

const maxDate = 100 // bytes

// parseTime returns the time in a text: a number as in unixTime, or a date in one of the layouts. It returns zero if the
// text has none.
func parseTime(s string) waymark.Time {
	if s = strings.TrimSpace(s); s == "" {
		return 0
	}
	if t := parseLayout("20060102", s); t != 0 && t.Time().Year() < 2100 { // the number would be a time in August 1970
		return t
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return unixTime(n)
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && n > 0 && n < maxUnix {
		return unixTime(int64(n))
	}
	if len(s) > maxDate {
		return 0
	}
	s = cleanDate(s)
	american, european := parseDate(s, "1/2/2006"), parseDate(s, "2/1/2006")
	if american != 0 && european != 0 && american != european { // either number can be the month
		return 0
	}
	return cmp.Or(american, european, parseDate(s, dateLayouts...))
}

// parseDate returns the time in a text that begins with a date in one of the layouts.
func parseDate(s string, dates ...string) waymark.Time {
	for _, date := range dates {
		if !begins(date, s) {
			continue
		}
		for _, hour := range hourLayouts {
			if !begins(date+hour, s) {
				continue
			}
			for _, zone := range zoneLayouts {
				if t := parseLayout(date+hour+zone, s); t != 0 {
					return t
				}
			}
		}
	}
	return 0
}

// begins reports whether the beginning of a text has a layout. Most texts have few: to try all layouts takes a millisecond.
func begins(layout, s string) bool {
	_, err := time.Parse(layout, s)
	failed, _ := errors.AsType[*time.ParseError](err)
	return err == nil || failed != nil && strings.HasPrefix(failed.Message, ": extra text")
}

// parseLayout returns the time in a text that has a layout, and zero for another text, or if the
// time is not between 1970 and 5000.
func parseLayout(layout, s string) waymark.Time {
	t, err := time.ParseInLocation(layout, s, time.UTC)
	if err != nil {
		return 0
	}
	if zone, offset := t.Zone(); offset == 0 {
		t = t.Add(-zoneOffsets[zone])
	}
	if t.Year() < 1970 || t.Year() >= 5000 {
		return 0
	}
	return max(waymark.FromTime(t), 0)
}

// isWebURL reports whether a text is a URL on the web.
func isWebURL(s string) bool {
	scheme, rest, found := strings.Cut(s, "://")
	return found && rest != "" && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}

// splitPath returns the names in the path of a folder. Waymark and Raindrop separate
// them by " / ", so that names can contain a slash; others by a slash.
func splitPath(value string, maxDepth int) []string {
	if !strings.Contains(value, waymark.FolderSeparator) {
		value = strings.ReplaceAll(value, "/", waymark.FolderSeparator)
	}
	return splitListPath(value, maxDepth)
}

// maxFolderName is the length in bytes after which the rest of the name of a folder is not read, because each bookmark
// in the folder gets it. An importer shortens it further, and says so.
const maxFolderName = 4 << 10

// cutFolderName returns the name of a folder, at most maxFolderName bytes long.
func cutFolderName(name string) string {
	if len(name) > maxFolderName {
		name = strings.ToValidUTF8(name[:maxFolderName], "")
	}
	return name
}

// joinPath returns the names of a path with " / " between them. A word of a name that looks like it gets a backslash in
// front.
func joinPath(path []string) string {
	escaped := make([]string, len(path))
	for i, name := range path {
		words := strings.Split(name, " ")
		for n, word := range words {
			if isSlash(word) {
				words[n] = `\` + word
			}
		}
		escaped[i] = strings.Join(words, " ")
	}
	return strings.Join(escaped, waymark.FolderSeparator)
}

// splitListPath returns the names that joinPath has joined, without empty ones.
func splitListPath(value string, maxDepth int) []string {
	var path, words []string
	end := func() {
		if name := strings.TrimSpace(strings.Join(words, " ")); name != "" && len(path) < maxDepth {
			path = append(path, cutFolderName(name))
		}
		words = nil
	}
	for word := range strings.SplitSeq(cleanLine(value), " ") {
		switch {
		case word == "/":
			end()
			continue
		case isSlash(word):
			word = word[1:]
		}
		words = append(words, word)
	}
	end()
	return path
}

// isSlash reports whether a word is a slash, with any number of backslashes in front.
func isSlash(word string) bool { return strings.TrimLeft(word, `\`) == "/" }

// parseVisibility returns the visibility with a name, or with a number as LinkAce writes it. It
// returns zero for other texts.
func parseVisibility(value string) waymark.Visibility {
	if v, err := waymark.ParseVisibility(strings.ToLower(value)); err == nil {
		return v
	}
	if n, err := strconv.Atoi(value); err == nil && waymark.Visibility(n).Valid() {
		return waymark.Visibility(n)
	}
	return 0
}

// isTrue reports whether a text means yes. So does a time, in a column such as deleted_at. Programs
// with PostgreSQL write t and f.
func isTrue(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "0", "no", "false", "n", "f", "null":
		return false
	}
	return true
}
