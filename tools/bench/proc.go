package bench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// ProcessCPUTime returns the CPU time that a process has used so far, to 10 ms. It
// needs /proc, so it fails on systems other than Linux.
func ProcessCPUTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(stat, []byte(") ")) // after the name of the command, which may have spaces
	fields := bytes.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has too few fields: %q", pid, stat)
	}
	var ticks int
	for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}
