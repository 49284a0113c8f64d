package waymark

import "time"

// MaxBrowser is the maximum length of Session.Browser, in bytes.
const MaxBrowser = 300

// Session is a browser in which a user is signed in. Its secret is in a cookie and is
// never stored.
type Session struct {
	ID         SessionID
	UserID     UserID
	Persistent bool // the user asked to stay signed in
	CreatedAt  Time
	LastSeenAt Time   // accurate to some minutes
	ExpiresAt  Time   // at the latest: it ends earlier if it is not used
	Browser    string // the User-Agent header, cut to MaxBrowser
	Address    string // the IP address from which the user signed in; "" if unknown
}

// SessionLimits say when a session ends. A session is persistent if the user asked to stay
// signed in.
type SessionLimits struct {
	Idle, PersistentIdle         time.Duration // after it was last seen
	Lifetime, PersistentLifetime time.Duration // after the user signed in
}

// Ended reports whether a session has ended at the time now.
func (l SessionLimits) Ended(session Session, now Time) bool {
	idle := l.Idle
	if session.Persistent {
		idle = l.PersistentIdle
	}
	return session.ExpiresAt <= now || session.LastSeenAt.Add(idle) <= now
}
