package waymark

import (
	"testing"
)

func TestFilterWithoutConditionsIsZero(t *testing.T) {
	for name, test := range map[string]struct {
		filter LinkFilter
		want   bool
	}{
		"zero":               {LinkFilter{}, true},
		"only modes":         {LinkFilter{SearchTitle: true, SearchDescription: true, AllLists: true, AllTags: true}, true},
		"empty slices":       {LinkFilter{Words: []string{}, Tags: []Ref{}}, true},
		"a text":             {LinkFilter{Text: "a"}, false},
		"a word":             {LinkFilter{Words: []string{"a"}}, false},
		"an excluded word":   {LinkFilter{ExcludeWords: []string{"a"}}, false},
		"a list":             {LinkFilter{Lists: []Ref{{ID: 1}}}, false},
		"broken":             {LinkFilter{BrokenOnly: true}, false},
		"a result":           {LinkFilter{CheckResult: CheckDead}, false},
		"a visibility":       {LinkFilter{Visibility: Public}, false},
		"an owner":           {LinkFilter{Owner: 1}, false},
		"from a time":        {LinkFilter{CreatedFrom: 1}, false},
		"before a time":      {LinkFilter{CreatedBefore: 1}, false},
		"without tags":       {LinkFilter{WithoutTags: true}, false},
		"an excluded list":   {LinkFilter{ExcludeLists: []Ref{{Name: "a"}}}, false},
		"private links":      {LinkFilter{PrivateOnly: true}, false},
		"links not in lists": {LinkFilter{WithoutLists: true}, false},
	} {
		if got := test.filter.IsZero(); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}
