package waymark_test

import (
	"math"
	"testing"
	"time"

	"waymark/internal/waymark"
)

func TestTimesAreWrittenWithSixDigits(t *testing.T) {
	for _, at := range []waymark.Time{0, 1, -1, 999_999, 1_000_000, -1_000_000, 1_583_782_403_000_000, 1_583_782_403_012_340, 253_402_300_800_000_000, math.MaxInt64, math.MinInt64} {
		want := at.Time().Format("2006-01-02T15:04:05.000000Z")
		if got := at.String(); got != want {
			t.Errorf("%d: got %s, want %s", at, got, want)
		}
	}
	const text = "2020-03-09T19:33:23.000100Z"
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	if got := waymark.FromTime(at).String(); got != text {
		t.Errorf("got %s, want %s", got, text)
	}
}
