package waymark_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/waymark"
)

func TestFilterWithoutConditionsIsZero(t *testing.T) {
	for name, test := range map[string]struct {
		where waymark.Condition
		want  bool
	}{
		"nothing":     {nil, true},
		"no parts":    {waymark.And{}, true},
		"a part":      {waymark.And{waymark.IsBroken}, false},
		"a condition": {waymark.IsBroken, false},
		"no link":     {waymark.Or{}, false},
	} {
		if got := (waymark.LinkFilter{Where: test.where, OwnNames: true}).IsZero(); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}

func TestConditionsAreFlat(t *testing.T) {
	a, b, c := waymark.IsUnfiled, waymark.IsUntagged, waymark.IsMine
	got := waymark.AndOf(waymark.AndOf(a, nil, b), waymark.OrOf(waymark.OrOf(a, b), c), waymark.NotOf(waymark.NotOf(c)), waymark.AndOf())
	want := waymark.And{a, b, waymark.Or{a, b, c}, c}
	if diff := cmp.Diff(waymark.Condition(want), got); diff != "" {
		t.Error(diff)
	}
	n := 0
	mapped := waymark.MapLeaves(got, func(waymark.Condition) waymark.Condition { n++; return waymark.AndOf(a, b) })
	if diff := cmp.Diff(waymark.Condition(waymark.And{a, b, a, b, waymark.Or{waymark.And{a, b}, waymark.And{a, b}, waymark.And{a, b}}, a, b}), mapped); diff != "" || n != 6 {
		t.Errorf("%d leaves: %s", n, diff)
	}
}
