package store_test

import (
	"fmt"
	"testing"

	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// Each page counts only as many changed searches as takes some milliseconds.
func TestManySearchesAreCountedOneAfterTheOther(t *testing.T) {
	s := storetest.Open(t)
	ada := storetest.User(t, s, "ada")
	storetest.Fill(t, s, ada, 1000)
	var filters []waymark.LinkFilter
	for i := range 160 {
		filters = append(filters, waymark.LinkFilter{Where: waymark.Contains{Text: fmt.Sprint("example", i), In: waymark.InTexts}})
	}
	for _, want := range []int{60, 0} {
		unknown := 0
		counts, err := s.CountSearches(t.Context(), ada.ID, filters)
		check(t, err)
		for _, n := range counts {
			if n < 0 {
				unknown++
			}
		}
		if unknown != want {
			t.Errorf("%d of the searches were not counted, want %d", unknown, want)
		}
	}
}
