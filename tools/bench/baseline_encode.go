package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"waymark/internal/waymark"
)

// baselineLink is a row of a link.
type baselineLink struct {
	id, user                           int64
	url, title, description, thumbnail string
	visibility, status                 int64
	checkDisabled                      bool
	unread, archived, favorite         bool
	createdAt, updatedAt               int64
	lists, tags                        []byte // arrays of arrays of integers and strings
}

// targets returns what a row is scanned into.
func (l *baselineLink) targets() []any {
	return []any{
		&l.id, &l.user, &l.url, &l.title, &l.description, &l.thumbnail, &l.visibility, &l.status, &l.checkDisabled, &l.unread, &l.archived, &l.favorite,
		&l.createdAt, &l.updatedAt, &l.lists, &l.tags,
	}
}

// append appends the link as Waymark encodes it. Texts with escapes other than quotes and
// backslashes are not encoded alike; few links have them.
func (l *baselineLink) append(b []byte, prefix string, icons map[string]string) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), l.id, 10)
	b = strconv.AppendInt(append(b, `,"user_id":`...), l.user, 10)
	b = appendText(append(b, `,"url":`...), l.url)
	b = appendText(append(b, `,"title":`...), l.title)
	b = appendTextOrNull(append(b, `,"description":`...), l.description)
	b = appendText(append(b, `,"icon":`...), icons[l.url])
	b = appendTextOrNull(append(b, `,"thumbnail":`...), l.thumbnail)
	b = strconv.AppendInt(append(b, `,"visibility":`...), l.visibility, 10)
	b = strconv.AppendBool(append(b, `,"is_private":`...), l.visibility == int64(waymark.Private))
	b = strconv.AppendInt(append(b, `,"status":`...), l.status, 10)
	b = strconv.AppendBool(append(b, `,"check_disabled":`...), l.checkDisabled)
	b = strconv.AppendBool(append(b, `,"unread":`...), l.unread)
	b = strconv.AppendBool(append(b, `,"archived":`...), l.archived)
	b = strconv.AppendBool(append(b, `,"favorite":`...), l.favorite)
	b = append(b, `,"seen_at":null`...) // nobody has looked at the links of the benchmark
	b = append(b, `,"lists":[`...)
	for rest, first := l.lists, true; ; first = false {
		var row [7][]byte // id, user_id, name, description, visibility, created_at, updated_at
		if rest = nextRow(rest, row[:]); rest == nil {
			break
		}
		if !first {
			b = append(b, ',')
		}
		b = appendLabel(b, row[0], row[1], row[2])
		if b = append(b, `,"description":`...); string(row[3]) == `""` {
			b = append(b, "null"...)
		} else {
			b = append(b, row[3]...)
		}
		b = appendVisibility(b, row[4])
		b = append(append(append(append(b, `,"links":"`...), prefix...), "/lists/"...), row[0]...)
		// No list of the benchmarks stands in another one.
		b = append(append(append(b, `/links","parent_id":null,"position":0,"path":[`...), row[2]...), ']')
		b = appendRowTimes(b, row[5], row[6])
		b = l.appendPivot(b, "list_id", row[0])
	}
	b = append(b, `],"tags":[`...)
	for rest, first := l.tags, true; ; first = false {
		var row [6][]byte // id, user_id, name, visibility, created_at, updated_at
		if rest = nextRow(rest, row[:]); rest == nil {
			break
		}
		if !first {
			b = append(b, ',')
		}
		b = appendLabel(b, row[0], row[1], row[2])
		b = appendVisibility(b, row[3])
		b = appendRowTimes(b, row[4], row[5])
		b = l.appendPivot(b, "tag_id", row[0])
	}
	b = append(b, ']')
	return append(appendTimes(b, l.createdAt, l.updatedAt), '}')
}

// nextRow finds the values of the next row in an array of arrays. It returns what follows the row,
// nil if there is none.
func nextRow(rows []byte, values [][]byte) []byte {
	at := bytes.IndexAny(rows, "0123456789") // the first value is an id
	if at < 0 {
		return nil
	}
	for i := range values {
		for rows[at] == ' ' || rows[at] == ',' {
			at++
		}
		start := at
		if rows[at] == '"' {
			for at++; rows[at] != '"'; at++ {
				if rows[at] == '\\' {
					at++
				}
			}
			at++
		} else {
			for rows[at] != ',' && rows[at] != ']' {
				at++
			}
		}
		values[i] = rows[start:at]
	}
	return rows[at+1:]
}

func appendLabel(b, id, user, name []byte) []byte {
	b = append(append(b, `{"id":`...), id...)
	b = append(append(b, `,"user_id":`...), user...)
	return append(append(b, `,"name":`...), name...)
}

func appendVisibility(b, visibility []byte) []byte {
	b = append(append(b, `,"visibility":`...), visibility...)
	return strconv.AppendBool(append(b, `,"is_private":`...), string(visibility) == strconv.Itoa(int(waymark.Private)))
}

func appendRowTimes(b, created, updated []byte) []byte {
	c, _ := strconv.ParseInt(string(created), 10, 64) // the column has integers
	u, _ := strconv.ParseInt(string(updated), 10, 64) // the column has integers
	return appendTimes(b, c, u)
}

// appendTimes appends the times of a row that is not in the trash.
func appendTimes(b []byte, created, updated int64) []byte {
	b = waymark.Time(created).Append(append(b, `,"created_at":"`...))
	b = waymark.Time(updated).Append(append(b, `","updated_at":"`...))
	return append(b, `","deleted_at":null`...)
}

func (l *baselineLink) appendPivot(b []byte, key string, id []byte) []byte {
	b = strconv.AppendInt(append(b, `,"pivot":{"link_id":`...), l.id, 10)
	b = append(append(append(b, `,"`...), key...), `":`...)
	return append(append(b, id...), "}}"...)
}

func appendTextOrNull(b []byte, text string) []byte {
	if text == "" {
		return append(b, "null"...)
	}
	return appendText(b, text)
}

// appendText appends a JSON string.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, text[i])
	}
	return append(b, '"')
}

// exampleLink has the fields of a link in Waymark's response that the baseline uses.
type exampleLink struct {
	URL  string
	Icon string
}

// around returns what is before and after the elements of an array in a JSON object.
func around(response []byte, field string) (head, tail []byte, err error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(response, &object); err != nil {
		return nil, nil, err
	}
	array := object[field]
	if len(array) < 2 {
		return nil, nil, errors.New("the response has no " + field)
	}
	at := bytes.Index(response, fmt.Appendf(nil, "%q:%s", field, array))
	if at < 0 {
		return nil, nil, errors.New("the response has spaces")
	}
	at += len(field) + len(`"":`)
	return response[:at+1], response[at+len(array)-1:], nil
}
