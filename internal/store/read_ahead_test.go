package store

import (
	"errors"
	"iter"
	"slices"
	"testing"
)

// countTo yields 1 to n, then err if it is not nil. running is true while it runs.
func countTo(n int, err error, running *bool) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		*running = true
		defer func() { *running = false }()
		for i := range n {
			if !yield(i+1, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

func TestReadAheadYieldsAllElementsInOrder(t *testing.T) {
	failed := errors.New("failed")
	for _, want := range []error{nil, failed} {
		var running bool
		var got []int
		var last error
		for value, err := range readAhead(countTo(3, want, &running)) {
			if last = err; err == nil {
				got = append(got, value)
			}
		}
		if !slices.Equal(got, []int{1, 2, 3}) || !errors.Is(last, want) {
			t.Errorf("got %v (error %v), want 1 2 3 (error %v)", got, last, want)
		}
	}
}

func TestReadAheadEndsBeforeItsCallerGoesOn(t *testing.T) {
	var running bool
	for value := range readAhead(countTo(1000, nil, &running)) {
		if value == 2 {
			break
		}
	}
	if running { // a data race if it still runs
		t.Error("the sequence still runs")
	}
}

func TestReadAheadPanicsInTheGoroutineOfItsCaller(t *testing.T) {
	defer func() {
		if got := recover(); got != "broken" {
			t.Errorf("recovered %v, want broken", got)
		}
	}()
	for range readAhead(func(func(int, error) bool) { panic("broken") }) {
		t.Error("an element")
	}
}
