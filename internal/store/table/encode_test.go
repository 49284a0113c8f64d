package table_test

import (
	"testing"

	"waymark/internal/store/table"
)

func TestMalformedRowsAreNotDecoded(t *testing.T) {
	for _, text := range []string{"1", ":", "x:", "1:1:9:short", "1:1:-1:name1:1:1:0:", "1:1:4:name1:1:1:", "9223372036854775808:"} {
		if rows, err := table.Tags.Decode(text); err == nil {
			t.Errorf("%q was decoded as %v, want an error", text, rows)
		}
	}
}
