package database

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// Args collects the arguments of an assembled statement, and returns their placeholders.
type Args struct {
	Values  []any // of $1, $2 and so on
	dialect *dialect
}

// NewArgs returns the arguments of a statement, which replace $1, $2 and so on.
func NewArgs(kind Kind, values ...any) *Args {
	if kind == PostgreSQL {
		return &Args{values, &postgresDialect}
	}
	return &Args{values, &sqliteDialect}
}

// Args returns the arguments of a statement for this querier, as NewArgs does.
func (q Querier) Args(values ...any) *Args { return NewArgs(q.dialect.kind, values...) }

// Add adds an argument and returns its placeholder, such as $3.
func (a *Args) Add(v any) string {
	a.Values = append(a.Values, v)
	return "$" + strconv.Itoa(len(a.Values))
}

// LimitBranch limits one branch of a UNION ALL to n rows if the planner needs that to
// stop early. Otherwise it returns the query unchanged.
func (a *Args) LimitBranch(query string, n int) string {
	if a.dialect.limitBranch == nil {
		return query
	}
	return a.dialect.limitBranch(query, a.Add(n))
}

// Hex is bytes as hexadecimal digits, because JSON has no bytes. Unhex returns the bytes.
type Hex string

// NewHex returns bytes as hexadecimal digits.
func NewHex(bytes []byte) Hex { return Hex(hex.EncodeToString(bytes)) }

// Unhex returns the expression for the bytes of a text of hexadecimal digits.
func (a *Args) Unhex(text string) string {
	if a.dialect.kind == PostgreSQL {
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
	return a.dialect.inSubquery("SELECT " + value + " FROM " + a.Rows(rows))
}

// Rows adds rows as a single argument, and returns the FROM item for them: column n of a
// row is value->>n, and key is the position of the row. rows is a slice of slices or
// arrays of numbers, booleans and strings. It panics if they cannot be encoded as JSON.
func (a *Args) Rows(rows any) string {
	list, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	return a.dialect.jsonRows(a.Add(string(list)))
}
