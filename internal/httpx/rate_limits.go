package httpx

import (
	"net/http"
	"strconv"

	"github.com/go-chi/httprate"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

// GuestLimit limits the requests of each client address that come without valid credentials. All
// interfaces share one GuestLimit, so that a client has one allowance.
type GuestLimit struct {
	limiter *httprate.RateLimiter // nil for no limit
	trusted config.TrustedProxies
}

// NewGuestLimit returns a limit with this rate. A zero rate is no limit.
func NewGuestLimit(rate config.Rate, trusted config.TrustedProxies) *GuestLimit {
	l := &GuestLimit{trusted: trusted}
	if rate.Count > 0 {
		l.limiter = httprate.NewRateLimiter(rate.Count, rate.Per)
	}
	return l
}

// Exceeded counts a request, and reports whether its client has sent too many. It sets the
// headers X-RateLimit-Limit, -Remaining and -Reset, and Retry-After if it returns true.
func (l *GuestLimit) Exceeded(w http.ResponseWriter, r *http.Request) bool {
	if l.limiter == nil {
		return false
	}
	// For IPv6 this is the /64 network, which usually belongs to one client.
	client := httprate.CanonicalizeIP(ClientAddress(r, l.trusted).WithZone("").String())
	return l.limiter.OnLimit(w, r, client)
}

// UserLimit limits the requests of each user to the APIs, which share one UserLimit.
type UserLimit struct {
	limiter *httprate.RateLimiter // nil for no limit
}

// NewUserLimit returns a limit with this rate. A zero rate is no limit.
func NewUserLimit(rate config.Rate) *UserLimit {
	if rate.Count == 0 {
		return &UserLimit{}
	}
	return &UserLimit{httprate.NewRateLimiter(rate.Count, rate.Per)}
}

// Exceeded is GuestLimit.Exceeded for a request of a user.
func (l *UserLimit) Exceeded(w http.ResponseWriter, r *http.Request, user waymark.UserID) bool {
	return l.limiter != nil && l.limiter.OnLimit(w, r, strconv.FormatInt(int64(user), 10))
}
