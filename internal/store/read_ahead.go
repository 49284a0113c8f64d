package store

import (
	"iter"
	"sync"
)

// readAhead yields what seq yields. It runs seq in a goroutine, one element ahead, so that
// the next element is read while the caller uses the current one.
func readAhead[T any](seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	type element struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		next := make(chan element)
		stop := make(chan struct{})
		var reading sync.WaitGroup
		defer reading.Wait()
		defer close(stop)
		var panicked any
		reading.Go(func() {
			defer close(next)
			defer func() { panicked = recover() }()
			for value, err := range seq {
				select {
				case next <- element{value, err}:
				case <-stop:
					return
				}
			}
		})
		for e := range next {
			if !yield(e.value, e.err) {
				return
			}
		}
		if panicked != nil {
			panic(panicked) // in the goroutine of the caller, which may recover
		}
	}
}
