// Package migrate reads the data of users of another program, through its API or from its database,
// and yields it as entities of an archive. It does not use the store.
package migrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"waymark/internal/archive"
	"waymark/internal/waymark"
)

// Totals are the numbers of entities that were read of a user, including the trash.
type Totals struct {
	Lists, Tags, Links, Notes int
}

// add counts an entity.
func (t *Totals) add(e archive.Entity) {
	switch e.(type) {
	case archive.List:
		t.Lists++
	case archive.Tag:
		t.Tags++
	case archive.Link:
		t.Links++
	case archive.Note:
		t.Notes++
	}
}

// records yields what read emits, and counts it in totals. An error of read is the last value.
func records(totals *Totals, read func(emit func(archive.Entity) error) error) iter.Seq2[archive.Record, error] {
	return func(yield func(archive.Record, error) bool) {
		err := read(func(e archive.Entity) error {
			totals.add(e)
			if !yield(archive.Record{Line: totals.Lists + totals.Tags + totals.Links + totals.Notes, Entity: e}, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(archive.Record{}, err)
		}
	}
}

// errStopped means that the consumer of records wants no more.
var errStopped = errors.New("stopped")

// number is an integer that some versions of PHP send as a string.
type number int64

// UnmarshalJSON accepts 1 and "1", and reads null and "" as 0.
func (n *number) UnmarshalJSON(text []byte) error {
	unquoted := strings.Trim(string(text), `"`)
	if unquoted == "null" || unquoted == "" {
		*n = 0
		return nil
	}
	value, err := strconv.ParseInt(unquoted, 10, 64)
	*n = number(value)
	return err
}

// flag is a boolean that some versions of PHP send as a number.
type flag bool

// UnmarshalJSON accepts true, false, 1, 0, "1" and "0", and reads null and "" as false.
func (f *flag) UnmarshalJSON(text []byte) error {
	switch strings.Trim(string(text), `"`) {
	case "true", "1":
		*f = true
	case "false", "0", "null", "":
		*f = false
	default:
		return fmt.Errorf("invalid boolean %s", text)
	}
	return nil
}

// timestamp is a time in one of the formats that Laravel and Django send. A time without a zone is
// read as UTC, which is LinkAce's default.
type timestamp archive.Time

var timestampFormats = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999"}

// UnmarshalJSON reads null and "" as the zero time.
func (t *timestamp) UnmarshalJSON(text []byte) error {
	var value *string
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	*t = 0
	if value != nil && *value != "" {
		at, err := parseTimestamp(*value)
		*t = timestamp(at)
		return err
	}
	return nil
}

func parseTimestamp(text string) (archive.Time, error) {
	for _, format := range timestampFormats {
		if at, err := time.Parse(format, text); err == nil {
			return fromTime(at), nil
		}
	}
	return 0, fmt.Errorf("invalid time %q", text)
}

// fromTime converts a time, to zero if it is zero or archives cannot express its year.
func fromTime(at time.Time) archive.Time {
	if at.IsZero() || at.Year() < 1 || at.Year() > 9999 {
		return 0
	}
	return archive.Time(waymark.FromTime(at))
}
