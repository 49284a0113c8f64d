package server

import "testing"

func TestGarbageCollectorRunsMoreOftenWithALargeIndex(t *testing.T) {
	for _, test := range []struct {
		index int64
		want  int
	}{
		{0, 100},
		{15 << 20, 25},
		{40 << 20, 11},
		{4 << 30, 10},
	} {
		if got := gcPercent(test.index); got != test.want {
			t.Errorf("an index of %d bytes: got %d %%, want %d", test.index, got, test.want)
		}
	}
}

func TestMachineHasMemory(t *testing.T) {
	if got := MachineMemory(); got < 64<<20 {
		t.Errorf("got %d bytes", got)
	}
}

func TestMemoryLimitLeavesRoomForTheIndexAndRequests(t *testing.T) {
	if got, want := memoryLimit(100<<20, 64<<20), int64(392<<20); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}
