package query

import (
	"testing"

	"waymark/internal/waymark"
)

func TestWindowIsBoundedByTheTotal(t *testing.T) {
	for _, test := range []struct {
		pagination waymark.Pagination
		want       Window
	}{
		{waymark.Pagination{}, Window{0, 100, 100}},
		{waymark.Pagination{Limit: 24}, Window{0, 24, 100}},
		{waymark.Pagination{Offset: 96, Limit: 24}, Window{96, 4, 100}},
		{waymark.Pagination{Offset: 100, Limit: 24}, Window{100, 0, 100}},
		{waymark.Pagination{Offset: 1 << 62, Limit: 1 << 62}, Window{1 << 62, 0, 100}},
	} {
		if got := NewWindow(test.pagination, 100); got != test.want {
			t.Errorf("%+v: got %+v, want %+v", test.pagination, got, test.want)
		}
	}
}
