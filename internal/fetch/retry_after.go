package fetch

import (
	"net/http"
	"strconv"
	"time"
)

// RetryAfter returns how long to wait according to a Retry-After header, at most longest. It returns
// 0 if the header is missing, invalid or in the past.
func RetryAfter(header http.Header, now time.Time, longest time.Duration) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longest)
}
