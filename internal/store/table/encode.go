package table

import (
	"fmt"
	"reflect"
	"strings"

	"waymark/internal/database"
)

// EncodedAs returns the expression that encodes the columns of Selected, with another
// alias, as one text: an integer and a colon, or a text after its length in bytes and a
// colon, so that it may contain any character.
func (t *Table[T]) EncodedAs(alias string) string {
	values := make([]string, len(t.Read))
	for i, c := range t.Read {
		name := alias + "." + c.Name
		switch c.SQLType {
		case "TEXT":
			values[i] = "octet_length(" + name + "), ':', " + name
		case "BIGINT":
			if c.orZero != "" {
				name = fmt.Sprintf(c.orZero, name)
			}
			values[i] = name + ", ':'"
		default:
			panic("table: cannot encode the column " + c.Name + " " + c.SQLType)
		}
	}
	return "concat(" + strings.Join(values, ", ") + ")"
}

// Decode returns the rows that EncodedAs has encoded, one after the other.
func (t *Table[T]) Decode(text string) ([]T, error) {
	var rows []T
	for text != "" {
		var row T
		for _, c := range t.Read {
			n, rest, err := database.DecodeInteger(text)
			if err != nil {
				return nil, err
			}
			switch target := reflect.ValueOf(c.Target(&row)).Elem(); {
			case target.Kind() != reflect.String:
				target.SetInt(n)
			case n < 0 || n > int64(len(rest)):
				return nil, fmt.Errorf("decode %.20q: %d bytes are missing", text, n)
			default:
				target.SetString(rest[:n])
				rest = rest[n:]
			}
			text = rest
		}
		rows = append(rows, row)
	}
	return rows, nil
}
