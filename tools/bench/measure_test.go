package bench

import (
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// measure runs do for each iteration of a benchmark and reports the percentiles. It
// reports CPU time as cpu-ms too, of this process, which is both the client and the
// server: on a shared machine it varies less than the time does.
func measure(b *testing.B, do func(i int)) {
	var latencies Latencies
	i := 0
	before := ownCPUTime(b)
	for b.Loop() {
		since := time.Now()
		do(i)
		latencies = append(latencies, time.Since(since))
		i++
	}
	b.ReportMetric(Milliseconds(ownCPUTime(b)-before)/float64(i), "cpu-ms")
	report(b, latencies)
}

// measureConcurrently runs b.N iterations in several clients at once.
func measureConcurrently(b *testing.B, clients int, do func(client int, i int64)) {
	b.Helper()
	b.ResetTimer()
	before := ownCPUTime(b)
	latencies := runConcurrently(clients, int64(b.N), do)
	b.StopTimer()
	b.ReportMetric(Milliseconds(ownCPUTime(b)-before)/float64(b.N), "cpu-ms")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
	report(b, latencies)
}

// runConcurrently runs n iterations in several clients, each as soon as its client is
// free.
func runConcurrently(clients int, n int64, do func(client int, i int64)) Latencies {
	var mu sync.Mutex
	var latencies Latencies
	var next atomic.Int64
	var running sync.WaitGroup
	for client := range clients {
		running.Go(func() {
			var own Latencies
			for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
				since := time.Now()
				do(client, i)
				own = append(own, time.Since(since))
			}
			mu.Lock()
			defer mu.Unlock()
			latencies = append(latencies, own...)
		})
	}
	running.Wait()
	return latencies
}

// ownCPUTime returns the CPU time that this process has used so far.
func ownCPUTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func report(b *testing.B, latencies Latencies) {
	b.Helper()
	if len(latencies) == 0 {
		b.Fatal("no latencies were measured")
	}
	p50, p99, max := latencies.Percentiles()
	b.ReportMetric(Milliseconds(p50), "p50-ms")
	b.ReportMetric(Milliseconds(p99), "p99-ms")
	b.ReportMetric(Milliseconds(max), "max-ms")
}
