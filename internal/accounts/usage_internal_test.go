package accounts

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"waymark/internal/waymark"
)

func TestFailedSaveKeepsTheLatestUse(t *testing.T) {
	var u usage[waymark.APIKeyID]
	first := waymark.FromTime(time.Now())
	second := first.Add(time.Hour)
	u.record(1, 0, first)
	u.record(2, 0, first)
	failed := errors.New("failed")
	if err := u.save(t.Context(), func(context.Context, map[waymark.APIKeyID]waymark.Time) error {
		u.record(1, 0, second)
		return failed
	}); !errors.Is(err, failed) {
		t.Errorf("got error %v, want %v", err, failed)
	}
	var got map[waymark.APIKeyID]waymark.Time
	if err := u.save(t.Context(), func(_ context.Context, used map[waymark.APIKeyID]waymark.Time) error {
		got = used
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := (map[waymark.APIKeyID]waymark.Time{1: second, 2: first}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
