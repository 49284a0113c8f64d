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

// ProcessMemory returns the resident memory of a process and its maximum so far, in
// bytes. The maximum starts again when ResetProcessMemory is called. It needs /proc.
func ProcessMemory(pid int) (now, max int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	for name, value := range map[string]*int64{"VmRSS:": &now, "VmHWM:": &max} {
		_, rest, _ := bytes.Cut(status, []byte(name))
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			return 0, 0, fmt.Errorf("/proc/%d/status has no field %s", pid, name)
		}
		kilobytes, err := strconv.ParseInt(string(fields[0]), 10, 64)
		if err != nil {
			return 0, 0, err
		}
		*value = kilobytes * 1024
	}
	return now, max, nil
}

// ResetProcessMemory sets the maximum of a process's resident memory to its present
// value.
func ResetProcessMemory(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}
