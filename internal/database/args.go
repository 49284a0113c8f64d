package database

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// Args collects the arguments of an assembled statement, and returns their placeholders.
type Args struct {
	Values []any // of $1, $2 and so on
	kind   Kind
}

// NewArgs returns the arguments of a statement, which replace $1, $2 and so on.
func NewArgs(kind Kind, values ...any) *Args { return &Args{values, kind} }

// Args returns the arguments of a statement for this querier, as NewArgs does.
func (q Querier) Args(values ...any) *Args { return NewArgs(q.dialect.kind, values...) }

// Add adds an argument and returns its placeholder, such as $3.
func (a *Args) Add(v any) string {
	a.Values = append(a.Values, v)
	return "$" + strconv.Itoa(len(a.Values))
}

// LimitBranch limits one branch of a UNION ALL to n rows. Without a limit PostgreSQL plans for all rows of the branch,
// and sorts them. SQLite merges ordered branches row by row and stops by itself, while it would sort a limited branch
// again.
func (a *Args) LimitBranch(query string, n int) string {
	if a.kind == SQLite {
		return query
	}
	return query + "\nLIMIT " + a.Add(n)
}

// Hex is bytes as hexadecimal digits, because JSON has no bytes. Unhex returns the bytes.
type Hex string

// NewHex returns bytes as hexadecimal digits.
func NewHex(bytes []byte) Hex { return Hex(hex.EncodeToString(bytes)) }

// Unhex returns the expression for the bytes of a text of hexadecimal digits.
func (a *Args) Unhex(text string) string {
	if a.kind == PostgreSQL {
		return "decode(" + text + ", 'hex')"
	}
	return "unhex(" + text + ")"
}

// In returns the SQL condition IN (…) for values. A Hex stands for its bytes. Several values are a single argument, so that the
// text of the statement is the same for any number of them. One value is compared with =,
// which takes half of the time.
func In[T ~int64 | string | Hex](a *Args, values []T) string {
	value := "CAST(value->>0 AS BIGINT)"
	switch values := any(values).(type) {
	case []string:
		value = "CAST(value->>0 AS TEXT)"
	case []Hex:
		value = a.Unhex("value->>0")
		if len(values) == 1 {
			return "= " + a.Unhex(a.Add(string(values[0])))
		}
	}
	if len(values) == 1 {
		return "= " + a.Add(values[0])
	}
	rows := make([][1]T, len(values))
	for i, v := range values {
		rows[i][0] = v
	}
	query := "SELECT " + value + " FROM " + a.Rows(rows)
	if a.kind == PostgreSQL { // it estimates few elements for an array, and so uses the index
		return "= ANY (ARRAY(" + query + "))"
	}
	return "IN (" + query + ")"
}

// Rows adds rows as a single argument, and returns the FROM item for them: column n of a
// row is value->>n, and key is the position of the row. rows is a slice of slices or
// arrays of numbers, booleans and strings. It panics if they cannot be encoded as JSON.
func (a *Args) Rows(rows any) string {
	list, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	parameter := a.Add(string(list))
	if a.kind == PostgreSQL {
		return "jsonb_array_elements(CAST(" + parameter + " AS jsonb)) WITH ORDINALITY AS t (value, key)"
	}
	return "json_each(" + parameter + ")"
}
